"""Fixtures for each conftest that imports them: a runtime directory, daemons in it, and a fleet's server; all end with their test."""

import shutil
import socket
import tempfile

import pytest

from tools.bridge import Bridge
from tools.certificates import write_certificates
from tools.commands import Command
from tools.daemon import Daemon
from tools.mosquitto import Mosquitto
from tools.ports import waiting_connections
from tools.waiting import until


@pytest.fixture
def directory():
    """A new directory with a short name, since paths of Unix sockets have at most 107 bytes."""
    path = tempfile.mkdtemp(prefix="sb-")
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def closing():
    """Closes what a test opens, newest first."""
    opened = []

    def open_one(value):
        opened.append(value)
        return value

    yield open_one
    for value in reversed(opened):
        value.close()


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


@pytest.fixture
def sensorctl(daemon):
    """The command, with the daemon."""
    return Command(daemon.broker)


@pytest.fixture
def replay(start, directory):
    """Starts a daemon that replays a file, in place of the previous one."""
    running = []

    def play(path, *arguments):
        for daemon in running:
            daemon.stop()
        running[:] = [start("--replay", str(path), *arguments)]
        return running[0]

    return play


@pytest.fixture
def server(closing, directory):
    """A fleet's server."""
    return closing(Mosquitto(directory)).start()


@pytest.fixture
def bridge(closing, daemon, directory, server):
    """A bridge to the fleet's server, not started yet."""
    return closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}"))


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A folder with the certificates of a fleet's server, of its clients, and of strangers."""
    folder = tmp_path_factory.mktemp("tls")
    write_certificates(folder)
    return folder


@pytest.fixture
def silent():
    """A port whose backlog is full, so that the kernel drops further packets of clients, as a firewall does."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listener.getsockname()[1]
    # A queue of length 0 holds one connection.
    client = socket.create_connection(("127.0.0.1", port))
    until(lambda: waiting_connections(port) == 1, "the queue to be full")
    yield port
    client.close()
    listener.close()
