"""The Python package, from its sources, and its own doubles of a broker."""

import errno
import os
import sys

import pytest

from tools.programs import ROOT, SENSORBROKERD

PACKAGE = ROOT / "Clients/python"
sys.path.insert(0, str(PACKAGE))

from sensorbroker import _socket, testing  # noqa: E402

SECOND = 1_000_000_000


@pytest.fixture
def mock():
    with testing.MockBroker(program=SENSORBROKERD) as broker:
        yield broker


@pytest.fixture
def fake():
    with testing.FakeBroker() as broker:
        broker.add("accelerometer", "acceleration", x="m/s²", y="m/s²", z="m/s²")
        broker.add("location", "location")
        yield broker


@pytest.fixture
def no_descriptors(monkeypatch):
    """Sockets and pipes are refused while it is called with True."""

    def refuse(*_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def change(are_none):
        if are_none:
            monkeypatch.setattr(_socket.Connection, "__init__", refuse)
            monkeypatch.setattr(os, "pipe2", refuse)
        else:
            monkeypatch.undo()

    return change
