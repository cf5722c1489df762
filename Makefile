# SPDX-License-Identifier: GPL-2.0-or-later
# pcpu-reclaimd: build, test, boot, install. `make help` lists the targets.

.DEFAULT_GOAL := help

VERSION := 0.1.0
PROFILE ?= release
CC ?= cc

# One folder a profile, so that a sanitizer run never mixes with a release build.
OUT_release := build
OUT_asan    := build/asan
OUT_fault   := build/fault
OUT_fuzz    := build/fuzz
OUT_arm64   := build/arm64
OUT := $(OUT_$(PROFILE))

PROFILE_CFLAGS_release := -O2 -D_FORTIFY_SOURCE=2
PROFILE_CFLAGS_asan    := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
PROFILE_CFLAGS_fault   := -O1 -g
PROFILE_CFLAGS_fuzz    := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
PROFILE_CFLAGS_arm64   := $(PROFILE_CFLAGS_release)
SETUP := build/.setup
ifeq ($(PROFILE),fuzz)
CC := clang
endif
# Cross-built, for the guests of that architecture.
ifeq ($(PROFILE),arm64)
SYSROOT := build/sysroot-arm64
SETUP := $(SYSROOT)/.made
CC := aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)
AR := aarch64-linux-gnu-ar
endif

PREFIX     ?= /usr
SYSCONFDIR ?= /etc
UNITDIR    ?= /lib/systemd/system
DESTDIR    ?=

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wformat=2 -Wno-unused-parameter
CFLAGS  ?= -g
ALL_CFLAGS := -std=gnu11 $(WARN) -Werror -fno-strict-aliasing -fstack-protector-strong \
	-D_GNU_SOURCE -DPCR_VERSION='"$(VERSION)"' -Iinclude -Idaemon -MMD -MP \
	$(PROFILE_CFLAGS_$(PROFILE)) $(CFLAGS)
ALL_LDFLAGS := -Wl,-z,relro,-z,now $(PROFILE_CFLAGS_$(PROFILE)) $(LDFLAGS)

DAEMON_LIBS := -lev -linih -lcgroup -ljansson -lsystemd -lpthread
CTL_LIBS    := -ljansson

# Rooms, lowest first: each may use those its line in tests/layers.sh names.
ROOMS := base sys read model policy trace act conf loop ctl app
LIBS  := $(foreach r,$(ROOMS),$(OUT)/lib/$(r).a)

src    = $(wildcard daemon/$(1)/*.c)
objs   = $(patsubst %.c,$(OUT)/obj/%.o,$(call src,$(1)))

q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

##@ Build

.PHONY: help all
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ && $$0 != room {room = $$0; printf "\n%s\n", substr($$0, 5)} \
		/^[a-zA-Z_-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

all: $(OUT)/pcpu-reclaimd $(OUT)/pcpu-reclaimctl ## the daemon and its client

# Packages the build needs: installed for root, named for others; looked at once.
build/.setup: tests/setup
	@tests/setup build
	@mkdir -p build && touch $@

build/sysroot-arm64/.made: tests/setup tests/sysroot
	@tests/setup arm64
	@tests/sysroot $(@D) && touch $@

$(OUT)/obj/%.o: %.c Makefile | $(SETUP)
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

define room_rule
$(OUT)/lib/$(1).a: $(call objs,$(1))
	$$(call say,AR,$$@)
	$$(q)mkdir -p $$(@D)
	$$(q)rm -f $$@ && $$(AR) rcsD $$@ $$^
endef
$(foreach r,$(ROOMS) client,$(eval $(call room_rule,$(r))))

$(OUT)/pcpu-reclaimd: $(OUT)/obj/daemon/main.o $(LIBS)
	$(call say,LD,$@)
	$(q)$(CC) $(ALL_LDFLAGS) -o $@ $< -Wl,--start-group $(LIBS) -Wl,--end-group $(DAEMON_LIBS)

$(OUT)/pcpu-reclaimctl: $(OUT)/lib/client.a $(OUT)/lib/base.a
	$(call say,LD,$@)
	$(q)$(CC) $(ALL_LDFLAGS) -o $@ -Wl,--whole-archive $(OUT)/lib/client.a -Wl,--no-whole-archive \
		$(OUT)/lib/base.a $(CTL_LIBS)

-include $(shell find $(OUT)/obj $(OUT)/tests -name '*.d' -type f 2>/dev/null)

include tests/tests.mk
include $(wildcard tests/*/*.mk kernel-patches/kernels.mk systemd/install.mk)

##@ Clean

.PHONY: clean
clean: ## remove what was built, kernels and guest results excepted
	rm -rf build/obj build/lib build/tests build/asan build/fault build/fuzz build/arm64 \
		build/pcpu-reclaimd build/pcpu-reclaimctl
