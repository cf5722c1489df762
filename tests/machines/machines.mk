# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon on machines somebody recorded; see tests/machines/README.md.

##@ Test

.PHONY: machines machines-covers
machines: $(OUT)/pcpu-reclaimd $(OUT)/tests/integration/ask ## the daemon on recorded machines: UPDATE=-u writes their expectations
	@tests/machines/run $(OUT) $(UPDATE)
	@$(MAKE) --no-print-directory PROFILE=fault machines-covers

machines-covers: $(OUT)/pcpu-reclaimd-fault $(OUT)/tests/integration/ask
	@tests/machines/covers $(OUT)
