"""Services on hosts that drop packets: the state is reported, with what to check."""

import socket

import pytest

from tools.ports import free_port
from tools.stream import Stream
from tools.waiting import until


def waiting(port):
    """How many connections wait to be accepted at a port. proc_net_tcp(5)"""
    with open("/proc/net/tcp") as file:
        for line in file:
            fields = line.split()
            if fields[1].endswith(f":{port:04X}") and fields[3] == "0A":
                return int(fields[4].split(":")[1], 16)
    raise AssertionError(f"nobody listens at {port}")


@pytest.fixture
def silent():
    """A port whose backlog is full, so that the kernel drops further packets of clients, as a firewall does."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listener.getsockname()[1]
    # A queue of length 0 holds one connection.
    client = socket.create_connection(("127.0.0.1", port))
    until(lambda: waiting(port) == 1, "the queue to be full")
    yield port
    client.close()
    listener.close()


@pytest.mark.parametrize("resource, words", [
    ("location", ("--gpsd", "127.0.0.1:{silent}", "--iio", "ip:localhost:{free}")),
    ("accelerometer", ("--gpsd", "localhost:{free}", "--iio", "ip:127.0.0.1:{silent}"))])
def test_a_service_that_drops_connections_is_unavailable(start, silent, resource, words):
    daemon = start(*(word.format(silent=silent, free=free_port()) for word in words))
    with Stream(daemon.broker, {"resource": resource}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of it")
        assert f"127.0.0.1:{silent}" in stream.states[-1][2]


def test_an_unknown_host_name_is_unavailable(start):
    daemon = start("--gpsd", "no-such-host.invalid:2947", "--iio", f"ip:localhost:{free_port()}")
    with Stream(daemon.broker, {"resource": "location"}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of it")
        assert "no gpsd at no-such-host.invalid:2947" in stream.states[-1][2]
