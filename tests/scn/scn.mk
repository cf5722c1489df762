# SPDX-License-Identifier: GPL-2.0-or-later
# Scenarios: tests/scn/*.scn, and *.bad which must fail at the line they name.

SCN_OBJS := $(patsubst %.c,$(OUT)/obj/%.o,$(wildcard tests/scn/*.c))
SCN_LIBS := $(foreach r,policy model conf sys base,$(OUT)/lib/$(r).a)

$(OUT)/obj/tests/scn/%.o: ALL_CFLAGS += -Itests

$(OUT)/tests/scn: $(SCN_OBJS) $(SCN_LIBS)
	$(call say,LD,$@)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_LDFLAGS) -o $@ $(SCN_OBJS) -Wl,--start-group $(SCN_LIBS) -Wl,--end-group -linih

##@ Test

.PHONY: scn
scn: $(OUT)/tests/scn ## scenarios: samples over time, and what policy makes of them
	@tests/scn/run $(OUT)/tests/scn
