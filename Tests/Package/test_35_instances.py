"""Named instances as services, and services on other hosts: what the units allow and what they do not."""

import json

import pytest

from host import SECOND, SECOND_CONFIGURATION, SERVICE, Receiver, attempt, eventually, owner, run, show


def location():
    resources = [json.loads(line) for line in run("sensorctl", "--instance", "two", "list", "--format", "json").splitlines()]
    return next(resource for resource in resources if resource["name"] == "location")


def test_a_named_instance_has_its_own_sockets_process_and_configuration(broker, second):
    second("localhost:2")
    run("sensorctl", "list")
    assert owner("/run/sensorbroker/io.sensorbroker.Broker.two") == ("0o660", "root", "sensorbroker")
    assert owner("/run/sensorbroker/io.sensorbroker.Admin.two") == ("0o600", "root", "root")
    assert "location" in run("sensorctl", "--instance", "two", "list")
    assert show("ActiveState", SECOND) == "active" and show("ActiveState", SERVICE) == "active"
    assert show("MainPID", SECOND) not in ("0", show("MainPID"))
    run("sensorctl", "--instance", "two", "status")
    run("systemctl", "reload", SECOND)
    with open(SECOND_CONFIGURATION, "a") as file:
        file.write("[Nonsense]\n")
    assert attempt("systemctl", "reload", SECOND).returncode != 0
    run("journalctl", "--sync")
    assert "Nonsense" in run("journalctl", "--no-pager", "-u", SECOND)


def test_a_named_instance_for_the_same_devices_is_refused(broker, second):
    run("sensorctl", "list")
    second("localhost:2947")
    attempt("sensorctl", "--instance", "two", "--timeout", "2s", "list")
    eventually(lambda: show("ExecMainStatus", SECOND) == "69", "the refusal")
    run("journalctl", "--sync")
    assert f"pid {show('MainPID')} holds" in run("journalctl", "--no-pager", "-u", SECOND)


@pytest.mark.parametrize("address, reaches", [("10.98.76.54", True), ("192.0.2.54", False)])
def test_a_gpsd_in_a_private_network_is_reached_and_a_public_one_reported(second, address, reaches):
    receiver = Receiver(address)
    try:
        second(f"{address}:{receiver.port}")
        run("sensorctl", "--instance", "two", "list")
        if reaches:
            eventually(lambda: location()["state"] == "idle" and "3.22" in location().get("description", ""), "a gpsd")
        else:
            eventually(lambda: location()["state"] == "unavailable", "the state")
            assert address in location().get("reason", "")
    finally:
        receiver.close()
