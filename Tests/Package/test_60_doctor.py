"""`sensorctl doctor` on a host with a problem: it finds the problem and prints the remedy."""

import os

import pytest

from foreigner import Foreigner
from host import CONFIGURATION, SERVICE, SOCKETS, DropIn, Receiver, attempt, configure, eventually, findings, run

@pytest.fixture(autouse=True)
def service(broker, sensor):
    run("udevadm", "settle")
    run("sensorctl", "list")
    yield
    if os.path.exists(CONFIGURATION):
        os.remove(CONFIGURATION)
        os.rmdir(os.path.dirname(CONFIGURATION))
        run("systemctl", "stop", SERVICE)
    attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
    run("systemctl", "start", *SOCKETS)


def test_on_a_healthy_host_only_gpsd_is_missing():
    for user in (None, "alice"):
        eventually(lambda: findings(user).keys() <= {"gpsd", "location"}, "health")
    assert "systemctl enable --now gpsd.socket" in findings()["gpsd"][1]


def test_a_user_outside_the_group_gets_the_remedy():
    bad = findings("bob")
    assert "usermod -aG sensorbroker bob" in bad["rights"][1] and "not accessible to you" in bad["socket"][0]


def test_another_program_that_uses_the_sensor_is_named(sensor):
    run("sensorctl", "release", "accelerometer")
    try:
        with Foreigner("accel_3d") as other:
            assert other.answer == "has it"
            words, remedy = findings()[f"{sensor.id} (accel_3d)"]
            assert f"(process {other.process.pid})" in words and "release" in remedy
    finally:
        run("sensorctl", "reacquire", "accelerometer")


def test_errors_of_the_configuration_and_the_failed_service_are_reported():
    configure("[Nonsense]\n")
    attempt("systemctl", "restart", SERVICE)
    bad = findings()
    assert CONFIGURATION in bad["configuration"][0] and "--check-config" in bad["service"][1]


@pytest.mark.parametrize("address", ["192.0.2.54", "10.98.76.54"])
def test_a_gpsd_that_only_the_broker_cannot_reach_is_reported_with_the_missing_line(address):
    """The sandbox drops packets to addresses outside its list, which has only private networks."""
    receiver = Receiver(address)
    try:
        configure(f"[Location]\nGpsd={address}:{receiver.port}\n")
        run("systemctl", "restart", SERVICE)
        if address.startswith("10."):
            eventually(lambda: "gpsd" not in findings() and "location" not in findings(), "a gpsd that is reached")
            return
        words, remedy = eventually(
            lambda: "location" in (found := findings()) and "not the broker" in found.get("gpsd", [""])[0] and found["gpsd"],
            "the finding")
        assert address in words
        assert f"IPAddressAllow={address}" in remedy and "systemctl edit sensorbrokerd" in remedy
        # Its remedy works.
        with DropIn(f"IPAddressAllow={address}"):
            eventually(lambda: not {"gpsd", "location"} & set(findings()), "a gpsd that is reached")
    finally:
        receiver.close()


def test_unresponsive_services_of_other_hosts_are_reported_with_a_remedy():
    """Nobody has these addresses, and there is no route to them, as on a host whose network is down."""
    configure("[Location]\nGpsd=192.0.2.77:2947\n[Accelerometer]\nContext=ip:10.98.76.77\n")
    run("systemctl", "restart", SERVICE)
    bad = eventually(lambda: {"location", "gpsd", "iiod"} <= set(found := findings()) and found, "the findings")
    assert "192.0.2.77:2947" in bad["gpsd"][0] and "IPAddressAllow=192.0.2.77" in bad["gpsd"][1]
    assert "ip:10.98.76.77" in bad["iiod"][0] and "firewall" in bad["iiod"][1] and "IPAddressAllow" not in bad["iiod"][1]


def test_sockets_that_do_not_listen_are_reported():
    run("systemctl", "stop", *SOCKETS)
    bad = findings()
    assert set(bad) >= {*SOCKETS, "socket"}
    assert bad[SOCKETS[0]][1] == f"sudo systemctl enable --now {SOCKETS[0]}"
