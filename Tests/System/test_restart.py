"""A restart without loss: connections and streams move to the next process through the service manager's store."""

import fcntl
import signal
import struct
import termios

import pytest

from tools.continuity import (
    begin_steadily, go_on, knocking, misaccounted, reading, restarts_told, settle, untold)
from tools.descriptorstore import Service
from tools.ports import free_port
from tools.programs import ADMIN, BROKER
from tools.stream import MILLISECOND, Stream, read_all
from tools.waiting import until
from tools.wire import Closed, Connection, call

# At Mock's own pace every sample is due, so samples that were never made cannot be counted.
COUNTED = {"resource": "accelerometer", "intervalNanoseconds": 50 * MILLISECOND}
EVERY = {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}
TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
MEAN = {"resource": "accelerometer", "intervalNanoseconds": 100 * MILLISECOND, "filter": "mean"}
BATCH = {"resource": "accelerometer", "intervalNanoseconds": 20 * MILLISECOND, "batchNanoseconds": 100 * MILLISECOND}
SLOW = {"resource": "accelerometer", "intervalNanoseconds": 3_600_000 * MILLISECOND}
PLACE = {"resource": "location", "intervalNanoseconds": 200 * MILLISECOND}


@pytest.fixture
def serve(directory):
    services = []

    def serve(*arguments, **options):
        services.append(Service(directory, "--mock", *arguments, **options))
        return services[-1].start()

    yield serve
    for service in services:
        service.close()


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


# A crash


def parts_of(service):
    """The stored state of streams, for the case of a crash."""
    return [part for line in (service.text() or [])[1:] if "stream" in line for part in line["stream"]["parts"]]


def await_precautions(service, streams, parts):
    """Waits until this many parts of streams could continue after a crash, and their device has delivered."""
    def are_taken():
        return len([part for part in parts_of(service) if "due" in part]) >= parts or go_on(streams)
    until(are_taken, service.text)


def test_a_crash_ends_no_stream(serve):
    service = serve()
    streams = [Stream(service.broker, *request) for request in ([EVERY], [COUNTED], [TAP], [MEAN], [COUNTED, PLACE])]
    slow = Stream(service.broker, SLOW)
    slow.until(lambda s: s.samples, "its first reading")
    settle(service, streams, 10 * MILLISECOND)
    every, counted, tap, mean, _ = streams
    paced = [(counted, 50 * MILLISECOND), (mean, 100 * MILLISECOND)]
    begin_steadily(paced, streams)
    for count in range(1, 4):
        # Nothing is due to a tap.
        await_precautions(service, streams, 6)
        with reading(streams):
            service.restart(signal.SIGKILL)
        go_on(streams)
        # A client that was not reached in the round in which the process died gets a gap of its own for that.
        assert all(len(restarts_told(stream)) <= 2 * count for stream in streams)
    assert misaccounted(paced, streams) == []
    assert untold(every, 10 * MILLISECOND) == untold(tap, 10 * MILLISECOND) == []
    slow.note_what_is_there()
    assert (len(slow.samples), slow.gaps) == (1, [])


def test_after_a_crash_the_list_is_still_watched(serve):
    service = serve()
    with Connection(service.broker) as watcher, Stream(service.broker, COUNTED) as stream:
        watcher.send(call(f"{BROKER}.ListResources", more=True))
        watcher.receive()
        while not any("list" in line for line in service.text() or []):
            go_on([stream])
        await_precautions(service, [stream], 1)
        service.restart(signal.SIGKILL)
        go_on([stream])
        while not any(item["state"] == "active" for item in watcher.receive()["parameters"]["resources"]):
            pass


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGKILL])
def test_releases_and_watched_lists_outlive_a_crash_after_a_restart_without_streams(serve, first):
    service = serve()
    with Connection(service.admin) as admin, Connection(service.broker) as watcher:
        watcher.send(call(f"{BROKER}.ListResources", more=True))
        watcher.receive()
        admin.result(f"{ADMIN}.Release", {"resource": "location"})
        for number in (first, signal.SIGKILL):
            service.wait_for(lambda: {"releases", "list"} <= set().union(*service.text() or []), "both in the store")
            service.restart(number)
        with Connection(service.admin) as other:
            assert other.result(f"{ADMIN}.Reacquire", {"resource": "location"}) == {"reacquired": ["location"]}
        while not any((item["name"], item["state"]) == ("location", "idle") for item in watcher.receive()["parameters"]["resources"]):
            pass


def unread(connection):
    """How many bytes the daemon has not read."""
    return struct.unpack("i", fcntl.ioctl(connection.socket, termios.TIOCOUTQ, bytes(4)))[0]


