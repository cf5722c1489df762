# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that need no guest. Every tests/unit/test_X.c is a program of its own.

UNIT_SRC  := $(wildcard tests/unit/test_*.c)
UNIT_BINS := $(patsubst tests/unit/%.c,$(OUT)/tests/unit/%,$(UNIT_SRC))
CHECK_LIBS := -lcheck -lsubunit -lm -lrt -lpthread

$(OUT)/tests/unit/%: tests/unit/%.c $(LIBS) $(OUT)/lib/client.a $(wildcard tests/*.h tests/unit/*.h)
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_CFLAGS) -Itests -o $@ $< -Wl,--start-group $(LIBS) -Wl,--end-group \
		$(ALL_LDFLAGS) $(CHECK_LIBS) $(DAEMON_LIBS)

##@ Test

# What `make check` is made of, in the order of how soon each can fail.
CHECKS := layers unit scn traces corpora man-pages shell installs completion sandbox debs integration machines fault

.PHONY: check check-varlinkctl check-asan check-valgrind unit traces layers man-pages shell installs completion sandbox \
	debs setup-check
check: ## all tests that need no guest
	@tests/setup build check deb
	@tests/check $(CHECKS)

check-asan: ## the same under address and undefined-behaviour sanitizers
	@tests/setup build check
	@CK_FORK=no PROFILE=asan tests/check unit scn traces corpora integration fault

check-valgrind: ## unit tests under valgrind
	@tests/setup build check valgrind
	@$(MAKE) --no-print-directory -s valgrind-unit

check-varlinkctl: all ## systemd's own client calls every method (fetches that of Debian 13)
	@tests/check-varlinkctl $(OUT)

unit: $(UNIT_BINS) ## unit tests (Check)
	@tests/run-unit $(UNIT_BINS)

valgrind-unit: $(UNIT_BINS)
	@RUN_UNDER="valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite" \
		CK_FORK=no UNDER_VALGRIND=1 tests/run-unit $(UNIT_BINS)

traces: all ## recorded traces replayed under other settings
	@tests/traces/run $(OUT)

layers: $(LIBS) ## each room uses only what it may
	@tests/layers.sh $(OUT)

man-pages: all
	@tests/check-man $(OUT)

shell:
	@tests/check-shell

installs: all
	@tests/check-install

completion: all
	@tests/check-completion $(OUT)

sandbox:
	@tests/check-sandbox

debs: all
	@tests/check-deb
