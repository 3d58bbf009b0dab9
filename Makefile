# The two that a newcomer needs: `make demo` shows it work, `make test` checks everything. `make help` tells the rest.

SWIFT ?= swift
# Debian's own, and not one of a version manager: gpsd's Python module is there.
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=

checked = --explicit-target-dependency-import-check error
release = $(SWIFT) build -c release --static-swift-stdlib --disable-index-store $(checked)
lib = $(DESTDIR)$(PREFIX)/lib

.PHONY: build release demo test simulate fuzz mutants sanitize nightly docs lint install uninstall clean help
.DEFAULT_GOAL := build

build: ## Build for debugging
	@.ci/packages build
	$(SWIFT) build $(checked)

release: ## Build for use, with the Swift runtime linked in
	@.ci/packages build
	$(release)

demo: ## Show simulated sensors in this terminal for some seconds, without installing the daemon
	@.ci/packages build
	@.ci/demo

test: ## Run every check: build, lint, unit tests, process tests, systemd units, a virtual machine with a sensor
	@.ci/packages test
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/test

simulate: ## Try to break delivery in virtual time, with devices and clients at random, for SECONDS (60)
	@$(SWIFT) build -c release --product simulate
	@.build/release/simulate $(or $(SECONDS),60)

fuzz: ## Feed inputs of a fuzzer's making to TARGET (gpsd, varlink, service, delivery; else each in turn) for SECONDS (60)
	@Fuzz/run $(or $(SECONDS),60) $(TARGET)

mutants: ## Show that the simulation notices when the core of delivery is broken; takes minutes
	@Tests/Simulation/mutate

sanitize: ## Run all Swift tests under the address sanitizer, and then under the thread sanitizer; takes long
	@.ci/sanitize $(SANITIZER)

nightly: ## Run what is too long for each change: the sanitizers, and each fuzzer for a minute
	@.ci/packages test
	@.ci/sanitize
	@Fuzz/run $(or $(SECONDS),60)

docs: ## Build the client library's documentation; links that lead nowhere are errors
	@.ci/docs

lint: ## Check the form of the Swift sources
	$(SWIFT) format lint --strict -r Package.swift Sources Tests Examples/Package.swift Examples/Sources Examples/Tests

install: ## Install what `make release` built; PREFIX (/usr/local) and DESTDIR are respected
	@test -x .build/release/sensorbrokerd || { echo 'Run `make release` first.' >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/sbin .build/release/sensorbrokerd
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin .build/release/sensorctl
	install -D -m 644 -t $(lib)/systemd/system systemd/sensorbrokerd.service systemd/sensorbrokerd.socket systemd/sensorbrokerd-admin.socket
	sed -i -e 's,^ExecStart=/usr/sbin/,ExecStart=$(PREFIX)/sbin/,' -e 's,^ExecReload=+/usr/bin/,ExecReload=+$(PREFIX)/bin/,' $(lib)/systemd/system/sensorbrokerd.service
	install -D -m 644 systemd/sensorbroker.sysusers.conf $(lib)/sysusers.d/sensorbroker.conf
	install -D -m 644 systemd/sensorbroker.tmpfiles.conf $(lib)/tmpfiles.d/sensorbroker.conf
	install -D -m 644 -t $(lib)/udev/rules.d systemd/70-sensorbroker.rules
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sensorbroker docs/configuration.md docs/sensorbrokerd.conf
	@test -n '$(DESTDIR)' || { echo 'To start it, as root:'; \
	  echo '  systemd-sysusers && systemd-tmpfiles --create && udevadm control --reload && udevadm trigger -s iio'; \
	  echo '  systemctl daemon-reload && systemctl enable --now sensorbrokerd.socket sensorbrokerd-admin.socket'; }

uninstall: ## Remove what `make install` installed
	rm -f $(DESTDIR)$(PREFIX)/sbin/sensorbrokerd $(DESTDIR)$(PREFIX)/bin/sensorctl
	rm -f $(addprefix $(lib)/systemd/system/sensorbrokerd,.service .socket -admin.socket)
	rm -f $(lib)/sysusers.d/sensorbroker.conf $(lib)/tmpfiles.d/sensorbroker.conf $(lib)/udev/rules.d/70-sensorbroker.rules
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/sensorbroker

clean: ## Remove everything that was built
	rm -rf .build Examples/.build Fuzz/.build .venv Tests/System/__pycache__ .pytest_cache

help: ## This
	@sed -nE 's/^([a-z]+): ## (.*)/  make \1 \2/p' Makefile | awk '{ printf "  make %-10s", $$2; $$1 = $$2 = ""; print substr($$0, 2) }'

# Remade when the requirements change; otherwise no network is needed.
.venv/ready: Tests/System/requirements.txt
	rm -rf .venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@
