"""A restart without loss: connections and streams move to the next process through the service manager's store."""

import pytest

from tools.continuity import (
    begin_steadily, go_on, knocking, misaccounted, reading, restarts_told, settle, untold)
from tools.descriptorstore import Service
from tools.ports import free_port
from tools.programs import ADMIN, BROKER
from tools.stored import BATCH, COUNTED, EVERY, MEAN, PLACE, SLOW, TAP, parts_of, serve  # noqa: F401  a fixture
from tools.stream import MILLISECOND, Stream, read_all
from tools.waiting import until
from tools.wire import Closed, Connection, call


def test_streams_continue_on_the_same_connection(serve):
    service = serve()
    requests = [[EVERY], [COUNTED], [TAP], [MEAN], [BATCH], [PLACE], [COUNTED, PLACE]]
    streams = [Stream(service.broker, *request) for request in requests]
    slow = Stream(service.broker, SLOW)
    settle(service, streams, 10 * MILLISECOND)
    slow.until(lambda s: s.samples, "its first reading")
    every, counted, tap, mean, batch, place, _ = streams
    paced = [(counted, 50 * MILLISECOND), (mean, 100 * MILLISECOND), (batch, 20 * MILLISECOND)]
    begin_steadily(paced, streams)
    for count in range(1, 6):
        with reading(streams):
            service.restart()
        go_on(streams)
        for stream in streams:
            assert all(len(restarts_told(stream, resource)) <= count for resource in ("accelerometer", "location"))
    assert misaccounted(paced, streams) == []
    assert untold(every, 10 * MILLISECOND) == untold(tap, 10 * MILLISECOND) == untold(place, 200 * MILLISECOND) == []
    # Nothing was due to it in the meantime, so there was nothing to report.
    slow.note_what_is_there()
    assert (len(slow.samples), slow.gaps) == (1, [])
    assert service.names().count("client") <= len(streams) + 1, "none twice"


def test_due_times_continue_unchanged(serve):
    """Due times lie on one grid, whichever process serves them."""
    service = serve()
    # The other client makes the device sample often enough.
    with Stream(service.broker, COUNTED) as stream, Stream(service.broker, EVERY) as other:
        for _ in range(3):
            go_on([stream, other])
            service.restart()
        # After a hole, the first reading serves what was due in it.
        with reading([stream, other]):
            service.wait_for(lambda: parts_of(service) and "due" in parts_of(service)[0], "a second of it")
        first = stream.samples[0][0]

        def is_on_the_grid():
            """Checks the last five readings; a busy host may have made one early."""
            offsets = [(stamp - first + 25 * MILLISECOND) % (50 * MILLISECOND) - 25 * MILLISECOND
                       for stamp, _, _ in stream.samples[-5:]]
            return max(map(abs, offsets)) <= 5 * MILLISECOND

        go_on([stream])
        read_all([stream, other], is_on_the_grid, "readings where they would have been without a restart")


def test_no_client_is_refused_during_a_restart(serve):
    service = serve()
    with knocking(lambda: Connection(service.broker)) as (served, refused, cut):
        for _ in range(5):
            service.restart()
    assert refused == [] and cut == [] and len(served) > 5


def test_a_subscription_keeps_its_name_and_its_account(serve):
    service = serve()
    with Stream(service.broker, COUNTED) as stream, Connection(service.admin) as admin:
        stream.until(lambda s: len(s.samples) >= 5, "readings")
        [before] = [client for client in admin.result(f"{ADMIN}.GetStatus")["clients"] if client["resources"]]
        service.restart()
        go_on([stream])
        # The administrator's connection has moved as well.
        [after] = [client for client in admin.result(f"{ADMIN}.GetStatus")["clients"] if client["resources"]]
        assert {key: before[key] for key in ("id", "processId", "userId", "subscription")} == {
            key: after[key] for key in ("id", "processId", "userId", "subscription")}
        assert after["deliveredReadings"] > before["deliveredReadings"] >= 5
        with Connection(service.broker) as other:
            answer = other.result(f"{BROKER}.Modify", {"subscription": stream.subscription, "requests": [EVERY]})
        assert answer["revision"] == 2
        stream.until(lambda s: len(s.samples) >= 20, "readings at the new interval")


def test_waiting_calls_are_answered(serve):
    """Half a call, calls behind a stream, a watched list, a reading that is being waited for."""
    service = serve()
    half, list_, read = (Connection(service.broker) for _ in range(3))
    half.socket.sendall(b'{"method":"org.varlink.service.')
    list_.send(call(f"{BROKER}.ListResources", more=True))
    list_.receive()
    with Connection(service.admin) as admin:
        # Nobody can say when half a call has been read; it has been when the others, and so this one, are served.
        admin.result(f"{ADMIN}.Release", {"resource": "location"})
        read.send(call(f"{BROKER}.Read", {"resource": "accelerometer"}), call("org.varlink.service.GetInfo"))
        admin.result(f"{ADMIN}.GetStatus")
    service.restart()
    half.socket.sendall(b'GetInfo"}\0')
    assert half.receive()["parameters"]["interfaces"]
    assert list_.receive()["continues"]
    assert read.receive()["parameters"]["reading"]["resource"] == "accelerometer"
    assert read.receive()["parameters"]["interfaces"]
    for connection in (half, list_, read):
        connection.close()


