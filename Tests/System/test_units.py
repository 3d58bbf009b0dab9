"""The files for systemd and udev, as far as they can be tested without booting."""

import json
import os
import pathlib
import re
import shutil

import pytest

from tools import commands
from tools.programs import ROOT

UNITS = ROOT / "systemd"
NAMES = ["sensorbrokerd.service", "sensorbrokerd.socket", "sensorbrokerd-admin.socket", "sensorbrokerd-feed.socket"]
TEMPLATES = ["sensorbrokerd@.service", "sensorbrokerd@.socket", "sensorbrokerd-admin@.socket", "sensorbrokerd-feed@.socket"]
# Those that run sensorctl.
CLIENTS = ["sensorbroker-metrics.service", "sensorbroker-metrics.timer", "sensorbroker-record@.service"]


def run(*command, **options):
    return commands.run(*command, **options)


@pytest.fixture
def staged(tmp_path):
    """Copies of the units with paths of the program and the manual that exist here, as `verify` requires; nothing else
    is changed.
    """
    for name in NAMES + TEMPLATES:
        text = (UNITS / name).read_text()
        text = re.sub("^ExecStart=/usr/bin/sensorbrokerd( --instance %i)?$", "ExecStart=/bin/true", text, flags=re.MULTILINE)
        text = re.sub("^ExecReload=.*/sensorctl (--instance %i )?reload$", "ExecReload=+/bin/true", text, flags=re.MULTILINE)
        (tmp_path / name).write_text(text)
    assert "ExecStart=/bin/true" in (tmp_path / NAMES[0]).read_text()
    return tmp_path


def test_verify_is_silent(staged):
    # An unknown directive only prints a line on stderr: the exit status does not show it.
    result = run("systemd-analyze", "verify", "--man=no", *(staged / name for name in NAMES))
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")


def test_verify_is_silent_for_a_named_instance(staged):
    result = run("systemd-analyze", "verify", "--man=no",
                 *(staged / name.replace("@.", "@two.") for name in TEMPLATES))
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")


@pytest.mark.parametrize("name", ["sensorbroker-mqtt.service", "sensorbroker-record@.service"])
def test_a_program_that_asks_whether_the_clock_follows_a_reference_may_do_so(name):
    text = (UNITS / name).read_text()
    assert "\nSystemCallFilter=adjtimex clock_adjtime\n" in text and not re.search("^ProtectClock=yes", text, re.MULTILINE)


def test_the_units_of_the_client_are_valid_and_sandboxed(staged):
    for name in CLIENTS:
        text = re.sub("^ExecStart=/usr/bin/sensorctl .*$", "ExecStart=/bin/true", (UNITS / name).read_text(), flags=re.M)
        (staged / name.replace("@.", "@accelerometer.")).write_text(text)
    names = [staged / name.replace("@.", "@accelerometer.") for name in CLIENTS]
    result = run("systemd-analyze", "verify", "--man=no", *names)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")
    for name in (names[0], names[2]):
        result = run("systemd-analyze", "security", "--offline=true", "--threshold=20", name)
        assert result.returncode == 0, result.stdout + result.stderr


