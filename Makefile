# For newcomers: `make demo` shows the programs at work, `make test` checks everything, and `make help` lists the rest.

SWIFT ?= swift
# Debian's Python, not a version manager's: it has gpsd's module.
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=
# Paths that packagers may set independently of PREFIX.
UNITS ?= $(PREFIX)/lib/systemd/system
RULES ?= $(PREFIX)/lib/udev/rules.d
ZSH ?= $(PREFIX)/share/zsh/site-functions
CONFIGURATION ?=
# What is installed beside the daemon; packages of their own have it too.
INSTALLED_CLIENTS ?= c
# dbus-daemon reads policies from /usr and from /etc only.
BUS_POLICY ?= $(if $(filter /usr,$(PREFIX)),/usr/share,/etc)/dbus-1/system.d
# Installs the packages that a build needs; `true` skips that.
PACKAGES ?= .ci/packages

checked = --explicit-target-dependency-import-check error
# The same bytes wherever it is built: no path in what is for debuggers, neither of the sources nor of compiled C headers, and no hash of
# the compiler's own files, whose names have paths.
alike = -Xswiftc -file-prefix-map -Xswiftc '$(CURDIR)=.' \
  $(addprefix -Xswiftc ,-Xfrontend -no-clang-module-breadcrumbs -Xfrontend -disable-incremental-llvm-codegen)
# Each function in a section of its own, for the linker to lay them in the order of CLinux/functions.order.
placeable = $(addprefix -Xswiftc ,-Xfrontend -function-sections)
# How many processors it may use; by default all.
JOBS ?=
release = $(SWIFT) build -c release $(addprefix -j ,$(JOBS)) --static-swift-stdlib --disable-index-store $(checked) $(alike) $(placeable)
lib = $(DESTDIR)$(PREFIX)/lib
share = $(DESTDIR)$(PREFIX)/share
# The journal's explanations of our messages. A user who installs into another directory may not be allowed to change them.
update_catalog = test -n '$(DESTDIR)' || ! command -v journalctl >/dev/null || journalctl --update-catalog \
  || echo 'The journal does not explain the messages yet; as root: journalctl --update-catalog' >&2
