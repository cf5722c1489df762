# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon with every call into the kernel failing in turn. The objects are the
# daemon's own; the linker puts wrap.c between them and libc. Not with the release
# profile, whose _FORTIFY_SOURCE gives some of the calls other names.

FAULT_CALLS := $(shell sed -n 's/^.CALL.[A-Z_]*, "\([a-z0-9_]*\)".*/\1/p' tests/fault/calls.h)
FAULT_WRAP  := $(foreach c,$(subst getdents64,syscall,$(FAULT_CALLS)) clock_gettime ev_timer_start,-Wl,--wrap=$(c))

$(OUT)/obj/tests/fault/%.o: ALL_CFLAGS += -Itests

$(OUT)/pcpu-reclaimd-fault: $(OUT)/obj/daemon/main.o $(OUT)/obj/tests/fault/wrap.o $(LIBS)
	$(call say,LD,$@)
	$(q)$(CC) $(ALL_LDFLAGS) $(FAULT_WRAP) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(LIBS) -Wl,--end-group $(DAEMON_LIBS)

$(OUT)/tests/fault/walk: tests/fault/walk.c tests/fault/calls.h
	$(call say,TEST,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_CFLAGS) -Itests -o $@ $< $(ALL_LDFLAGS) -ljansson

##@ Test

.PHONY: fault fault-walk
fault-walk: $(OUT)/pcpu-reclaimd-fault $(OUT)/tests/fault/walk $(OUT)/tests/integration/ask
	@tests/fault/run $(OUT) $(FAULT)
	@tests/fault/forecast $(OUT)

fault: ## every call into the kernel fails in turn: FAULT=quick|full|CALL:N:ERRNO, PROFILE=asan
	@$(MAKE) --no-print-directory PROFILE=$(if $(filter asan,$(PROFILE)),asan,fault) fault-walk
