# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that need no guest. Every tests/unit/test_X.c is a program of its own.

UNIT_SRC  := $(wildcard tests/unit/test_*.c)
UNIT_BINS := $(patsubst tests/unit/%.c,$(OUT)/tests/unit/%,$(UNIT_SRC))
CHECK_LIBS := -lcheck -lsubunit -lm -lrt -lpthread

$(OUT)/tests/unit/%: tests/unit/%.c $(LIBS) $(OUT)/lib/client.a tests/unit/unit.h
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_CFLAGS) -Itests -o $@ $< -Wl,--start-group $(LIBS) -Wl,--end-group \
		$(ALL_LDFLAGS) $(CHECK_LIBS) $(DAEMON_LIBS)

##@ Test

.PHONY: unit layers
unit: $(UNIT_BINS) ## unit tests (Check)
	@tests/run-unit $(UNIT_BINS)

layers: $(LIBS) ## each room uses only what it may
	@tests/layers.sh $(OUT)
