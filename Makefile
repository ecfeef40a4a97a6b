# LiveCue on Debian 12 with Swift 6.2 or newer. `make run` and `make test` do all the set-up themselves.

.PHONY: help run test bench build setup setup-test setup-bench format lint clean

# How `make run` goes: seconds until it ends by itself (0: until Ctrl-C), speed of the replay, a broker of yours.
SECONDS ?= 0
SPEED ?= 5
BROKER ?=

RUN_PACKAGES   = g++ libmosquitto-dev libsimdjson-dev libsqlite3-dev libyaml-dev libsystemd-dev zlib1g-dev mosquitto
TEST_PACKAGES  = $(RUN_PACKAGES) mosquitto-clients python3 python3-jsonschema python3-yaml
BENCH_PACKAGES = $(TEST_PACKAGES) python3-paho-mqtt

RELEASE = -c release --static-swift-stdlib
LIVECUE = .build/release/livecue

help:
	@echo "make run    install what it needs, build, and play a captured room through a private broker"
	@echo "make test   install what it needs, build, and run all tests"
	@echo "make bench  install what it needs, build, and measure"
	@echo "make build | lint | format | clean"

run: setup build
	$(LIVECUE) demo --seconds $(SECONDS) --speed $(SPEED) $(if $(BROKER),--broker $(BROKER))

build:
	swift build $(RELEASE) --product livecue

test: setup-test
	swift build --build-tests --explicit-target-dependency-import-check error
	swift test --skip-build

bench: setup-bench build
	swift build $(RELEASE) --product livecue-bench
	Benchmarks/run

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

setup-bench:
	$(call install,$(BENCH_PACKAGES))

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks/livecue-bench

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks/livecue-bench

clean:
	rm -rf .build
