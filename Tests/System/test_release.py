"""Devices released and reacquired under running streams: what subscribers receive, and how others are affected."""

import json
import pathlib
import socket
import threading

import pytest

from tools.administration import admin, await_state, device, refusal
from tools.continuity import untold
from tools.ports import free_port
from tools.programs import BROKER
from tools.stream import MILLISECOND, Stream, boot_nanoseconds, read_all
from tools.waiting import until
from tools.wire import Connection

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 20 * MILLISECOND}
LOCATION = {"resource": "location", "intervalNanoseconds": 100 * MILLISECOND}
LEVELS = [
    ({"resource": "accelerometer"}, ["accelerometer"]),
    ({"kind": "acceleration"}, ["accelerometer"]),
    ({"all": True}, ["location", "accelerometer"]),
]


def states(stream, resource):
    return [state for name, state, _ in stream.states if name == resource]


def stamps(stream, resource):
    """The timestamps of its readings; the two kinds of values distinguish them."""
    kind = dict if resource == "location" else tuple
    return [stamp for stamp, _, values in stream.samples if isinstance(values, kind)]


def active(stream, *resources):
    return all(states(stream, resource)[-1:] == ["active"] and stamps(stream, resource) for resource in resources)


@pytest.mark.parametrize("scope, expected", LEVELS, ids=["resource", "kind", "all"])
def test_at_each_level_subscriptions_remain_and_get_the_state(daemon, scope, expected):
    streams = [Stream(daemon.broker, ACCELEROMETER, LOCATION) for _ in range(5)]
    read_all(streams, lambda: all(active(s, "accelerometer", "location") for s in streams), "readings of both")

    assert admin(daemon, "Release", **scope) == {"released": expected}
    released_at = boot_nanoseconds()
    read_all(streams, lambda: all(states(s, name)[-1] == "released" for s in streams for name in expected),
             "word of the release")
    others = {"accelerometer", "location"} - set(expected)
    counts = {name: len(stamps(streams[0], name)) for name in others}
    read_all(streams, lambda: all(len(stamps(streams[0], name)) >= counts[name] + 3 for name in others),
             "readings of what was not released")
    for name in expected:
        assert device(daemon, name)["state"] == "released"
        assert device(daemon, name)["subscribers"] == 5

    assert admin(daemon, "Reacquire", **scope) == {"reacquired": expected}
    back_at = boot_nanoseconds()
    read_all(streams, lambda: all(active(s, name) and stamps(s, name)[-1] > back_at for s in streams for name in expected),
             "readings again")
    for stream in streams:
        for name in expected:
            gaps = [gap for gap in stream.losses if gap["resource"] == name]
            assert [gap["cause"] for gap in gaps] == ["released"], gaps
            before = max(stamp for stamp in stamps(stream, name) if stamp < released_at)
            after = min(stamp for stamp in stamps(stream, name) if stamp > released_at)
            # On a busy host a newer sample of the first interval may stand for that which ended the gap, and what ends it may have
            # been measured just before the release, by a device that had not said so yet.
            assert gaps[0]["fromNanoseconds"] <= before <= gaps[0]["untilNanoseconds"] <= after
            assert gaps[0]["fromNanoseconds"] < gaps[0]["untilNanoseconds"]
        for name in others:
            assert not [gap for gap in stream.losses if gap["resource"] == name]
            assert "released" not in states(stream, name)
        stream.close()


def test_a_release_for_a_time_ends_by_itself(daemon):
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        stream.until(lambda s: active(s, "accelerometer"), "readings")
        admin(daemon, "Release", resource="accelerometer", seconds=1)
        stream.until(lambda s: states(s, "accelerometer")[-1] == "released", "word of the release")
        stream.until(lambda s: states(s, "accelerometer")[-1] == "active" and s.gaps, "its end")
        gap = stream.gaps[0]
        assert gap["cause"] == "released"
        assert gap["untilNanoseconds"] - gap["fromNanoseconds"] >= 900 * MILLISECOND
    assert admin(daemon, "Reacquire", all=True) == {"reacquired": []}


def test_the_latest_command_counts(daemon):
    admin(daemon, "Release", all=True)
    assert admin(daemon, "Reacquire", resource="accelerometer") == {"reacquired": ["accelerometer"]}
    await_state(daemon, "idle")
    assert device(daemon, "location")["state"] == "released"
    admin(daemon, "Release", resource="accelerometer")
    assert admin(daemon, "Reacquire", kind="acceleration") == {"reacquired": ["accelerometer"]}
    assert admin(daemon, "Reacquire", all=True) == {"reacquired": ["location"]}
    await_state(daemon, "idle", "location")


def test_a_new_client_of_a_released_device_is_served_after_reacquire(daemon):
    admin(daemon, "Release", resource="accelerometer")
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        assert states(stream, "accelerometer") == ["released"]
        admin(daemon, "Reacquire", resource="accelerometer")
        stream.until(lambda s: active(s, "accelerometer"), "readings")
        # It has missed no available reading.
        assert stream.losses == []