def test_a_call_that_the_next_process_cannot_answer_ends_its_connection(serve, tmp_path):
    """And is not answered with what is for the call behind it."""
    (tmp_path / "conf").write_text("")
    service = serve("--config", str(tmp_path / "conf"))
    for _ in range(5):
        with Connection(service.admin) as admin:
            admin.result(f"{ADMIN}.GetStatus")
            admin.send(call(f"{ADMIN}.Reload"), call(f"{ADMIN}.DisconnectClient", {"id": 999_999}))
            # Without a pause: a reload takes a millisecond.
            while unread(admin):
                pass
            service.restart()
            answers = []
            with pytest.raises(Closed):
                while len(answers) < 2:
                    answers.append(admin.receive())
                raise Closed
            assert not answers or "error" not in answers[0], answers


def ends(stream):
    with pytest.raises(Closed):
        while True:
            stream.receive()


def test_after_a_crash_streams_of_uncertain_state_are_disconnected(serve):
    """A stream changed a moment ago, one that gathers a batch, one whose socket was full: their clients connect
    again."""
    service = serve()
    stays, changed, batch = (Stream(service.broker, request) for request in (COUNTED, COUNTED, BATCH))
    late = Stream(service.broker, {"resource": "accelerometer", "intervalNanoseconds": MILLISECOND})
    await_precautions(service, [stays], 3)
    begin_steadily([(stays, 50 * MILLISECOND)], [changed])
    with Connection(service.admin) as admin:
        while not any(client["lostReadings"] for client in admin.result(f"{ADMIN}.GetStatus")["clients"]
                      if client.get("subscription") == late.subscription):
            go_on([stays, changed])
    with Connection(service.broker) as other:
        other.result(f"{BROKER}.Modify", {"subscription": changed.subscription, "requests": [EVERY]})
    service.end(signal.SIGKILL)
    # On a busy machine a second may have passed, and the change may have been stored.
    is_written = any(line["stream"]["id"] == changed.subscription and line["stream"]["revision"] == 2
                    for line in service.text()[1:] if "stream" in line)
    service.start()
    go_on([stays])
    for stream in (batch, late) if is_written else (changed, batch, late):
        ends(stream)
    assert misaccounted([(stays, 50 * MILLISECOND)]) == []


def test_a_gap_sent_before_a_crash_is_not_sent_again(serve):
    """A gap that was pending when the stream was stored, and was sent since, counts as sent."""
    service = serve()
    with Stream(service.broker, EVERY) as late, Stream(service.broker, COUNTED) as beside, \
            Connection(service.admin) as admin:
        def lost():
            return any(client["lostReadings"] for client in admin.result(f"{ADMIN}.GetStatus")["clients"]
                       if client.get("subscription") == late.subscription)
        beside.until(lambda s: lost(), "losses")
        begin_steadily([(beside, 50 * MILLISECOND)])
        with Stream(service.broker, COUNTED) as other, reading([beside, other]):
            service.wait_for(lambda: other.subscription in str(service.text()), "the stream of another one written down")
        late.until(lambda s: s.gaps, "its gap")
        go_on([late, beside])
        with reading([late, beside]):
            service.restart(signal.SIGKILL)
        go_on([late, beside])
        assert 1 <= len(restarts_told(late)) <= 2 >= len(restarts_told(beside))
        slow = [gap for gap in late.gaps if gap["cause"] == "slowClient"]
        assert all(first["untilNanoseconds"] < second["fromNanoseconds"] for first, second in zip(slow, slow[1:])), slow
        assert misaccounted([(beside, 50 * MILLISECOND)], [late]) == []
        assert untold(late, 10 * MILLISECOND) == []


def test_a_crash_right_after_a_restart_is_handled_equally(serve):
    service = serve()
    # The faster one first: samples that are not made while the device still has its pace are no loss.
    with Stream(service.broker, EVERY) as other, Stream(service.broker, COUNTED) as stream:
        begin_steadily([(stream, 50 * MILLISECOND)], [other])
        service.restart()
        service.restart()
        await_precautions(service, [stream, other], 2)
        service.restart(signal.SIGKILL)
        service.restart()
        go_on([stream, other])
        assert misaccounted([(stream, 50 * MILLISECOND)], [other]) == []
        assert untold(other, 10 * MILLISECOND) == []


def test_clients_that_come_and_go_do_not_fill_the_store(serve):
    service = serve()
    with Stream(service.broker, COUNTED) as stream:
        for _ in range(3):
            others = [Stream(service.broker, COUNTED) for _ in range(20)]
            service.wait_for(lambda: service.names().count("client") == 21, "all of them in the store")
            for other in others:
                other.close()
            service.wait_for(lambda: service.names().count("client") == 1, "none of them in the store")
        go_on([stream])
        assert service.refused == 0 and len(service.names()) == 3
