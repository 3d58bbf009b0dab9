"""What `make install` and the packages put where, and what they say and remove, as far as it can be tested without a machine."""

import json
import os
import re
import shutil

import pytest

from tools.commands import run
from tools.programs import ROOT
from tools.units import CLIENTS, NAMES, TEMPLATES, UNITS


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
