"""A daemon's file of settings, and what it makes of them."""

import signal

import pytest

from tools.programs import BROKER
from tools.waiting import until
from tools.wire import Connection


@pytest.fixture
def file(tmp_path):
    return tmp_path / "sensorbrokerd.conf"


def reload(daemon):
    """Reloads the configuration, and waits until that is done."""
    before = daemon.output().count("read again") + daemon.output().count("is unchanged")
    daemon.send_signal(signal.SIGHUP)
    until(lambda: daemon.output().count("read again") + daemon.output().count("is unchanged") > before,
          "the reload")


def limits(daemon, resource="accelerometer"):
    with Connection(daemon.broker) as client:
        for item in client.result(f"{BROKER}.ListResources")["resources"]:
            if item["name"] == resource:
                return item["minimumIntervalNanoseconds"], item["defaultIntervalNanoseconds"]
