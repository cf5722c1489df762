# SPDX-License-Identifier: GPL-2.0-or-later
# Where things go. Every file is named once, so that uninstall and its test know all.

SBIN := $(DESTDIR)$(PREFIX)/sbin
BIN  := $(DESTDIR)$(PREFIX)/bin
MAN  := $(DESTDIR)$(PREFIX)/share/man
CATALOG := $(DESTDIR)$(PREFIX)/lib/systemd/catalog
DOC  := $(DESTDIR)$(PREFIX)/share/doc/pcpu-reclaimd
ETC  := $(DESTDIR)$(SYSCONFDIR)/pcpu-reclaimd
UNIT := $(DESTDIR)$(UNITDIR)
UNITS := pcpu-reclaimd.service pcpu-reclaimd.socket \
	pcpu-reclaimd-metrics@.service pcpu-reclaimd-metrics.socket
SYSUSERS := $(DESTDIR)$(PREFIX)/lib/sysusers.d
BASHCOMP := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
# Debian's folder for what packages bring; others have site-functions.
ZSHDIR   ?= $(PREFIX)/share/zsh/vendor-completions
ZSHCOMP  := $(DESTDIR)$(ZSHDIR)

##@ Install

.PHONY: install uninstall
install: all ## into DESTDIR: programs, unit, settings, manual pages (settings of yours stay)
	install -D -m 0755 $(OUT)/pcpu-reclaimd $(SBIN)/pcpu-reclaimd
	install -D -m 0755 $(OUT)/pcpu-reclaimctl $(BIN)/pcpu-reclaimctl
	install -D -m 0644 -t $(UNIT) $(addprefix systemd/,$(UNITS))
	install -D -m 0644 -t $(CATALOG) systemd/pcpu-reclaimd.catalog
	install -D -m 0644 systemd/pcpu-reclaimd.sysusers $(SYSUSERS)/pcpu-reclaimd.conf
	install -D -m 0644 systemd/completion/pcpu-reclaimctl.bash $(BASHCOMP)/pcpu-reclaimctl
	install -D -m 0644 -t $(ZSHCOMP) systemd/completion/_pcpu-reclaimctl
	install -d -m 0755 $(ETC)/conf.d
	test -e $(ETC)/pcpu-reclaimd.conf || install -m 0644 conf/pcpu-reclaimd.conf $(ETC)/pcpu-reclaimd.conf
	install -D -m 0644 -t $(MAN)/man8 man/pcpu-reclaimd.8
	install -D -m 0644 -t $(MAN)/man1 man/pcpu-reclaimctl.1
	install -D -m 0644 -t $(MAN)/man5 man/pcpu-reclaimd.conf.5 man/pcpu-reclaimd-metrics.5
	install -D -m 0644 -t $(DOC) README.md CHANGELOG.md COPYING
	install -D -m 0644 -t $(DOC)/examples systemd/fanotify.conf

uninstall: ## what install put there; changed settings stay
	rm -f $(SBIN)/pcpu-reclaimd $(BIN)/pcpu-reclaimctl
	rm -f $(addprefix $(UNIT)/,$(UNITS))
	rm -f $(CATALOG)/pcpu-reclaimd.catalog
	rm -f $(SYSUSERS)/pcpu-reclaimd.conf
	rm -f $(BASHCOMP)/pcpu-reclaimctl $(ZSHCOMP)/_pcpu-reclaimctl
	rm -f $(MAN)/man8/pcpu-reclaimd.8 $(MAN)/man1/pcpu-reclaimctl.1
	rm -f $(MAN)/man5/pcpu-reclaimd.conf.5 $(MAN)/man5/pcpu-reclaimd-metrics.5
	if cmp -s conf/pcpu-reclaimd.conf $(ETC)/pcpu-reclaimd.conf; then rm -f $(ETC)/pcpu-reclaimd.conf; fi
	rm -rf $(DOC)
	-rmdir $(ETC)/conf.d $(ETC) 2>/dev/null || true

# Debian packages, built without a network from the tree as it is: a copy of it gets
# systemd/deb as its debian/, since what a tree is packaged with is not for every
# user of it to have at the top.
DEB_DIRS := daemon include conf systemd kernel-patches man
DEB_SRC  := Makefile README.md HACKING.md CHANGELOG.md COPYING tests/setup \
	$(wildcard tests/*.mk tests/*/*.mk) $(shell find $(DEB_DIRS) -type f)
DEB      := build/deb

.PHONY: deb
deb: $(DEB)/.made ## Debian packages into build/deb: the daemon, and the kernel patches

$(DEB)/.made: $(DEB_SRC)
	@tests/setup build deb
	$(call say,DEB,$(DEB))
	$(q)rm -rf $(DEB) && mkdir -p $(DEB)/src
	$(q)tar -cf - $(DEB_SRC) | tar -C $(DEB)/src -xf -
	$(q)cp -r systemd/deb $(DEB)/src/debian
	$(q)cd $(DEB)/src && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS DEB_BUILD_OPTIONS="nocheck $(DEB_BUILD_OPTIONS)" \
		dpkg-buildpackage -b -us -uc >../log 2>&1 || { tail -n 30 ../log; exit 1; }
	$(q)rm -rf $(DEB)/src && touch $@
