# SPDX-License-Identifier: GPL-2.0-or-later
# The client is no room of the daemon: only its own tests link it.

$(OUT)/tests/unit/test_client_%: CHECK_LIBS := $(OUT)/lib/client.a $(OUT)/lib/base.a $(CHECK_LIBS)