def test_a_read_is_refused_at_once_with_the_reason(daemon):
    admin(daemon, "Release", resource="accelerometer")
    with Connection(daemon.broker) as client:
        name, details = client.error(f"{BROKER}.Read", {"resource": "accelerometer"})
        assert name.endswith("ResourceUnavailable") and "reacquire" in details["reason"]
        assert "reading" in client.result(f"{BROKER}.Read", {"resource": "location"})


def test_after_many_releases_and_reacquires_the_last_one_counts(daemon):
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        stream.until(lambda s: active(s, "accelerometer"), "readings")
        for _ in range(20):
            assert admin(daemon, "Release", resource="accelerometer") == {"released": ["accelerometer"]}
            assert admin(daemon, "Reacquire", resource="accelerometer") == {"reacquired": ["accelerometer"]}
        now = boot_nanoseconds()
        stream.until(lambda s: s.samples[-1][0] > now, "readings")
        # Every missing reading lies in a gap.
        assert untold(stream, ACCELEROMETER["intervalNanoseconds"]) == []
    assert device(daemon)["faults"] == 0


@pytest.mark.parametrize("parameters, error", [
    ({}, "InvalidParameter"),
    ({"all": False}, "InvalidParameter"),
    ({"all": True, "kind": "location"}, "InvalidParameter"),
    ({"resource": "location", "all": True}, "InvalidParameter"),
    ({"resource": "location", "kind": "location"}, "InvalidParameter"),
    ({"kind": "smell"}, "InvalidParameter"),
    ({"resource": "compass"}, "NoSuchResource"),
    ({"resource": "\n"}, "NoSuchResource"),
    ({"resource": "location", "sudo": True}, "InvalidParameter"),
])
def test_exactly_one_of_the_three_scopes_is_required(daemon, parameters, error):
    for method in ("Release", "Reacquire"):
        assert refusal(daemon, method, **parameters)[0] == error
    assert device(daemon, "location")["state"] != "released"


@pytest.mark.parametrize("seconds", [0, -1, 2**40, 2**63 - 1, 1.5, "1"])
def test_a_time_out_of_range_releases_nothing(daemon, seconds):
    assert refusal(daemon, "Release", all=True, seconds=seconds) == ("InvalidParameter", {"parameter": "seconds"})
    assert device(daemon)["state"] != "released"


class FakeGpsd:
    """Sends gpsd's greeting, and nothing else."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.clients = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        greeting = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.sendall(json.dumps(greeting).encode() + b"\r\n")
            self.clients.append(client)

    def close(self):
        self.listener.close()
        for client in self.clients:
            client.close()


def test_the_device_is_closed_when_the_call_returns(start):
    """The next program may need it: `sensorctl release location && something-else`."""
    gpsd = FakeGpsd()
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    with Stream(daemon.broker, LOCATION):
        for number in range(1, 6):
            until(lambda: device(daemon, "location")["opens"] == number, "gpsd to be connected to")
            client = gpsd.clients[-1]
            assert admin(daemon, "Release", resource="location") == {"released": ["location"]}
            # Its end has arrived already: nothing here waits.
            client.setblocking(False)
            while client.recv(65536):
                pass
            admin(daemon, "Reacquire", all=True)
    gpsd.close()


def test_a_device_that_is_connecting_is_released_when_the_attempt_ends(start):
    """A gpsd whose host neither accepts nor refuses a connection: its driver returns in time, so the reply names it
    too.
    """
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    # The backlog is full from now on: further connections must wait.
    fillers = [socket.socket() for _ in range(4)]
    for filler in fillers:
        filler.setblocking(False)
        filler.connect_ex(listener.getsockname())
    port = listener.getsockname()[1]

    def waiting():
        """Connections to it that are neither accepted nor refused: state SYN_SENT."""
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        return sum(line.split()[2].endswith(f":{port:04X}") and line.split()[3] == "02" for line in lines)

    before = waiting()
    daemon = start("--gpsd", f"127.0.0.1:{port}", "--iio", f"ip:127.0.0.1:{free_port()}")
    with Stream(daemon.broker, LOCATION):
        until(lambda: waiting() > before, "the driver to connect")
        assert set(admin(daemon, "Release", all=True)["released"]) == {"location", "accelerometer"}
        assert admin(daemon, "Reacquire", all=True)["reacquired"] == ["location", "accelerometer"]
    for filler in fillers:
        filler.close()
    listener.close()


def test_nothing_remains_of_a_caller_that_disconnects(daemon):
    for _ in range(10):
        with Connection(daemon.admin) as connection:
            connection.send({"method": "io.sensorbroker.Admin.Release", "parameters": {"all": True}})
        with Connection(daemon.admin) as connection:
            connection.send({"method": "io.sensorbroker.Admin.Release", "parameters": {"all": True}, "oneway": True})
    until(lambda: device(daemon)["state"] == "released", "the release")
    assert len(admin(daemon, "Reacquire", all=True)["reacquired"]) == 2
