# SPDX-License-Identifier: GPL-2.0-or-later
# Figures of the daemon on a fake root: BENCH lines, a table, and bounds on what repeats.

BENCH_SRC := $(wildcard tests/bench/*.c)

$(OUT)/tests/bench/bench: $(BENCH_SRC) tests/bench/bench.h $(LIBS)
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -Itests -o $@ $(BENCH_SRC) \
		-Wl,--start-group $(LIBS) -Wl,--end-group $(ALL_LDFLAGS) $(DAEMON_LIBS)

##@ Test

.PHONY: bench
bench: $(OUT)/pcpu-reclaimd $(OUT)/tests/integration/hostile $(OUT)/tests/bench/bench ## figures and ratios on a fake root: BENCH=name for one
	@SANITIZED=$(filter asan,$(PROFILE)) tests/bench/run $(OUT) $(BENCH)
