"""The files for systemd and udev, as far as they can be tested without booting."""

import pathlib
import re
import shutil

import pytest

from tools.commands import run
from tools.programs import ROOT
from tools.units import CLIENTS, NAMES, TEMPLATES, UNITS


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


def test_the_metrics_are_written_without_a_line_in_the_journal():
    """systemd has three for each run, and there are four a minute; what sensorctl reports would go with them."""
    assert {"LogLevelMax=notice", "SyslogLevel=notice"} <= set((UNITS / "sensorbroker-metrics.service").read_text().split("\n"))


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
