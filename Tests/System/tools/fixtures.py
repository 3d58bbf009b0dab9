"""A runtime directory, and daemons in it that end with their test; for each conftest that imports them."""

import shutil
import tempfile

import pytest

from tools.daemon import Daemon


@pytest.fixture
def directory():
    """A new directory with a short name, since paths of Unix sockets have at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="sb-")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def start(directory):
    """Starts daemons in the test's directory and waits for READY=1; each must still be healthy when the test ends."""
    started = []

    def start_daemon(*arguments, ready=True, **options):
        daemon = Daemon(directory, *arguments, **options)
        started.append(daemon)
        return daemon.await_ready() if ready else daemon

    yield start_daemon
    faults = []
    for daemon in started:
        if daemon.process.poll() is None:
            try:
                daemon.stop()
            except AssertionError as fault:
                faults.append(str(fault))
        daemon.close()
    assert not faults, faults


@pytest.fixture
def daemon(start):
    """A daemon with simulated devices."""
    return start("--mock")
