"""A host on which the package is installed, with a sensor that was present before."""

import os

import pytest

import layer
from host import BROKER_SOCKET, SECOND, SECOND_CONFIGURATION, SECOND_SOCKETS, SERVICE, SOCKETS, attempt, dpkg, run
from sensor import Sensor


@pytest.fixture(scope="session")
def before():
    """The host's state before the installation."""
    return layer.changes()


@pytest.fixture(scope="session", autouse=True)
def installation(before):
    """The output of dpkg when it installed the package, on a host with a sensor and two users."""
    for user in ("alice", "bob"):
        run("useradd", "--no-log-init", user)
    sensor = Sensor("A1")
    said = dpkg("-i", os.environ["PACKAGE"])
    run("usermod", "-aG", "sensorbroker", "alice")
    yield said, sensor
    sensor.process.kill()


@pytest.fixture
def sensor(installation):
    """The sensor, plugged in."""
    sensor = installation[1]
    sensor.plug_again()
    return sensor


@pytest.fixture
def broker():
    """The socket of a service that can be started, whatever a previous test did to it."""
    attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
    run("systemctl", "start", *SOCKETS)
    return BROKER_SOCKET


@pytest.fixture
def second():
    """Starts a named instance whose location comes from a gpsd at an address; it is removed after the test."""

    def start(gpsd):
        with open(SECOND_CONFIGURATION, "w") as file:
            file.write(f"[Location]\nGpsd={gpsd}\n[Accelerometer]\nContext=ip:localhost:2\n")
        run("systemctl", "start", *SECOND_SOCKETS)

    yield start
    run("systemctl", "stop", *SECOND_SOCKETS, SECOND)
    attempt("systemctl", "reset-failed", SECOND, *SECOND_SOCKETS)
    os.remove(SECOND_CONFIGURATION)
