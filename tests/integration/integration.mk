# SPDX-License-Identifier: GPL-2.0-or-later
# The real daemon on a machine of plain files. Included by the top Makefile.

INTEGRATION_SRC  := $(wildcard tests/integration/*.c)
INTEGRATION_BINS := $(patsubst %.c,$(OUT)/%,$(INTEGRATION_SRC))

$(OUT)/tests/integration/%: tests/integration/%.c tests/integration/player.h
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_CFLAGS) -Itests -o $@ $< $(ALL_LDFLAGS) -ljansson -lpthread

##@ Test

.PHONY: integration
integration: $(OUT)/pcpu-reclaimd $(OUT)/pcpu-reclaimctl $(INTEGRATION_BINS) ## the daemon on a fake root: CASE=name for one
	@SANITIZED=$(filter asan,$(PROFILE)) tests/integration/run $(OUT) \
		$(patsubst %,tests/integration/cases/%.sh,$(CASE))
