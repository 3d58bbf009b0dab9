"""`sensorctl doctor` on a host where something is wrong: it finds that, and says what to do."""

import json
import os

import pytest

from foreigner import Foreigner
from host import SERVICE, SOCKETS, attempt, eventually, run

CONFIGURATION = "/etc/sensorbroker/sensorbrokerd.conf.d/50-test.conf"


def findings(user=None):
    """What is wrong, by subject: words and remedy."""
    result = attempt("sensorctl", "doctor", "--format", "json", user=user)
    assert result.stderr == "", result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    bad = {item["subject"]: (item["words"], item.get("remedy")) for item in found if item["verdict"] == "bad"}
    assert (result.returncode == 69) == bool(bad)
    return bad


@pytest.fixture(autouse=True)
def service(broker, sensor):
    run("udevadm", "settle")
    run("sensorctl", "list")
    yield
    if os.path.exists(CONFIGURATION):
        os.remove(CONFIGURATION)
        os.rmdir(os.path.dirname(CONFIGURATION))
    attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
    run("systemctl", "start", *SOCKETS)


def test_only_gpsd_is_missed_where_all_else_is_well():
    for user in (None, "alice"):
        assert set(eventually(lambda: findings(user).keys() <= {"gpsd", "location"} and findings(user), "health")) <= {
            "gpsd", "location"}
    assert "systemctl enable --now gpsd.socket" in findings()["gpsd"][1]


def test_a_user_outside_the_group_is_told_how_to_get_in():
    bad = findings("bob")
    assert "usermod -aG sensorbroker bob" in bad["rights"][1] and "closed" in bad["socket"][0]


def test_another_program_that_has_the_sensor_is_named(sensor):
    run("sensorctl", "release", "accelerometer")
    try:
        with Foreigner("accel_3d") as other:
            assert other.answer == "has it"
            words, remedy = findings()[f"{sensor.id} (accel_3d)"]
            assert f"(process {other.process.pid})" in words and "release" in remedy
    finally:
        run("sensorctl", "reacquire", "accelerometer")


def test_a_rule_that_did_not_run_is_noticed(sensor):
    os.chown(f"/dev/{sensor.id}", 0, 0)
    assert "may not use" in findings()[f"{sensor.id} (accel_3d)"][0]
    run("udevadm", "trigger", "--settle", "-s", "iio")
    assert f"{sensor.id} (accel_3d)" not in findings()


def test_errors_of_the_configuration_and_a_service_that_failed_by_them_are_told():
    os.makedirs(os.path.dirname(CONFIGURATION), exist_ok=True)
    with open(CONFIGURATION, "w") as file:
        file.write("[Nonsense]\n")
    attempt("systemctl", "restart", SERVICE)
    bad = findings()
    assert CONFIGURATION in bad["configuration"][0] and "--check-config" in bad["service"][1]


def test_sockets_that_do_not_listen_are_told():
    run("systemctl", "stop", *SOCKETS)
    bad = findings()
    assert set(bad) >= {*SOCKETS, "socket"}
    assert bad[SOCKETS[0]][1] == f"sudo systemctl enable --now {SOCKETS[0]}"
