"""The desktop's package, in the place of iio-sensor-proxy."""

import os
import pathlib
import pwd
import re
import socket

import pytest

from host import attempt, dpkg, eventually, needs_no_swift, no_bus, run, show

SERVICE = "sensorbroker-desktop.service"
NMEA = "sensorbroker-nmea.service"
NMEA_SOCKET = "/run/sensorbroker/nmea.sock"
NAME = "net.hadess.SensorProxy"
SENSORS = (NAME, "/net/hadess/SensorProxy", NAME)
COMPASS = (NAME, "/net/hadess/SensorProxy/Compass", NAME + ".Compass")


@pytest.fixture(scope="module")
def said(installation):
    """The output of the installation; the sensor was there before it."""
    installation[1].plug_again()
    return dpkg("-i", os.environ["DESKTOP_PACKAGE"])


def get(name, where=SENSORS, **options):
    return attempt("busctl", "get-property", *where, name, **options)


def test_installation_prints_no_errors(said):
    assert not re.search("error|fail|warning|cannot", said, re.IGNORECASE), said
    assert show("ActiveState", "sensorbroker-nmea.socket") == "active"
    assert show("UnitFileState", "sensorbroker-nmea.socket") == "enabled"
    needs_no_swift("/usr/libexec/sensorbroker-desktop")


def test_installation_on_a_host_whose_bus_is_stopped_prints_no_errors(said):
    with no_bus():
        again = dpkg("-i", os.environ["DESKTOP_PACKAGE"])
    assert not re.search("error|fail|warning|cannot", again, re.IGNORECASE), again


def test_it_runs_where_a_sensor_was_present(said):
    eventually(lambda: show("ActiveState", SERVICE) == "active", "udev to start it")
    assert show("User", SERVICE) == "sensorbroker-desktop"


def test_a_call_on_the_bus_starts_it(said, broker, sensor):
    run("systemctl", "stop", SERVICE)
    eventually(lambda: get("HasAccelerometer").stdout == "b true\n", "the accelerometer")
    assert show("ActiveState", SERVICE) == "active"
    process = show("MainPID", SERVICE)
    assert pwd.getpwuid(os.stat(f"/proc/{process}").st_uid).pw_name == "sensorbroker-desktop"


@pytest.mark.parametrize("unit", [SERVICE, NMEA])
def test_the_sandbox_scores_1_5_or_better(said, unit):
    result = attempt("systemd-analyze", "security", "--threshold=15", "--no-pager", unit)
    assert result.returncode == 0, result.stdout[-600:] + result.stderr


def test_the_units_and_the_manual_are_valid(said):
    result = attempt("systemd-analyze", "verify", SERVICE, NMEA, "sensorbroker-nmea.socket")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert os.path.exists("/usr/share/man/man8/sensorbroker-desktop.8.gz")


def test_a_claim_is_answered_with_the_orientation_of_the_sensor(said, broker, sensor):
    sensor.tell("still 1000 0 0")

    def claimed():
        # busctl leaves the bus, and its claim with it; the value stays. On a slow host the first reading comes after the answer.
        run("busctl", "call", *SENSORS, "ClaimAccelerometer")
        return get("AccelerometerOrientation").stdout == 's "left-up"\n'

    eventually(claimed, "the orientation")


def test_who_may_claim(said):
    refused = attempt("busctl", "call", *SENSORS, "ClaimAccelerometer", user="bob")
    # busctl has words of its own for this error.
    assert refused.returncode != 0 and "Access denied" in refused.stderr
    # A member of the broker's group needs no seat.
    run("busctl", "call", *SENSORS, "ClaimAccelerometer", user="alice")
    assert get("HasAccelerometer", user="bob").stdout == "b true\n"
    # So it is with the compass, which geoclue may claim as well.
    assert get("HasCompass", COMPASS, user="bob").stdout == "b false\n"
    assert attempt("busctl", "call", *COMPASS, "ClaimCompass", user="bob").returncode != 0
    run("busctl", "call", *COMPASS, "ClaimCompass")


def test_its_user_may_use_the_broker(said):
    assert "sensorbroker-desktop" in run("getent", "group", "sensorbroker")


def test_nmea_is_for_those_who_may_know_the_location(said):
    eventually(lambda: show("ActiveState", NMEA) == "inactive", "the service to wait for a client")
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(NMEA_SOCKET)
        eventually(lambda: show("ActiveState", NMEA) == "active", "the service to be started by its client")
        run("systemctl", "restart", NMEA)
        # geoclue would never connect again: the connection must not end.
        client.settimeout(1)
        with pytest.raises(TimeoutError):
            client.recv(1)
        eventually(lambda: show("NFileDescriptorStore", NMEA) == "1", "the connection to be kept")
    assert run("socat", "-u", f"UNIX-CONNECT:{NMEA_SOCKET}", "-", user="bob") == ""


def test_purging_leaves_nothing_of_it(said):
    dpkg("-P", "sensorbroker-desktop")
    for unit in (SERVICE, NMEA, "sensorbroker-nmea.socket"):
        assert show("ActiveState", unit) == "inactive" and show("LoadState", unit) == "not-found", unit
    assert not os.path.lexists(NMEA_SOCKET)
    assert not [user for user in pwd.getpwall() if user.pw_name == "sensorbroker-desktop"]
    assert get("HasAccelerometer").returncode != 0
    assert not list(pathlib.Path("/usr").glob("*/sensorbroker-desktop*"))