clients = $(MAKE) -C Clients/$(client) BUILD='$(CURDIR)/.build/clients-$(client)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' CC='$(or $(shell command -v cc),clang)'
desktop_units = $(addprefix systemd/sensorbroker-,desktop.service nmea.service nmea.socket)
pages = $(filter-out docs/man/sensorbroker-desktop.8,$(wildcard docs/man/*))
units = $(addprefix systemd/sensorbrokerd,.service .socket -admin.socket -feed.socket @.service @.socket -admin@.socket -feed@.socket) \
  $(addprefix systemd/sensorbroker,-metrics.service -metrics.timer -record@.service)

.PHONY: build release demo pictures test test-machines test-all test-busy chaos simulate restarts fuzz soak mutants bench bench-quick bench-faults bench-clients bench-fleet bench-desktop bench-battery bench-adc bench-growth bench-instructions bench-motion profile layout sanitize coverage nightly docs api generated lint \
	install install-desktop install-mqtt uninstall-mqtt uninstall install-swift deb reproducible debian13 arm64 clean help
.DEFAULT_GOAL := build

build: ## Build for debugging
	@$(PACKAGES) build
	$(SWIFT) build $(checked)

release: ## Build for use, with the Swift runtime linked in
	@$(PACKAGES) build
	$(release) --product sensorbrokerd
	$(release) --product sensorctl
	$(release) --product sensorbroker-desktop
	$(release) --product sensorbroker-mqtt
	$(release) --product sensorbroker-fleet

demo: ## Show simulated sensors in this terminal for some seconds, without installing the daemon
	@$(PACKAGES) build
	@.ci/demo

test: ## Run what shows whether a change is right: build, lint, unit tests, tests of processes with the real servers (ten minutes)
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/leftovers .ci/test quick

test-machines: ## Run the rest: virtual machines with a real kernel and with the packages under systemd, and all that is built apart
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/leftovers .ci/test machines

test-all: ## Run both, with one sum
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/leftovers .ci/test all

test-busy: ## Run test-all, or another TARGET, beside LOOPS (4) busy loops: no check may depend on the host's speed
	@.ci/busy $(or $(LOOPS),4) $(MAKE) --no-print-directory $(or $(TARGET),test-all)

simulate: ## Try to break delivery, and then a whole broker, in virtual time, with devices, programs and clients at random, for SECONDS (60) each
	@$(SWIFT) build -c release --product simulate
	@.build/release/simulate $(or $(SECONDS),60)
	@$(SWIFT) build -c release --product simulate-host
	@.build/release/simulate-host $(or $(SECONDS),60)

restarts: ## Restart a daemon 100 times under 100 clients, kill it 100 times more, and print what that cost them
	@$(SWIFT) build --product sensorbrokerd
	@$(MAKE) --no-print-directory .venv/ready
	@.venv/bin/python Tests/System/restarts.py
	@.venv/bin/python Tests/System/restarts.py --crash --stall 100 30

fuzz: ## Run the fuzzer on TARGET (gpsd, iiod, varlink, service, delivery, spool, connection; by default each in turn) for SECONDS (60)
	@Fuzz/run $(or $(SECONDS),60) $(TARGET)

soak: ## Hundreds of clients and a fault every few seconds, for MINUTES (5); nothing may be lost in silence, or left behind
	@$(SWIFT) build --product sensorbrokerd
	@$(MAKE) --no-print-directory .venv/ready
	@.venv/bin/python Tests/System/soak.py $(or $(MINUTES),5)

mutants: ## Show that the simulation notices when the core of delivery is broken; takes minutes
	@Tests/Broker/Simulation/mutate

sanitize: ## Run all Swift tests under the address sanitizer, and then under the thread sanitizer; takes long
	@.ci/sanitize $(SANITIZER)

nightly: ## Run each target that no change waits for, in its shortest form: sanitizers, fuzzers, benchmarks; SECONDS (60) for each that is endless
	@$(PACKAGES) test
	@$(PACKAGES) bench
	@$(PACKAGES) package
	@$(MAKE) --no-print-directory .venv/ready
	@SECONDS_EACH=$(or $(SECONDS),60) .ci/nightly

chaos: ## Break the network, the server and the host of sensorbroker-mqtt in many ways; takes long
	@$(PACKAGES) test
	@$(SWIFT) build --product sensorbrokerd
	@$(SWIFT) build --product sensorbroker-mqtt
	@$(SWIFT) build --product sensorbroker-fleet
	@$(MAKE) --no-print-directory .venv/ready
	@CHAOS_SEEDS=$(or $(SEEDS),8) CHAOS_FAULTS=30 .venv/bin/python -m pytest -n 2 Tests/System/test_mqtt_chaos.py
	@INGEST_FAULTS=100 .venv/bin/python -m pytest Tests/System/test_fleet_chaos.py
	@SERVER_KILLS=10 .venv/bin/python -m pytest Tests/System/test_mqtt.py -k killed_server
	@CHAOS_SEEDS=$(or $(SEEDS),8)0 $(SWIFT) test --filter 'FleetProgramTests.ChaosTests'
	@POWER_CUTS=$(or $(CUTS),100) Tests/VM/run test_power_cuts.py

# Where the results of benchmarks go: they belong to a release, not to the sources. QUICK=1: the shortest form of each, which shows that it
# works and measures nothing.
results = Benchmarks/.build/$(if $(QUICK),quick,results)

bench: ## Measure the broker beside gpsd, iiod, D-Bus and a bare C loop; results and pictures go to Benchmarks/.build/results (30 minutes)
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks ready
	@$(release) --product sensorbrokerd
	@mkdir -p $(results)
	@Benchmarks/.venv/bin/python Benchmarks/bench.py $(if $(QUICK),--quick) --out $(results)

bench-quick: ## The same with fewer cases and one round, in under two minutes: one line per figure
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks ready
	@$(release) --product sensorbrokerd
	@Benchmarks/.venv/bin/python Benchmarks/bench.py --quick

bench-faults: ## Measure what attacks cost the daemon and its other clients, compared with the cost without them (three minutes)
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks ready
	@$(release) --product sensorbrokerd
	@Benchmarks/.venv/bin/python Benchmarks/bench.py $(if $(QUICK),--quick) --suites faults --rounds 1 --out Benchmarks/.build/faults

bench-clients: ## Measure what a reading costs a client in C or Python, beside a bare loop and gpsd's own libraries (six minutes)
	@$(PACKAGES) bench
	@mkdir -p $(results)
	@$(PYTHON) Benchmarks/clients.py $(if $(QUICK),--quick,--callgrind) --out $(results)/clients.txt

bench-fleet: ## Measure sensorbroker-mqtt beside the least that a program in C can do, what a fleet costs a server, and its way into PostgreSQL (30 minutes)
	@$(PACKAGES) bench
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory -C Benchmarks all
	@$(MAKE) --no-print-directory .venv/ready
	@$(release) --product sensorbrokerd
	@$(release) --product sensorbroker-mqtt
	@mkdir -p $(results)
	@.venv/bin/python Benchmarks/bridge.py $(if $(QUICK),--rounds 1 --only costs) --out $(results)/fleet.txt
	@.venv/bin/python Benchmarks/crowd.py $(if $(QUICK),--rounds 1) --out $(results)/fleet-server.txt
	@.venv/bin/python Benchmarks/ingest.py $(if $(QUICK),--rounds 1 --messages 4000) --out $(results)/fleet-ingest.txt

bench-desktop: ## Measure what the desktop's service costs on this processor, beside iio-sensor-proxy, which is fetched (as root; 15 minutes)
	@$(PACKAGES) test
	@$(MAKE) --no-print-directory .venv/ready
	@$(release) --product sensorbrokerd
	@$(release) --product sensorbroker-desktop
	@Tests/VM/fetch
	@mkdir -p $(results)
	@.venv/bin/python Benchmarks/desktop.py $(if $(QUICK),--seconds 5 --rounds 1) --out $(results)/desktop.txt

# What the benchmarks of a phone need.
define phone
	@$(PACKAGES) test
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory .venv/ready
	@$(release) --product sensorbrokerd
	@$(release) --product sensorbroker-desktop
	@$(release) --product sensorbroker-mqtt
endef

bench-battery: ## Measure what a phone's sensors cost its battery: wake-ups and time, beside iio-sensor-proxy, gpsd and mosquitto_pub (as root; 20 minutes)
	$(phone)
	@Tests/VM/fetch
	@mkdir -p $(results)
	@.venv/bin/python Benchmarks/battery.py $(if $(QUICK),--quick) --out $(results)/battery.txt

bench-adc: ## Measure one client of a converter of 1 MHz beside libiio's iio_readdev (three minutes)
	@$(PACKAGES) bench
	@$(release) --product sensorbrokerd
	@mkdir -p $(results)
	@$(PYTHON) Benchmarks/adc.py $(if $(QUICK),--quick) --out $(results)/adc.txt

bench-growth: ## Count how the daemon's cost grows with clients, lanes, labels, alignments, devices and programs, by valgrind (15 minutes)
	@$(PACKAGES) bench
	@$(release) --product sensorbrokerd
	@mkdir -p $(results)
	@$(PYTHON) Benchmarks/growth.py $(if $(QUICK),--quick) --out $(results)/growth.txt

bench-instructions: ## Count the instructions of a message beside a loop in C, and of a phone's hour, the kernel's included (15 minutes)
	$(phone)
	@mkdir -p $(results)
	@$(PYTHON) Benchmarks/messages.py $(if $(QUICK),--seconds 5) --out $(results)/messages.txt
	@$(if $(QUICK),VM_SECONDS=5) Tests/VM/count battery

bench-motion: ## Measure the motion filter beside vqf, imufusion and ahrs of PyPI, which are fetched, on a simulated motion or on TRIALS with SHIFT (ten minutes)
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks motion
	@$(release) --product sensorbrokerd
	@mkdir -p $(results)
	@Benchmarks/.build/motion-venv/bin/python Benchmarks/motion.py $(if $(QUICK),--quick) $(if $(TRIALS),--trials '$(TRIALS)' --shift $(or $(SHIFT),0)) --out $(results)/motion.txt

profile: ## Show what the daemon's serving thread does, by perf, with CLIENTS (100) of KIND (acceleration) for SECONDS (5)
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks all
	@$(release) --product sensorbrokerd
	@$(PYTHON) Benchmarks/hotspots.py --clients $(or $(CLIENTS),100) --kind '$(or $(KIND),acceleration)' --seconds $(or $(SECONDS),5)

layout: ## Write the order in which the linker lays the daemon's functions again, from what readings call, by valgrind (two minutes)
	@$(PACKAGES) bench
	@$(MAKE) --no-print-directory -C Benchmarks all
	@$(release) --product sensorbrokerd
	@$(PYTHON) Benchmarks/layout.py --out $(or $(LAYOUT),CLinux/functions.order)
# So that it is linked again: the order is no source.
	@rm -f .build/release/sensorbrokerd

coverage: ## Show which part of the lines the tests reach, by target; unit tests and process tests together
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/coverage

docs: ## Build the client library's documentation; links that lead nowhere are errors
	@.ci/docs

generated: ## Write what follows from tables again: completions, manuals, examples of configurations, the list of rooms
	@.ci/tables
	@for program in sensorctl sensorbrokerd sensorbroker-mqtt; do $(SWIFT) build --product $$program || exit; done
	@.build/debug/sensorctl generate .
	@.build/debug/sensorbrokerd --generate .
	@.build/debug/sensorbroker-mqtt --generate .

api: ## List the public declarations of the Swift library in docs/api, where a review sees each change of them
	@$(SWIFT) build --target SensorBrokerSimulation
	@$(SWIFT) build --target SensorBrokerTesting
	@$(SWIFT) build --target SensorBrokerTestTraits
	@.ci/api

pictures: ## Make the pictures of the README again, from simulated sensors in a headless browser and a terminal
	@$(PACKAGES) test
	@$(SWIFT) build
	@$(MAKE) --no-print-directory .venv/ready
	@.venv/bin/python .ci/pictures

lint: ## Check the form of the Swift sources
	$(SWIFT) format lint --strict -r Package.swift Sources Tests Examples/Package.swift Examples/Sources Examples/Tests Benchmarks/Package.swift Benchmarks/Sources/micro Benchmarks/Sources/motion-bench

install: ## Install what `make release` built; PREFIX (/usr/local) and DESTDIR are respected
	@test -x .build/release/sensorbrokerd || { echo 'Run `make release` first.' >&2; exit 1; }
	@# Where it was before: a unit of yours would go on starting an old one.
	rm -f $(DESTDIR)$(PREFIX)/sbin/sensorbrokerd
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin .build/release/sensorbrokerd .build/release/sensorctl
	install -D -m 644 -t $(DESTDIR)$(UNITS) $(units)
	sed -i -e 's,^ExecStart=/usr/bin/,ExecStart=$(PREFIX)/bin/,' -e 's,^ExecReload=+/usr/bin/,ExecReload=+$(PREFIX)/bin/,' $(DESTDIR)$(UNITS)/sensorbrokerd.service $(DESTDIR)$(UNITS)/sensorbrokerd@.service
	sed -i -e 's,^ExecStart=/usr/bin/,ExecStart=$(PREFIX)/bin/,' -e 's,file:///usr/,file://$(PREFIX)/,' $(addprefix $(DESTDIR)$(UNITS)/sensorbroker,-metrics.service -record@.service)
	install -D -m 644 -t $(DESTDIR)$(RULES) systemd/70-sensorbroker.rules
	install -D -m 644 -t $(lib)/systemd/user systemd/sensorbroker-mock@.service
	sed -i 's,^ExecStart=/usr/bin/,ExecStart=$(PREFIX)/bin/,; s,file:///usr/,file://$(PREFIX)/,' $(lib)/systemd/user/sensorbroker-mock@.service
	install -D -m 644 -t $(share)/sensorbroker/scenarios Sources/Devices/Scenarios/Shipped/*.scenario
	install -D -m 644 systemd/sensorbroker.sysusers.conf $(lib)/sysusers.d/sensorbroker.conf
	install -D -m 644 systemd/sensorbroker.tmpfiles.conf $(lib)/tmpfiles.d/sensorbroker.conf
	install -D -m 644 systemd/sensorbroker.catalog $(lib)/systemd/catalog/sensorbroker.catalog
	for page in $(pages); do install -D -m 644 -t $(share)/man/man$${page##*.} $$page; done
	install -D -m 644 completions/sensorctl.bash $(share)/bash-completion/completions/sensorctl
	install -D -m 644 completions/sensorctl.fish $(share)/fish/vendor_completions.d/sensorctl.fish
	install -D -m 644 completions/sensorctl.zsh $(DESTDIR)$(ZSH)/_sensorctl
	install -D -m 644 -t $(share)/doc/sensorbroker docs/*.md docs/sensorbrokerd.conf docs/grafana.json docs/grafana-fleet.json docs/alerts.yml
	install -D -m 644 -t $(share)/doc/sensorbroker/pictures docs/pictures/*
	test -z '$(CONFIGURATION)' || install -D -m 644 -t $(DESTDIR)$(CONFIGURATION) docs/sensorbrokerd.conf
	$(foreach client,$(INSTALLED_CLIENTS),$(clients) install)
	@$(update_catalog)
	@test -n '$(DESTDIR)' || { echo 'To start it, as root:'; \
	  echo '  systemd-sysusers && systemd-tmpfiles --create && udevadm control --reload && udevadm trigger -s iio'; \
	  echo '  systemctl daemon-reload && systemctl enable --now sensorbrokerd.socket sensorbrokerd-admin.socket sensorbrokerd-feed.socket'; }

install-desktop: ## Install iio-sensor-proxy's interface and the location for geoclue, which `make release` built
	@test -x .build/release/sensorbroker-desktop || { echo 'Run `make release` first.' >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec .build/release/sensorbroker-desktop
	install -D -m 644 -t $(DESTDIR)$(UNITS) $(desktop_units)
	sed -i 's,^ExecStart=/usr/libexec/,ExecStart=$(PREFIX)/libexec/,' $(DESTDIR)$(UNITS)/sensorbroker-desktop.service $(DESTDIR)$(UNITS)/sensorbroker-nmea.service
	install -D -m 644 -t $(DESTDIR)$(RULES) systemd/80-sensorbroker-desktop.rules
	install -D -m 644 systemd/sensorbroker-desktop.sysusers.conf $(lib)/sysusers.d/sensorbroker-desktop.conf
	install -D -m 644 -t $(share)/dbus-1/system-services systemd/net.hadess.SensorProxy.service
	install -D -m 644 -t $(DESTDIR)$(BUS_POLICY) systemd/net.hadess.SensorProxy.conf
	install -D -m 644 -t $(share)/metainfo systemd/io.sensorbroker.desktop.metainfo.xml
	install -D -m 644 -t $(share)/man/man8 docs/man/sensorbroker-desktop.8
	@test -n '$(DESTDIR)' || { echo 'To start it, as root, without iio-sensor-proxy:'; \
	  echo '  systemd-sysusers && systemctl daemon-reload && systemctl reload dbus && udevadm control --reload'; \
	  echo '  systemctl enable --now sensorbroker-desktop.service sensorbroker-nmea.socket'; }

install-mqtt: ## Install sensorbroker-mqtt, which sends readings to an MQTT server, and what `sensorctl fleet` runs
	@test -x .build/release/sensorbroker-mqtt || { echo 'Run `make release` first.' >&2; exit 1; }
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/sbin .build/release/sensorbroker-mqtt
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec .build/release/sensorbroker-fleet
	install -D -m 644 -t $(DESTDIR)$(UNITS) systemd/sensorbroker-mqtt.service
	sed -i 's,^ExecStart=/usr/sbin/,ExecStart=$(PREFIX)/sbin/,' $(DESTDIR)$(UNITS)/sensorbroker-mqtt.service
	install -D -m 644 systemd/sensorbroker-mqtt.sysusers.conf $(lib)/sysusers.d/sensorbroker-mqtt.conf
	install -D -m 644 -t $(share)/man/man5 docs/mqtt/sensorbroker-mqtt.conf.5
	install -D -m 644 -t $(share)/man/man1 docs/mqtt/sensorbroker-fleet.1
	install -D -m 644 -t $(share)/man/man8 docs/mqtt/sensorbroker-mqtt.8
	install -D -m 644 -t $(share)/doc/sensorbroker-mqtt docs/mqtt/sensorbroker-mqtt.conf
	test -z '$(CONFIGURATION)' || install -D -m 644 -t $(DESTDIR)$(CONFIGURATION) docs/mqtt/sensorbroker-mqtt.conf
	@test -n '$(DESTDIR)' || { echo 'To start it, as root, once /etc/sensorbroker/sensorbroker-mqtt.conf names a server and readings:'; \
	  echo '  systemd-sysusers && systemctl daemon-reload && systemctl enable --now sensorbroker-mqtt.service'; }

uninstall-mqtt: ## Remove what `make install-mqtt` installed; the spool and the configuration stay
	rm -f $(DESTDIR)$(PREFIX)/sbin/sensorbroker-mqtt $(DESTDIR)$(UNITS)/sensorbroker-mqtt.service $(lib)/sysusers.d/sensorbroker-mqtt.conf
	rm -f $(share)/man/man5/sensorbroker-mqtt.conf.5 $(share)/man/man8/sensorbroker-mqtt.8
	rm -f $(DESTDIR)$(PREFIX)/libexec/sensorbroker-fleet $(share)/man/man1/sensorbroker-fleet.1
	rm -rf $(share)/doc/sensorbroker-mqtt

uninstall: ## Remove what `make install` installed, also where it was installed before
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/sensorbrokerd bin/sensorctl sbin/sensorbrokerd)
	rm -f $(addprefix $(DESTDIR)$(UNITS)/,$(notdir $(units))) $(DESTDIR)$(RULES)/70-sensorbroker.rules
	rm -f $(DESTDIR)$(PREFIX)/libexec/sensorbroker-desktop $(addprefix $(DESTDIR)$(UNITS)/,$(notdir $(desktop_units)))
	rm -f $(DESTDIR)$(RULES)/80-sensorbroker-desktop.rules $(lib)/sysusers.d/sensorbroker-desktop.conf
	rm -f $(share)/metainfo/io.sensorbroker.desktop.metainfo.xml
	rm -f $(share)/dbus-1/system-services/net.hadess.SensorProxy.service $(DESTDIR)$(BUS_POLICY)/net.hadess.SensorProxy.conf
	rm -f $(lib)/sysusers.d/sensorbroker.conf $(lib)/tmpfiles.d/sensorbroker.conf $(lib)/systemd/catalog/sensorbroker.catalog
	@$(update_catalog)
	rm -f $(foreach page,$(wildcard docs/man/*),$(share)/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(share)/bash-completion/completions/sensorctl $(share)/fish/vendor_completions.d/sensorctl.fish $(DESTDIR)$(ZSH)/_sensorctl
	rm -f $(lib)/systemd/user/sensorbroker-mock@.service
	rm -rf $(share)/doc/sensorbroker $(share)/sensorbroker
	$(foreach client,$(INSTALLED_CLIENTS),$(clients) uninstall)

install-swift: ## Install the Swift library, as source for the Swift package manager
	for directory in Sources CCurses CExpat CGps CIio CLinux CMosquitto CSystemd CZstd; do find $$directory -type f -exec install -D -m 644 {} $(share)/swift/SensorBroker/{} \; || exit; done
	install -D -m 644 -t $(share)/swift/SensorBroker Package.swift README.md

deb: ## Build Debian packages, in .build/deb
	@$(PACKAGES) package
	@.ci/deb

reproducible: ## Build the Debian packages twice, in directories of their own; they must be the same, byte by byte
	@$(PACKAGES) package
	@.ci/reproducible

debian13: ## Run the demo, all of `make test` and the packages on Debian 13, in a folder of it with its libraries and servers; as root
	@.ci/debian trixie 'make demo' 'make test' 'make deb' Tests/Package/run

arm64: ## Build for arm64 with Debian's Swift, and run it under emulation; as root, gigabytes
	@$(MAKE) --no-print-directory .venv/ready
	@.ci/arm64

clean: ## Remove everything that was built
	rm -rf debian/.debhelper .pybuild Clients/python/*.egg-info Clients/python/build debian/python3-sensorbroker debian/sensorbroker debian/sensorbroker-desktop debian/sensorbroker-mqtt debian/sensorbroker-swift-dev debian/libsensorbroker0 debian/libsensorbroker-dev debian/tmp debian/files debian/*.substvars debian/*.debhelper debian/*.debhelper.log debian/*-stamp
	rm -rf .build Examples/.build Fuzz/.build Benchmarks/.build Benchmarks/.venv .venv .pytest_cache
	find Tests Clients Benchmarks Examples -name __pycache__ -prune -exec rm -r {} +

help: ## This
	@sed -nE 's/^([a-z0-9-]+): ## (.*)/  make \1 \2/p' Makefile | awk '{ printf "  make %-14s", $$2; $$1 = $$2 = ""; print substr($$0, 2) }'

# Made again when the requirements change; otherwise no network is needed.
.venv/ready: Tests/System/requirements.txt
	rm -rf .venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@
