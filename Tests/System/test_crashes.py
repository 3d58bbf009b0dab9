"""A crash without loss: the next process continues the streams whose state is certain."""

import fcntl
import signal
import struct
import termios

import pytest

from tools.continuity import begin_steadily, go_on, misaccounted, reading, restarts_told, settle, untold
from tools.programs import ADMIN, BROKER
from tools.stored import BATCH, COUNTED, EVERY, MEAN, PLACE, SLOW, TAP, parts_of, serve  # noqa: F401  a fixture
from tools.stream import MILLISECOND, Stream
from tools.waiting import until
from tools.wire import Closed, Connection, call


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
