# LiveCue on Debian 12 with Swift 6.2 or newer. `make run` and `make test` do all the set-up themselves.

.PHONY: help run test page-test pictures schemas crash-test crash-test-proof bench build setup setup-test setup-bench format lint clean
.PHONY: test-of-the-program test-of-the-layers
.PHONY: install uninstall deb setup-deb package-test setup-package-test

# How `make run` goes: seconds until it ends by itself (0: until Ctrl-C), speed of the replay, a broker of yours.
SECONDS ?= 0
SPEED ?= 5
BROKER ?=
# How long `make crash-test` goes, and a seed to repeat a run by.
KILLS ?= 50
SEED ?=

RUN_PACKAGES   = g++ libmicrohttpd-dev libmosquitto-dev libncurses-dev libsimdjson-dev libsqlite3-dev libssl-dev libyaml-dev libsystemd-dev zlib1g-dev mosquitto
TEST_PACKAGES  = $(RUN_PACKAGES) mosquitto-clients openssl prometheus python3 python3-jsonschema python3-yaml tmux $(CHECKERS) $(BROWSER)
# They look at the overlay's page.
BROWSER        = chromium chromium-driver python3-selenium fonts-noto-cjk fonts-noto-color-emoji
# They check units, manual pages and completions.
CHECKERS       = systemd mandoc groff-base zsh fish
BENCH_PACKAGES = $(TEST_PACKAGES) python3-paho-mqtt
DEB_PACKAGES   = $(RUN_PACKAGES) debhelper dpkg-dev lintian
PACKAGE_TEST_PACKAGES = $(DEB_PACKAGES) debootstrap mosquitto-clients python3 python3-seccomp systemd

RELEASE = -c release --static-swift-stdlib
LIVECUE = .build/release/livecue
# The one place that says which version this is.
VERSION := $(shell sed -n 's/^let version = "\(.*\)"$$/\1/p' Sources/livecue/main.swift)

# Where `make install` puts things; DESTDIR goes before all of them.
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= $(PREFIX)/lib/systemd/system
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/livecue
BASHDIR = $(PREFIX)/share/bash-completion/completions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
UNITS = livecue.service livecue@.service livecue-overlay.service
DOCUMENTS = README.md config/asyncapi.yaml config/commands.schema.json
INSTALLED = $(BINDIR)/livecue $(addprefix $(UNITDIR)/,$(UNITS)) $(MANDIR)/man1/livecue.1 \
  $(MANDIR)/man5/livecue.yaml.5 $(BASHDIR)/livecue $(ZSHDIR)/_livecue $(FISHDIR)/livecue.fish

help:
	@echo "make run    install what it needs, build, and play a captured room through a private broker"
	@echo "make test   install what it needs, build, and run all tests"
	@echo "make crash-test [KILLS=50] [SEED=]"
	@echo "            install what it needs, build, and kill the daemon again and again: nothing lost, nothing twice"
	@echo "make page-test [STORM_SECONDS=300] [CAPTURE=] [STORM_SPEED=]"
	@echo "            install what it needs, build, and look at the overlay for long: in a storm, with 500 readers"
	@echo "make pictures   install what it needs, build, and make the pictures of the README"
	@echo "make bench  install what it needs, build, and measure"
	@echo "make deb    install what it needs, build, and pack livecue_$(VERSION)_amd64.deb"
	@echo "make package-test   pack it, and install, run, upgrade and purge it on a bare Debian 12"
	@echo "make install | uninstall   with PREFIX=$(PREFIX) and DESTDIR="
	@echo "make build | lint | format | clean"

run: setup build
	$(LIVECUE) demo --seconds $(SECONDS) --speed $(SPEED) $(if $(BROKER),--broker $(BROKER))

build:
	swift build $(RELEASE) --product livecue

# Many tests wait rather than compute, and each holds one of as many threads as there are cores: two programs of them
# keep the cores busy. Each program's words come when it ends.
test: setup-test
	swift build --build-tests --explicit-target-dependency-import-check error
	$(MAKE) --no-print-directory --jobs 2 --output-sync=target --keep-going test-of-the-program test-of-the-layers

test-of-the-program:
	swift test --skip-build --ignore-lock --filter '^LivecueTests[.]'

test-of-the-layers:
	swift test --skip-build --ignore-lock --skip '^LivecueTests[.]'

# The long checks of the overlay's page and streams; `make test` has the short ones. The capture of a real storm is not
# in this tree: the calm one at 170 times its speed has as many gifts a second as a storm at 20 times.
CAPTURE ?= Tests/Captures/douyin-calm.jsonl.gz
STORM_SPEED ?= 170
STORM_SECONDS ?= 300
page-test: setup-test build
	/usr/bin/python3 Tests/Page/check.py $(CURDIR)/$(LIVECUE) --strict
	/usr/bin/python3 Tests/Page/silence.py $(CURDIR)/$(LIVECUE)
	/usr/bin/python3 Tests/Page/readers.py $(CURDIR)/$(LIVECUE)
	/usr/bin/python3 Tests/Page/storm.py $(CURDIR)/$(LIVECUE) --capture $(abspath $(CAPTURE)) \
	  --speed $(STORM_SPEED) --seconds $(STORM_SECONDS)