def test_released_devices_remain_released(serve):
    service = serve()
    with Stream(service.broker, COUNTED, PLACE) as stream, Connection(service.admin) as admin:
        go_on([stream])
        stream.until(lambda s: any(reading["resource"] == "location" for reading in s.readings), "a location")
        assert admin.result(f"{ADMIN}.Release", {"resource": "location"}) == {"released": ["location"]}
        stream.until(lambda s: ("location", "released", None) in s.states, "the word of it")
        had = len([reading for reading in stream.readings if reading["resource"] == "location"])
        service.restart()
        go_on([stream])
        go_on([stream])
        assert len([reading for reading in stream.readings if reading["resource"] == "location"]) == had
        assert admin.result(f"{ADMIN}.Reacquire", {"resource": "location"}) == {"reacquired": ["location"]}
        stream.until(lambda s: [reading for reading in s.readings if reading["resource"] == "location"][had:], "it again")
        [gap] = [gap for gap in stream.gaps if gap["resource"] == "location"]
        assert gap["cause"] == "released"


def test_a_release_that_waits_is_answered_when_its_device_is_closed(directory, silent, closing):
    """The driver waits for a gpsd that does not answer, when the daemon is restarted."""
    service = closing(Service(directory, "--gpsd", f"127.0.0.1:{silent}", "--iio", f"ip:127.0.0.1:{free_port()}")).start()
    with Connection(service.admin) as admin:
        admin.send(call(f"{ADMIN}.Release", {"resource": "location"}))
        until(lambda: "location is released" in service.output(), "the order")
        service.restart()
        assert admin.receive()["parameters"] == {"released": ["location"]}
    assert "its driver hangs" not in service.output()


def test_a_client_that_reads_late_is_informed_of_every_loss(serve):
    """Its socket is full, with a message partly sent: it gets each message whole, and a gap for what it missed."""
    service = serve()
    fast = {"resource": "accelerometer", "intervalNanoseconds": MILLISECOND}
    with Stream(service.broker, fast) as late, Stream(service.broker, COUNTED) as beside, \
            Connection(service.admin) as admin:
        for _ in range(3):
            def lost():
                return max(client["lostReadings"] for client in admin.result(f"{ADMIN}.GetStatus")["clients"])
            before = lost()
            beside.until(lambda s: lost() > before, "losses")
            service.restart()
            go_on([beside])
        late.until(lambda s: {gap["cause"] for gap in s.gaps} >= {"slowClient", "restarted"}, "the account")
        assert untold(late, 2 * MILLISECOND) == []


def test_streams_that_do_not_fit_into_the_store_end_with_a_reason(serve):
    # Four places are for descriptors other than clients.
    service = serve(capacity=6)
    streams = [Stream(service.broker, COUNTED) for _ in range(4)]
    go_on(streams)
    service.restart()
    assert service.refused == 0
    assert [stream.read_to_end() for stream in streams[2:]] == ["shutdown", "shutdown"]
    go_on(streams[:2])


def test_lower_limits_end_no_stream_that_was_granted(serve, tmp_path):
    settings = tmp_path / "sensorbrokerd.conf"
    settings.write_text("")
    service = serve("--config", str(settings))
    streams = [Stream(service.broker, {**COUNTED, "label": "one"}) for _ in range(20)]
    go_on(streams)
    settings.write_text("[Clients]\nMaxConnections=8\nMaxConnectionsPerUser=8\nMaxSubscriptionsPerUser=8\n")
    service.restart()
    go_on(streams)
    assert "took over 20 clients" in service.output()
    # What comes now has to fit.
    with Connection(service.broker) as other:
        assert other.receive()["error"] == f"{BROKER}.TooManyConnections"


@pytest.mark.parametrize("content", [
    b"", b"\n", b'{"version":1,"resources":[],"connections":0}\n', b'{"version":3,"generation":1,"needsLedger":false,"resources":[],"connections":1}\n',
    b'{"version":3,"generation":1,"needsLedger":false,"resources":[],"connections":0}', b"\xff" * 4096, b'{"version":3}\n'], ids=lambda text: repr(text[:20]))
def test_an_unreadable_handover_is_discarded(serve, content):
    """Such as one of another version: the client's connection ends, and its next connection is served."""
    service = serve()
    with Stream(service.broker, COUNTED) as stream:
        go_on([stream])
        service.end()
        service.replace(service.text_name(), content)
        service.start()
        with pytest.raises(Closed):
            while True:
                stream.receive()
    with Stream(service.broker, COUNTED) as stream:
        go_on([stream])
    assert "must connect again" in service.output()
    service.wait_for(lambda: service.names() == ["ledger"], "an empty store")


def test_nothing_remains_of_a_client_that_leaves(serve):
    service = serve()
    streams = [Stream(service.broker, COUNTED) for _ in range(3)]
    begin_steadily([(stream, 50 * MILLISECOND) for stream in streams])
    service.end()
    assert [name for name in sorted(service.names()) if "handover" not in name] == ["client"] * 3 + ["ledger"]
    streams.pop().close()
    service.wait_for(lambda: [name for name, _ in service.stored].count("client") == 2, "the store to see it go")
    service.start()
    go_on(streams)
    streams.pop().close()
    with Connection(service.admin) as admin:
        while sum(bool(client["resources"]) for client in admin.result(f"{ADMIN}.GetStatus")["clients"]) != 1:
            go_on(streams)
    service.restart()
    go_on(streams)
    assert misaccounted([(streams[0], 50 * MILLISECOND)]) == []


def test_a_stop_ends_streams(serve):
    """The store ends with the service; a daemon without one ends streams with a reason."""
    service = serve()
    with Stream(service.broker, COUNTED) as stream:
        go_on([stream])
        service.stop()
        with pytest.raises(Closed):
            while True:
                stream.receive()


def test_without_a_store_streams_end_with_a_reason(serve):
    service = serve(capacity=0)
    with Stream(service.broker, COUNTED) as stream:
        go_on([stream])
        service.restart()
        assert stream.read_to_end() == "shutdown"


