"""Fixtures of the tests on a real kernel: a sensor, and a daemon that uses it."""

import pytest

from tools.fixtures import directory, start  # noqa: F401
from sensor import Sensor


@pytest.fixture
def plug():
    """Plugs in sensors that are removed after the test."""
    plugged = []

    def plug_sensor(serial="", **options):
        plugged.append(Sensor(serial, **options))
        return plugged[-1]

    yield plug_sensor
    for sensor in plugged:
        sensor.close()


@pytest.fixture
def sensor(plug):
    return plug("A1")


@pytest.fixture
def daemon(sensor, start):  # noqa: F811
    """A daemon on this host's devices; there is no gpsd."""
    return start("--gpsd", "localhost:1")