def directives(name):
    return [line for line in (UNITS / name).read_text().splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_named_instance_differs_only_by_its_name(template):
    """Its sockets, command lines and descriptions; the registry has one place for an interface, which belongs to the
    first instance.
    """
    former = [line for line in directives(template.replace("@", "")) if not line.startswith("Symlinks=")]
    further = directives(template)
    assert further != former and any("%i" in line for line in further)
    assert [re.sub(r" --instance %i|[ @.]%i", "", line) for line in further] == former


def test_the_sandbox_allows_only_private_networks():
    lines = directives(NAMES[0])
    assert "IPAddressDeny=any" in lines
    allowed = [line for line in lines if line.startswith("IPAddressAllow=")]
    assert allowed == ["IPAddressAllow=localhost link-local 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7"]


def test_the_sources_contain_no_build_logs():
    listed = run("git", "-C", ROOT, "ls-files", "debian").stdout.split()
    assert listed and not [name for name in listed if name.endswith(".log")]


def test_the_installed_configuration_names_only_installed_files():
    text = (ROOT / "docs/sensorbrokerd.conf").read_text()
    assert "docs/" not in text and "man sensorbrokerd.conf" in text


def test_verify_detects_a_wrong_directive(staged):
    with open(staged / NAMES[0], "a") as unit:
        unit.write("\n[Service]\nProtectEverything=yes\n")
    assert "ProtectEverything" in run("systemd-analyze", "verify", "--man=no", staged / NAMES[0]).stderr


def test_the_user_unit_for_simulated_sensors_is_valid(directory):
    """The directory's name is short, since systemd also reads the host's units with sockets in it."""
    text = (UNITS / "sensorbroker-mock@.service").read_text()
    start = re.search("^ExecStart=/usr/bin/sensorbrokerd --mock=%i ", text, flags=re.MULTILINE)
    assert start
    # Each has its own directory, which is not that of a broker of the user's.
    assert "--runtime-directory %t/sensorbroker-mock/%i\n" in text and "\nRuntimeDirectory=sensorbroker-mock/%i\n" in text
    pathlib.Path(directory, "sensorbroker-mock@.service").write_text(text.replace("/usr/bin/sensorbrokerd", "/bin/true"))
    result = run("systemd-analyze", "--user", "verify", "--man=no", f"{directory}/sensorbroker-mock@city-drive.service",
                 environment={"XDG_RUNTIME_DIR": directory})
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")


def test_sandbox_scores_1_5_or_better(staged):
    service = staged / NAMES[0]
    result = run("systemd-analyze", "security", "--offline=true", "--threshold=15", service)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stderr == ""


def test_sandbox_leaves_the_peers_identity_visible():
    assert not re.search("^PrivateUsers=", (UNITS / NAMES[0]).read_text(), re.MULTILINE)


def test_sockets_are_those_of_the_daemon():
    admin = (UNITS / NAMES[2]).read_text()
    broker = (UNITS / NAMES[1]).read_text()
    assert "ListenStream=/run/sensorbroker/io.sensorbroker.Broker\n" in broker
    assert "SocketMode=0660\n" in broker and "SocketGroup=sensorbroker\n" in broker
    assert "FileDescriptorName=varlink\n" in broker
    assert "ListenStream=/run/sensorbroker/io.sensorbroker.Admin\n" in admin
    assert "SocketMode=0600\n" in admin and "SocketGroup" not in admin
    assert "FileDescriptorName=admin\n" in admin


def test_users_and_directories_are_created(tmp_path):
    (tmp_path / "etc").mkdir()
    result = run("systemd-sysusers", f"--root={tmp_path}", UNITS / "sensorbroker.sysusers.conf")
    assert result.returncode == 0, result.stderr
    users, groups = (tmp_path / "etc/passwd").read_text(), (tmp_path / "etc/group").read_text()
    assert users.startswith("sensorbroker:") and "nologin" in users
    assert {line.split(":")[0] for line in groups.splitlines()} >= {"sensorbroker", "iio", "sensorbroker-fast"}

    result = run("systemd-tmpfiles", f"--root={tmp_path}", "--create", UNITS / "sensorbroker.tmpfiles.conf")
    assert result.returncode == 0 and result.stderr == "", result.stderr
    made = (tmp_path / "run/sensorbroker").stat()
    assert made.st_mode & 0o777 == 0o755
    assert f"sensorbroker:x:{made.st_uid}:" in users


def rules():
    """The rules as lists of matches and assignments, one per line; without comments and blank lines."""
    lines = (UNITS / "70-sensorbroker.rules").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_rules_are_well_formed():
    part = r'[A-Z]+(\{[a-z]+\})?(==|!=|\+=|=)"(?:[^"\\]|\\.)*"'
    for line in rules():
        assert re.fullmatch(f"{part}(, {part})*", line), line
    labels = {match for line in rules() for match in re.findall('LABEL="([^"]*)"', line)}
    jumps = {match for line in rules() for match in re.findall('GOTO="([^"]*)"', line)}
    assert jumps == labels


def test_the_udev_rule_gives_the_group_only_what_a_capture_writes(tmp_path):
    """Runs the rule's shell line on a copy of a device's directory."""
    script = next(match for line in rules() for match in re.findall("RUN\\+=\"/bin/sh -c '(.*)'\"", line))
    device = tmp_path / "iio:device0"
    written = ["buffer/enable", "buffer/length", "buffer/watermark", "buffer0/enable", "scan_elements/in_accel_x_en",
               "sampling_frequency", "in_accel_sampling_frequency", "trigger/current_trigger", "current_timestamp_clock",
               "events/in_proximity_thresh_rising_value", "events/in_proximity_thresh_either_en"]
    others = ["in_accel_x_raw", "events/in_proximity_thresh_rising_period", "scan_elements/in_accel_x_type", "name", "in_accel_scale"]
    for name in written + others:
        path = device / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0")
        path.chmod(0o644)
    group = pathlib.Path(device).group()
    script = script.replace("cd /sys%p", f"cd '{device}'").replace("$$", "$").replace("chgrp iio", f"chgrp {group}")
    result = run(shutil.which("sh"), "-c", script)
    assert (result.returncode, result.stderr) == (0, "")
    for name in written:
        assert (device / name).stat().st_mode & 0o777 == 0o664, name
    for name in others:
        assert (device / name).stat().st_mode & 0o777 == 0o644, name


@pytest.mark.parametrize("file, starts", [
    ("in_accel_x_raw", True), ("scan_elements/in_accel_x_en", True), ("in_illuminance_raw", True),
    # Drivers that number their only channel, such as isl29018 and sx9310.
    ("in_illuminance0_input", True), ("in_proximity0_raw", True), ("scan_elements/in_proximity_en", True),
    ("in_rot_from_north_magnetic_tilt_comp_raw", True), ("in_anglvel_x_raw", False), ("in_temp_input", False),
])
def test_udev_starts_the_service_of_the_desktop_where_there_is_a_sensor_for_it(file, starts):
    lines = (UNITS / "80-sensorbroker-desktop.rules").read_text().splitlines()
    assert (f'TEST=="{file}", ENV{{SENSORBROKER_DESKTOP}}="1"' in lines) == starts


def built(tmp_path):
    """The tree as after `make release`, with substitutes for the programs."""
    for name in ("Makefile", "systemd", "docs", "completions", "Sources", "Clients"):
        (tmp_path / name).symlink_to(ROOT / name)
    release = tmp_path / ".build/release"
    release.mkdir(parents=True)
    for name in ("sensorbrokerd", "sensorctl"):
        script(release / name, "")


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("status", [0, 1])
def test_install_and_uninstall_update_the_journals_catalog(tmp_path, monkeypatch, status):
    """On the running host only; in a staged root the packager does it."""
    built(tmp_path)
    programs, prefix, log = tmp_path / "bin", tmp_path / "prefix", tmp_path / "log"
    programs.mkdir()
    script(programs / "journalctl", f"echo \"$@\" $(cat {prefix}/lib/systemd/catalog/*.catalog | head -c 7) >> {log}\n"
                                    f"exit {status}")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    beginning = (ROOT / "systemd/sensorbroker.catalog").read_text()[:7].strip()
    for target, entry in (("install", f"--update-catalog {beginning}"), ("uninstall", "--update-catalog")):
        result = run("make", "-C", tmp_path, target, f"DESTDIR={tmp_path}/stage", f"PREFIX={prefix}", "INSTALLED_CLIENTS=")
        assert result.returncode == 0 and not log.exists(), result.stderr
        result = run("make", "-C", tmp_path, target, f"PREFIX={prefix}", "INSTALLED_CLIENTS=")
        # A user who may not change the journal has installed everything else, and is informed.
        assert result.returncode == 0, result.stderr
        assert ("as root: journalctl --update-catalog" in result.stderr) == (status != 0)
        assert log.read_text() == f"{entry}\n"
        log.unlink()


@pytest.mark.parametrize("target, program, unit", [
    ("install", "sensorbrokerd", "sensorbrokerd.socket"), ("install-desktop", "sensorbroker-desktop", "sensorbroker-desktop.service"),
    ("install-mqtt", "sensorbroker-mqtt", "sensorbroker-mqtt.service")])
def test_each_installation_says_how_to_start_it(tmp_path, target, program, unit):
    """The user of a unit has to be made first, and systemd to read it."""
    built(tmp_path)
    for name in ("sensorbroker-desktop", "sensorbroker-mqtt", "sensorbroker-fleet"):
        script(tmp_path / ".build/release" / name, "")
    result = run("make", "-s", "-C", tmp_path, target, f"PREFIX={tmp_path}/prefix", f"BUS_POLICY={tmp_path}/bus", "update_catalog=true",
                 "INSTALLED_CLIENTS=")
    assert result.returncode == 0, result.stderr
    told = result.stdout.split("To start it, as root")[1]
    assert "systemd-sysusers" in told and "systemctl daemon-reload" in told and f"systemctl enable --now {unit}" in told
    (tmp_path / ".build/release" / program).unlink()
    result = run("make", "-s", "-C", tmp_path, target, f"PREFIX={tmp_path}/prefix")
    assert result.returncode != 0 and "Run `make release` first." in result.stderr


def test_install_installs_every_file(tmp_path):
    """The Makefile's install, into a staged root; the libraries of other languages have tests of their own."""
    built(tmp_path)
    stage = tmp_path / "stage"
    result = run("make", "-C", tmp_path, "install", f"DESTDIR={stage}", "PREFIX=/opt/sb", "INSTALLED_CLIENTS=")
    assert result.returncode == 0, result.stderr
    files = {str(path.relative_to(stage)) for path in stage.rglob("*") if path.is_file()}
    assert files == {
        "opt/sb/bin/sensorbrokerd", "opt/sb/bin/sensorctl", "opt/sb/lib/sysusers.d/sensorbroker.conf",
        "opt/sb/lib/tmpfiles.d/sensorbroker.conf", "opt/sb/lib/udev/rules.d/70-sensorbroker.rules",
        "opt/sb/lib/systemd/catalog/sensorbroker.catalog", "opt/sb/share/bash-completion/completions/sensorctl",
        "opt/sb/share/fish/vendor_completions.d/sensorctl.fish", "opt/sb/share/zsh/site-functions/_sensorctl",
        *(f"opt/sb/share/doc/sensorbroker/{name}" for path in (ROOT / "docs").glob("*.md")
          # Each page, and what it links to beside itself, to be used.
          for name in (path.name, *re.findall(r"\]\(((?:pictures/)?[\w-]+\.(?:conf|json|yml|svg|png))\)", path.read_text()))),
        *(f"opt/sb/share/doc/sensorbroker/pictures/{path.name}" for path in (ROOT / "docs/pictures").iterdir()),
        *(f"opt/sb/share/man/man{path.suffix[1:]}/{path.name}" for path in (ROOT / "docs/man").iterdir()
          if path.name != "sensorbroker-desktop.8"),
        "opt/sb/lib/systemd/user/sensorbroker-mock@.service",
        *(f"opt/sb/share/sensorbroker/scenarios/{path.name}"
          for path in (ROOT / "Sources/Devices/Scenarios/Shipped").glob("*.scenario")),
        *(f"opt/sb/lib/systemd/system/{name}" for name in NAMES + TEMPLATES + CLIENTS)}
    metrics = (stage / "opt/sb/lib/systemd/system/sensorbroker-metrics.service").read_text()
    assert "ExecStart=/opt/sb/bin/sensorctl metrics " in metrics
    mock = (stage / "opt/sb/lib/systemd/user/sensorbroker-mock@.service").read_text()
    assert "ExecStart=/opt/sb/bin/sensorbrokerd --mock=%i " in mock and "file:///opt/sb/share/doc" in mock
    service = (stage / "opt/sb/lib/systemd/system/sensorbrokerd.service").read_text()
    assert "ExecStart=/opt/sb/bin/sensorbrokerd\n" in service
    assert "ExecReload=+/opt/sb/bin/sensorctl reload\n" in service
    service = (stage / "opt/sb/lib/systemd/system/sensorbrokerd@.service").read_text()
    assert "ExecStart=/opt/sb/bin/sensorbrokerd --instance %i\n" in service
    assert "ExecReload=+/opt/sb/bin/sensorctl --instance %i reload\n" in service
    assert run("make", "-C", tmp_path, "uninstall", f"DESTDIR={stage}", "PREFIX=/opt/sb", "INSTALLED_CLIENTS=").returncode == 0
    assert not [path for path in stage.rglob("*") if path.is_file()]


def test_removing_a_package_stops_what_debhelper_does_not_start():
    """It stops only what it starts; what needs a socket ends with that."""
    rules = (ROOT / "debian/rules").read_text()
    calls = re.findall(r"^\tdh_installsystemd -p([\w-]+) [^\n]*--no-start [^\n]* (\S+)$", rules, re.M)
    assert len(calls) == 5
    for package, unit in calls:
        script = (ROOT / f"debian/{package}.prerm").read_text()
        assert f" {unit} " in script or "Requires=sensorbrokerd.socket " in (UNITS / unit).read_text(), unit


@pytest.fixture
def script_of(tmp_path):
    """Runs a package's script for another root, as it does in a chroot."""
    def run_one(package, name, *arguments):
        result = run("sh", ROOT / f"debian/{package}.{name}", *arguments, environment={"DPKG_ROOT": str(tmp_path)})
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        return {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}

    return run_one


def test_purging_a_package_leaves_what_is_another_ones(tmp_path, script_of):
    own = {"etc/sensorbroker/sensorbrokerd.conf", "etc/sensorbroker/sensorbrokerd.conf.d/site.conf",
           "etc/sensorbroker/sensorbrokerd.two.conf", "etc/sensorbroker/record/drive.conf", "var/lib/sensorbroker/gyroscope-0.json"}
    of_bridge = {"etc/sensorbroker/sensorbroker-mqtt.conf", "etc/sensorbroker/sensorbroker-mqtt.conf.d/site.conf"}
    of_users = {"etc/sensorbroker/host.key"}
    for name in own | of_bridge | of_users:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert script_of("sensorbroker", "postrm", "remove") == own | of_bridge | of_users
    assert script_of("sensorbroker", "postrm", "purge") == of_bridge | of_users
    assert script_of("sensorbroker-mqtt", "postrm", "purge") == of_users
    (tmp_path / "etc/sensorbroker/host.key").unlink()
    for package in ("sensorbroker", "sensorbroker-mqtt"):
        assert not script_of(package, "postrm", "purge")
        assert not (tmp_path / "etc/sensorbroker").exists()


def test_a_package_that_is_removed_takes_its_last_metrics_along(tmp_path, script_of):
    """node_exporter shows what stands there, whoever wrote it, and however long ago."""
    (tmp_path / "var/lib/prometheus/node-exporter").mkdir(parents=True)
    for name in ("sensorbroker.prom", "sensorbroker.prom.partial-1f", "apt.prom"):
        (tmp_path / "var/lib/prometheus/node-exporter" / name).touch()
    assert len(script_of("sensorbroker", "postrm", "upgrade", "0.2")) == 3
    assert script_of("sensorbroker", "postrm", "remove") == {"var/lib/prometheus/node-exporter/apt.prom"}


def test_the_metrics_are_written_without_a_line_in_the_journal():
    """systemd has three for each run, and there are four a minute; what sensorctl reports would go with them."""
    assert {"LogLevelMax=notice", "SyslogLevel=notice"} <= set((UNITS / "sensorbroker-metrics.service").read_text().split("\n"))


def test_the_packages_have_pages_under_the_names_by_which_they_are_called(tmp_path):
    """Units, manuals and pages name them, and Grafana imports a dashboard as it is; debhelper compresses what is large."""
    if not shutil.which("dh_compress"):
        pytest.skip("NOT RUN: debhelper is not installed")
    (tmp_path / "debian").mkdir()
    for name in ("control", "rules", "changelog"):
        shutil.copy(ROOT / "debian" / name, tmp_path / "debian")
    pages, manuals = (tmp_path / "debian/sensorbroker/usr/share" / place for place in ("doc/sensorbroker", "man/man5"))
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("api", "man", "mqtt"))
    manuals.mkdir(parents=True)
    shutil.copy(ROOT / "docs/man/sensorbrokerd.conf.5", manuals)
    names = {str(path.relative_to(pages)) for path in pages.rglob("*")}
    result = run("make", "-f", "debian/rules", "override_dh_compress", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert {str(path.relative_to(pages)) for path in pages.rglob("*")} == names
    assert [path.name for path in manuals.iterdir()] == ["sensorbrokerd.conf.5.gz"]
    called = {name for path in [*UNITS.iterdir(), *(ROOT / "docs/man").iterdir(), *(ROOT / "docs/mqtt").iterdir()]
              for name in re.findall(r"/usr/share/doc/sensorbroker/([\w.-]+\w)", path.read_text())}
    assert called and called <= names


def test_the_packages_have_the_examples_that_pages_name(tmp_path):
    if not shutil.which("dh_installexamples"):
        pytest.skip("NOT RUN: debhelper is not installed")
    shutil.copytree(ROOT / "debian", tmp_path / "debian", ignore=lambda folder, names: [
        name for name in names if os.path.isdir(os.path.join(folder, name))])
    for folder in ("Examples/Feed", "Examples/Fleet", "Clients/c/examples", "Clients/python/examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "Examples/Fleet/fleetingest/__pycache__").mkdir()
    (tmp_path / "Examples/Fleet/fleetingest/__pycache__/left.pyc").touch()
    result = run("make", "-f", "debian/rules", "override_dh_installexamples", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    text = (ROOT / "docs/fleet.md").read_text() + (ROOT / "docs/shell.md").read_text()
    named = re.findall(r"\((?:\.\./)(Examples/\w+)[^)]*\) \(with Debian's packages in\s`/(usr/share/doc/([\w-]+)/examples)`", text)
    assert len(named) == 2
    for folder, place, package in named:
        installed = tmp_path / "debian" / package / place
        files = {path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*")
                 if path.is_file() and "__pycache__" not in path.parts}
        assert {path.relative_to(installed) for path in installed.rglob("*") if path.is_file()} == files


def test_the_library_installed_as_source_is_a_package(tmp_path):
    result = run("make", "-C", ROOT, "install-swift", f"DESTDIR={tmp_path}", "PREFIX=/usr")
    assert result.returncode == 0, result.stderr
    package = tmp_path / "usr/share/swift/SensorBroker"
    result = run("swift", "package", "--package-path", package, "dump-package")
    assert result.returncode == 0, result.stderr
    targets = {target["name"]: target for target in json.loads(result.stdout)["targets"]}
    assert {"SensorBroker", "SensorBrokerTesting"} <= set(targets)
    for name, target in targets.items():
        assert (package / (target.get("path") or f"Sources/{name}")).is_dir(), name


def test_the_unit_of_the_fleet_is_valid_and_in_a_sandbox(tmp_path):
    """The network it needs is 0.2 of its score."""
    text = (UNITS / "sensorbroker-mqtt.service").read_text()
    assert "\nExecStart=/usr/sbin/sensorbroker-mqtt\n" in text
    (tmp_path / "sensorbroker-mqtt.service").write_text(text.replace("/usr/sbin/sensorbroker-mqtt", "/bin/true"))
    result = run("systemd-analyze", "verify", "--man=no", tmp_path / "sensorbroker-mqtt.service")
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")
    result = run("systemd-analyze", "security", "--offline=true", "--threshold=17", tmp_path / "sensorbroker-mqtt.service")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert "IPAddressDeny" not in text


def test_the_fleet_has_a_user_of_its_own(tmp_path):
    (tmp_path / "etc").mkdir()
    for name in ("sensorbroker", "sensorbroker-mqtt"):
        result = run("systemd-sysusers", f"--root={tmp_path}", UNITS / f"{name}.sysusers.conf")
        assert result.returncode == 0, result.stderr
    groups = {line.split(":")[0]: line.split(":")[3] for line in (tmp_path / "etc/group").read_text().splitlines()}
    assert "sensorbroker-mqtt" in groups["sensorbroker"].split(",") and "sensorbroker-mqtt" not in groups["iio"].split(",")


def test_install_mqtt_installs_every_file(tmp_path):
    built(tmp_path)
    script(tmp_path / ".build/release/sensorbroker-mqtt", "")
    script(tmp_path / ".build/release/sensorbroker-fleet", "")
    stage = tmp_path / "stage"
    result = run("make", "-C", tmp_path, "install-mqtt", f"DESTDIR={stage}", "PREFIX=/opt/sb", "CONFIGURATION=/etc/sensorbroker")
    assert result.returncode == 0, result.stderr
    assert {str(path.relative_to(stage)) for path in stage.rglob("*") if path.is_file()} == {
        "opt/sb/sbin/sensorbroker-mqtt", "opt/sb/libexec/sensorbroker-fleet", "opt/sb/share/man/man1/sensorbroker-fleet.1",
        "opt/sb/lib/systemd/system/sensorbroker-mqtt.service",
        "opt/sb/lib/sysusers.d/sensorbroker-mqtt.conf", "opt/sb/share/man/man5/sensorbroker-mqtt.conf.5",
        "opt/sb/share/man/man8/sensorbroker-mqtt.8", "opt/sb/share/doc/sensorbroker-mqtt/sensorbroker-mqtt.conf",
        "etc/sensorbroker/sensorbroker-mqtt.conf"}
    assert "ExecStart=/opt/sb/sbin/sensorbroker-mqtt\n" in (stage / "opt/sb/lib/systemd/system/sensorbroker-mqtt.service").read_text()
    assert run("make", "-C", tmp_path, "uninstall-mqtt", f"DESTDIR={stage}", "PREFIX=/opt/sb").returncode == 0
    assert [str(path.relative_to(stage)) for path in stage.rglob("*") if path.is_file()] == ["etc/sensorbroker/sensorbroker-mqtt.conf"]
