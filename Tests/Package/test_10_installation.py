"""The host right after the installation of the package."""

import os
import re
import shutil

from host import ADMIN_SOCKET, BROKER_SOCKET, SERVICE, SOCKETS, attempt, needs_no_swift, owner, run, show
from sensor import DEVICES


def test_installation_prints_no_errors(installation):
    assert not re.search("error|fail|warning|cannot", installation[0], re.IGNORECASE), installation[0]


def test_the_sockets_listen_and_the_daemon_waits_for_its_first_client():
    for socket in SOCKETS:
        assert show("ActiveState", socket) == "active" and show("UnitFileState", socket) == "enabled"
    assert show("ActiveState") == "inactive"
    assert owner(BROKER_SOCKET) == ("0o660", "root", "sensorbroker")
    assert owner(ADMIN_SOCKET) == ("0o600", "root", "root")
    assert owner("/run/sensorbroker") == ("0o755", "sensorbroker", "sensorbroker")


def test_the_programs_need_no_swift():
    assert shutil.which("swift") is None
    for program in ("/usr/bin/sensorbrokerd", "/usr/bin/sensorctl"):
        needs_no_swift(program, is_service=program.endswith("d"))
        assert run(program, "--version").startswith(os.path.basename(program) + " ")


def test_a_sensor_that_was_already_present_has_its_group(installation):
    sensor = installation[1]
    assert owner(f"/dev/{sensor.id}") == ("0o660", "root", "iio")
    device = DEVICES / sensor.id
    for attribute in ("buffer/enable", "scan_elements/in_accel_x_en", "in_accel_sampling_frequency"):
        path = device / attribute
        if path.exists():
            assert owner(path) == ("0o664", "root", "iio"), attribute
    assert owner(device / "buffer/enable")[2] == "iio"
    assert owner(device / "in_accel_x_raw")[2] == "root"


def test_the_registry_links_to_the_socket():
    assert os.path.realpath("/run/varlink/registry/io.sensorbroker.Broker") == BROKER_SOCKET
    assert os.listdir("/run/varlink/registry") == ["io.sensorbroker.Broker"]
    assert os.path.realpath("/run/systemd/report/io.sensorbroker") == BROKER_SOCKET


def test_the_sandbox_scores_1_5_or_better():
    result = attempt("systemd-analyze", "security", "--threshold=15", "--no-pager", SERVICE)
    assert result.returncode == 0, result.stdout[-600:] + result.stderr


def test_the_units_and_their_manual_pages_are_valid():
    result = attempt("systemd-analyze", "verify", SERVICE, *SOCKETS)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    for page in ("sensorbrokerd.8", "sensorctl.1", "sensorbrokerd.conf.5", "sensorbroker.7"):
        assert os.path.exists(f"/usr/share/man/man{page[-1]}/{page}.gz"), page


def test_the_installed_configuration_has_only_defaults():
    assert "Gpsd=localhost:2947" in run("sensorbrokerd", "--check-config")
    text = open("/etc/sensorbroker/sensorbrokerd.conf").read()
    assert all(not line or line[0] in "#[" for line in text.splitlines()), text
