# SPDX-License-Identifier: GPL-2.0-or-later
# A fuzz target is one file, tests/fuzz/fuzz_NAME.c, and a corpus of seeds and past
# findings, tests/corpora/NAME/. The same file is built twice: with libFuzzer
# (PROFILE=fuzz), and with a main() that runs the corpus once (replay.c), so that
# what was ever found stays tested by everybody. tests/fuzz/NAME.dict is used if there.

FUZZ_SECONDS ?= 10
FUZZ_NAMES := $(sort $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
REPLAY_BINS := $(FUZZ_NAMES:%=$(OUT)/tests/fuzz/replay_%)
FUZZ_BINS := $(FUZZ_NAMES:%=$(OUT)/tests/fuzz/fuzz_%)
FUZZ_LINK = -Wl,--start-group $(LIBS) $(OUT)/lib/client.a -Wl,--end-group $(DAEMON_LIBS)

$(OUT)/tests/fuzz/replay_%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(OUT)/obj/tests/fuzz/replay.o \
		$(LIBS) $(OUT)/lib/client.a
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(FUZZ_LINK)

$(OUT)/tests/fuzz/fuzz_%: $(OUT)/obj/tests/fuzz/fuzz_%.o $(LIBS) $(OUT)/lib/client.a
	$(call say,FUZZ,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_LINK)

.SECONDARY: $(FUZZ_NAMES:%=$(OUT)/obj/tests/fuzz/fuzz_%.o) $(OUT)/obj/tests/fuzz/replay.o

# The compiler that the code is held to is gcc; clang's other opinions stop no fuzzing.
.PHONY: corpora fuzz fuzz-run
corpora: $(REPLAY_BINS) ## every corpus through its fuzz target, once
	@for name in $(FUZZ_NAMES); do \
		$(OUT)/tests/fuzz/replay_$$name tests/corpora/$$name || exit 1; \
	done

fuzz: ## each fuzz target for FUZZ_SECONDS (10), or only FUZZ_NAMES="a b"
	$(q)$(MAKE) --no-print-directory PROFILE=fuzz CFLAGS="$(CFLAGS) -Wno-error" fuzz-run

fuzz-run: $(FUZZ_BINS)
	@for name in $(FUZZ_NAMES); do \
		mkdir -p $(OUT)/corpora/$$name; \
		log=$(OUT)/fuzz-$$name.log dict=; \
		[ ! -e tests/fuzz/$$name.dict ] || dict=-dict=tests/fuzz/$$name.dict; \
		$(OUT)/tests/fuzz/fuzz_$$name $$dict -max_total_time=$(FUZZ_SECONDS) -timeout=5 \
			-rss_limit_mb=1024 -artifact_prefix=$(OUT)/found-$$name- \
			$(OUT)/corpora/$$name tests/corpora/$$name >$$log 2>&1 || \
			{ grep -vE '^#[0-9]' $$log | tail -40; echo "FAILED $$name: $$log"; exit 1; }; \
		printf '  ok      %s: %s\n' $$name "$$(sed -n 's/^Done //p' $$log)"; \
	done
