# SPDX-License-Identifier: GPL-2.0-only
# Test kernels; included by the top Makefile. See kernel-patches/README.md.

KERNELS ?= 6.12

.PHONY: kernels kernel-deb check-patches

kernels: ## build the test kernels named in KERNELS (6.12, 6.12-base, ...) into build/kernels/
	kernel-patches/build $(KERNELS)

kernel-deb: ## Debian packages of a patched kernel: KERNEL=6.1|6.12 CONFIG=/boot/config-..., for a guest without CONFIG
	kernel-patches/deb $(or $(KERNEL),6.12) $(CONFIG)

check-patches: ## check each kernel patch: style, sparse, and that it builds by itself
	kernel-patches/check
