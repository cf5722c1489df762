# SPDX-License-Identifier: GPL-2.0-or-later
# Where things go. Every file is named once, so that uninstall and its test know all.

SBIN := $(DESTDIR)$(PREFIX)/sbin
BIN  := $(DESTDIR)$(PREFIX)/bin
MAN  := $(DESTDIR)$(PREFIX)/share/man
CATALOG := $(DESTDIR)$(PREFIX)/lib/systemd/catalog
DOC  := $(DESTDIR)$(PREFIX)/share/doc/pcpu-reclaimd
ETC  := $(DESTDIR)$(SYSCONFDIR)/pcpu-reclaimd
UNIT := $(DESTDIR)$(UNITDIR)

##@ Install

.PHONY: install uninstall
install: all ## into DESTDIR: programs, unit, settings, manual pages (settings of yours stay)
	install -D -m 0755 $(OUT)/pcpu-reclaimd $(SBIN)/pcpu-reclaimd
	install -D -m 0755 $(OUT)/pcpu-reclaimctl $(BIN)/pcpu-reclaimctl
	install -D -m 0644 -t $(UNIT) systemd/pcpu-reclaimd.service systemd/pcpu-reclaimd.socket
	install -D -m 0644 -t $(CATALOG) systemd/pcpu-reclaimd.catalog
	install -d -m 0755 $(ETC)/conf.d
	test -e $(ETC)/pcpu-reclaimd.conf || install -m 0644 conf/pcpu-reclaimd.conf $(ETC)/pcpu-reclaimd.conf
	install -D -m 0644 -t $(MAN)/man8 man/pcpu-reclaimd.8
	install -D -m 0644 -t $(MAN)/man1 man/pcpu-reclaimctl.1
	install -D -m 0644 -t $(MAN)/man5 man/pcpu-reclaimd.conf.5
	install -D -m 0644 -t $(DOC) README.md CHANGELOG.md COPYING

uninstall: ## what install put there; changed settings stay
	rm -f $(SBIN)/pcpu-reclaimd $(BIN)/pcpu-reclaimctl
	rm -f $(UNIT)/pcpu-reclaimd.service $(UNIT)/pcpu-reclaimd.socket
	rm -f $(CATALOG)/pcpu-reclaimd.catalog
	rm -f $(MAN)/man8/pcpu-reclaimd.8 $(MAN)/man1/pcpu-reclaimctl.1 $(MAN)/man5/pcpu-reclaimd.conf.5
	if cmp -s conf/pcpu-reclaimd.conf $(ETC)/pcpu-reclaimd.conf; then rm -f $(ETC)/pcpu-reclaimd.conf; fi
	rm -rf $(DOC)
	-rmdir $(ETC)/conf.d $(ETC) 2>/dev/null || true
