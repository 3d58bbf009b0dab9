"""A restart under systemd without loss: no connection refused, no stream ended, every missing reading reported."""

import os
import signal
import statistics

import pytest

from tools.continuity import begin_steadily, go_on, knocking, misaccounted, reading, restarts_told, untold
from host import SERVICE, eventually, main_process, no_bus, run, show
from sensor import counters
from tools.stream import MILLISECOND, Stream
from tools.wire import Closed, Connection

COUNTED = {"resource": "accelerometer", "intervalNanoseconds": 200 * MILLISECOND}
TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
PLACE = {"resource": "location"}
# What the store holds besides the sockets of clients.
LEDGER_AND_TEXT = 2


def stored():
    return int(show("NFileDescriptorStore"))


@pytest.fixture
def streams(broker, sensor):
    # The service manager drops the sockets of an earlier test's clients when it sees them closed.
    eventually(lambda: stored() <= LEDGER_AND_TEXT, "a store without clients")
    streams = [Stream(broker, *requests) for requests in ([COUNTED], [TAP], [COUNTED, PLACE], [COUNTED], [COUNTED])]
    for stream in streams:
        stream.until(lambda s: s.samples, "a reading")
    begin_steadily([(streams[0], 200 * MILLISECOND)], streams)
    yield streams
    for stream in streams:
        stream.close()


def precautions(streams):
    """Waits until all clients could continue after a crash: sockets, ledger and text are in the store, and no socket is
    full.

    On a busy host, asking the service manager takes long enough for the socket of a client that does not read to fill.
    """
    with reading(streams):
        eventually(lambda: stored() == len(streams) + LEDGER_AND_TEXT, "the precautions")
    go_on(streams)


def step(stream):
    """The largest distance between readings of an every-sample client, with some tolerance for the sensor's
    timestamps."""
    stamps = [stamp for stamp, _, _ in stream.samples]
    return 3 * statistics.median(later - earlier for earlier, later in zip(stamps, stamps[1:]))


def assert_nothing_is_missed_in_silence(streams, restarts):
    counted, tap = streams[0], streams[1]
    assert all(len(restarts_told(stream)) <= restarts for stream in streams), [stream.gaps for stream in streams]
    assert misaccounted([(counted, 200 * MILLISECOND)], streams) == []
    # The sensor's own counts lie in the gaps.
    assert untold(tap, step(tap)) == []
    for (earlier, _, _), (later, _, _), first, second in zip(
            tap.samples, tap.samples[1:], counters(tap.samples), counters(tap.samples[1:])):
        assert second == first + 1 or any(
            gap["fromNanoseconds"] <= later and earlier <= gap["untilNanoseconds"] for gap in tap.gaps), tap.gaps


def test_a_restart_ends_no_stream_and_refuses_nobody(broker, streams):
    processes = {main_process()}
    with knocking(lambda: Connection(broker), count=2) as (served, refused, cut):
        for _ in range(5):
            with reading(streams):
                run("systemctl", "restart", SERVICE)
            go_on(streams)
            processes.add(main_process())
    assert len(processes) == 6 and refused == cut == [] and served
    assert_nothing_is_missed_in_silence(streams, restarts=5)


def test_a_crash_ends_no_stream(broker, streams):
    crashed = main_process()
    precautions(streams)
    os.kill(crashed, signal.SIGKILL)
    with reading(streams):
        eventually(lambda: main_process() not in (0, crashed), "a new process")
    go_on(streams)
    # A client that was not reached in the round in which the process died gets a gap of its own for that.
    assert_nothing_is_missed_in_silence(streams, restarts=2)


def test_a_stop_ends_streams_with_a_reason_and_empties_the_store(broker, streams):
    # Over D-Bus, the daemon asks whether it is being stopped or restarted; this machine starts no bus by itself.
    run("systemctl", "start", "dbus.socket", "dbus.service")
    precautions(streams)
    run("systemctl", "stop", SERVICE)
    assert {stream.read_to_end() for stream in streams} == {"shutdown"}
    assert stored() == 0


def test_without_d_bus_a_stop_ends_streams_without_a_reason(broker, streams):
    """The daemon then cannot know that no other process follows; the store is emptied nevertheless."""
    with no_bus():
        run("systemctl", "stop", SERVICE)
    for stream in streams:
        with pytest.raises(Closed):
            while True:
                stream.receive()
        assert stream.ended is None
    assert stored() == 0


def test_nothing_of_clients_that_leave_remains_in_the_store(broker, streams):
    precautions(streams)
    run("systemctl", "restart", SERVICE)
    go_on(streams)
    for stream in streams[1:]:
        stream.close()
    eventually(lambda: stored() == 1 + LEDGER_AND_TEXT, "one socket, ledger and text")
    go_on(streams[:1])
