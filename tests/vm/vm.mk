# SPDX-License-Identifier: GPL-2.0-or-later
# Guests: the daemon on a real kernel. Included by the top Makefile; see
# tests/vm/README.md.

##@ Guests

TIER   ?= quick
KERNEL ?=

.PHONY: check-vm check-neutral demo

check-vm: all ## scenarios in emulated guests: TIER=quick|full, KERNEL=, SCENARIO=
	$(q)KERNEL=$(KERNEL) SCENARIO=$(SCENARIO) tests/vm/check $(TIER)

LINE ?= 6.12

check-neutral: all ## a patched kernel with its knobs untouched against the stock one, in instructions: LINE=6.12
	$(q)tests/vm/neutral $(LINE)

demo: all ## two cgroup storms before and after the daemon: KERNEL=6.12|stock
	$(q)tests/vm/demo $(KERNEL)