pictures: setup-test build
	mkdir -p docs
	/usr/bin/python3 Tests/Page/pictures.py $(CURDIR)/$(LIVECUE) docs
	Tests/Pictures/terminal $(LIVECUE) docs/watch.svg

# The JSON Schema for authors of renderers, made of config/asyncapi.yaml.
schemas: setup-test
	/usr/bin/python3 Tests/AsyncAPI/schemas.py config/asyncapi.yaml >config/commands.schema.json

CRASH_TEST = .build/release/crash-test

# First that a daemon that breaks its promise is caught, then that ours keeps it.
crash-test: crash-test-proof
	$(CRASH_TEST) $(KILLS) $(SEED)

crash-test-proof: setup-test build
	swift build $(RELEASE) --product crash-test
	$(CRASH_TEST) prove

bench: setup-bench build
	swift build $(RELEASE) --product livecue-bench
	Benchmarks/run

# The program is built if it is not there; files of settings that are there stay as they are.
install: $(LIVECUE)
	install -d $(addprefix $(DESTDIR),$(sort $(dir $(INSTALLED)) $(DOCDIR)/ $(SYSCONFDIR)/livecue/profiles/))
	install -m 755 $(LIVECUE) $(DESTDIR)$(BINDIR)/livecue
	for unit in $(UNITS); do \
	  sed 's|/usr/bin/livecue|$(BINDIR)/livecue|; s|/usr/share/doc|$(PREFIX)/share/doc|' systemd/$$unit \
	    >$(DESTDIR)$(UNITDIR)/$$unit && chmod 644 $(DESTDIR)$(UNITDIR)/$$unit || exit 1; \
	done
	umask 022 && $(LIVECUE) man livecue.1 >$(DESTDIR)$(MANDIR)/man1/livecue.1
	umask 022 && $(LIVECUE) man livecue.yaml.5 >$(DESTDIR)$(MANDIR)/man5/livecue.yaml.5
	umask 022 && $(LIVECUE) completions bash >$(DESTDIR)$(BASHDIR)/livecue
	umask 022 && $(LIVECUE) completions zsh >$(DESTDIR)$(ZSHDIR)/_livecue
	umask 022 && $(LIVECUE) completions fish >$(DESTDIR)$(FISHDIR)/livecue.fish
	install -m 644 $(DOCUMENTS) $(DESTDIR)$(DOCDIR)
	install -d $(DESTDIR)$(DOCDIR)/mosquitto && install -m 644 config/mosquitto/* $(DESTDIR)$(DOCDIR)/mosquitto
	install -m 644 config/profiles/README.md $(DESTDIR)$(DOCDIR)/profiles.md
	for file in livecue.yaml $(patsubst config/%,%,$(wildcard config/profiles/*.yaml)); do \
	  target=$(DESTDIR)$(SYSCONFDIR)/livecue/$$file; \
	  [ -e $$target ] || install -m 644 config/$$file $$target || exit 1; \
	done

uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(DESTDIR)$(DOCDIR)
	@echo "settings in $(SYSCONFDIR)/livecue and journals in /var/lib/livecue are left where they are"

$(LIVECUE):
	$(MAKE) build

# Debian's tools want a folder `debian` in a tree of their own. PACKAGE_VERSION is another than the program's only
# where an upgrade is tried.
PACKAGE_VERSION ?= $(VERSION)
deb: setup-deb build
	rm -rf .build/deb && mkdir -p .build/deb/livecue
	cp -r packaging/debian .build/deb/livecue/debian
	export SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)} CHECKOUT=$(CURDIR); \
	packaging/changelog $(PACKAGE_VERSION) <CHANGELOG.md >.build/deb/livecue/debian/changelog && \
	cd .build/deb/livecue && dpkg-buildpackage -b -us -uc
	lintian --fail-on error,warning .build/deb/livecue_$(PACKAGE_VERSION)_amd64.deb
	cp .build/deb/livecue_$(PACKAGE_VERSION)_amd64.deb .

# Needs to be root: it installs the package on a bare Debian 12 of its own, in a folder.
package-test: setup-package-test deb
	Tests/Package/run livecue_$(VERSION)_amd64.deb

# Installs the packages of a list that are missing, as root or with sudo, and says so.
define install
	@missing=""; for package in $(1); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -z "$$missing" ]; then echo "packages: all there"; else \
	  echo "packages: installing$$missing"; \
	  as_root=""; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  $$as_root apt-get update -q && \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; \
	fi
endef

setup:
	$(call install,$(RUN_PACKAGES))

setup-test:
	$(call install,$(TEST_PACKAGES))

setup-deb:
	$(call install,$(DEB_PACKAGES))

setup-package-test:
	$(call install,$(PACKAGE_TEST_PACKAGES))

setup-bench:
	$(call install,$(BENCH_PACKAGES))

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks/livecue-bench

# The formatter leaves long comments alone.
lint:
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	@! LC_ALL=C.UTF-8 grep -rnP --include='*.swift' '^(?=\s*//).{111}' $(SWIFT_SOURCES) || { echo "a comment is wider than 110 columns"; exit 1; }

format:
	swift format --in-place --recursive $(SWIFT_SOURCES)

clean:
	rm -rf .build
