# SPDX-License-Identifier: GPL-2.0-only
# Test kernels; included by the top Makefile. See kernel-patches/README.md.

KERNELS ?= 6.12

.PHONY: kernels check-patches

kernels: ## build the test kernels named in KERNELS (6.12, 6.12-base, ...) into build/kernels/
	kernel-patches/build $(KERNELS)

check-patches: ## check each kernel patch: style, sparse, and that it builds by itself
	kernel-patches/check
