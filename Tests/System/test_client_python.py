"""Streams and calls of the Python package, with a daemon and with its own doubles. What clients have in common is in test_conformance.py."""

import asyncio
import logging
import os
import pathlib
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tools.programs import PATIENCE, SENSORBROKERD
from tools.pythonclient import SECOND, fake, mock, no_descriptors  # noqa: F401  fixtures
from tools.waiting import until

import sensorbroker
from sensorbroker import aio, testing


def readings_apart(readings, interval_ns, count=5):
    """The next readings in a row that are so far apart: on a host that stands still some are missing, or not in their place."""
    row = []
    while len(row) < count:
        reading = next(readings)
        if row and reading.timestamp_ns - row[-1].timestamp_ns != interval_ns:
            row.clear()
        row.append(reading)
    return row


def test_a_stream_has_the_rate_that_was_asked_for_and_is_changed_while_it_runs(mock):
    with mock.broker().subscribe("accelerometer", rate=100) as readings:
        first = readings_apart(readings, 10_000_000)
        assert readings.grants["accelerometer"].rate == 100
        readings.change("accelerometer", rate=50)
        # The device's own interval may have been told in another grant meanwhile.
        assert next(event for event in readings.events() if isinstance(event, sensorbroker.Grant) and event.interval_ns == 20_000_000)
        later = readings_apart(readings, 20_000_000)
        assert all(set(reading.columns) == {"x", "y", "z"} for reading in first + later)
        assert readings.resources["accelerometer"].channels[0] == sensorbroker.Channel("x", "m/s²")


def test_faults_of_simulated_devices_are_events(mock):
    with mock.broker().subscribe("accelerometer", rate=100) as stream:
        next(stream)
        assert mock.inject("overflow", "accelerometer", count=7) == "accelerometer"
        reading = next(reading for reading in stream if reading.gaps)
        assert [gap.cause for gap in reading.gaps] == ["deviceOverflow"]
        mock.inject("unplug", "accelerometer")
        lost = next(event for event in stream.events() if isinstance(event, sensorbroker.State))
        assert (lost.state, lost.resource) == ("unavailable", "accelerometer")
        assert mock.clear("accelerometer", "unplug") == ["accelerometer"]
        back = next(reading for reading in stream if reading.gaps)
        assert "deviceLost" in {gap.cause for gap in back.gaps}
    with pytest.raises(testing.FaultRefused, match="no fault 'explode'"):
        mock.inject("explode")


def test_packed_columns_are_views_and_numpy_copies_nothing(mock):
    numpy = pytest.importorskip("numpy")
    request = dict(rate=1000, batch=0.1)
    scenario = "[accelerometer]\nRates=1kHz\n"
    path = pathlib.Path(os.path.dirname(mock.socket)) / "fast.scenario"
    path.write_text(scenario)
    with testing.MockBroker(path, program=SENSORBROKERD) as fast:
        with fast.broker().subscribe("accelerometer", **request) as readings:
            reading = next(reading for reading in readings if len(reading) > 10)
    assert all(isinstance(column, memoryview) for column in reading.columns.values())
    times, columns = reading.numpy()
    assert list(times) == list(reading.timestamps_ns) and len(times) == len(reading)
    assert times[-1] == reading.last_timestamp_ns
    for name, column in columns.items():
        assert column.dtype == numpy.float32 and list(column) == list(reading.columns[name])
        assert numpy.shares_memory(column, numpy.frombuffer(reading.columns[name], numpy.uint8))
    rows = list(reading.samples())
    assert rows[3].values["y"] == columns["y"][3] and rows[3].timestamp_ns == times[3]


def test_what_is_aligned_to_another_is_not_silent(directory):
    """It has no readings of its own, however long the stream runs."""
    scenario = pathlib.Path(directory) / "imu.scenario"
    scenario.write_text("[accelerometer]\n[gyroscope]\nPartOf=accelerometer\n")
    requests = [sensorbroker.Request("accelerometer", rate=50), sensorbroker.Request("gyroscope", rate=50, align_to="accelerometer")]
    stamps, states = [], []
    with testing.MockBroker(scenario, program=SENSORBROKERD) as mock, mock.broker().subscribe(*requests) as stream:
        for event in stream.events():
            if isinstance(event, sensorbroker.State):
                states.append((event.resource, event.state))
            elif isinstance(event, sensorbroker.Reading):
                stamps.append(event.timestamp_ns)
                if stamps[-1] - stamps[0] > 3 * SECOND:
                    break
    assert ("gyroscope", "active") in states and ("gyroscope", "stale") not in states


def labelled(count, resource="accelerometer"):
    """So many requests that say a lot, which needs several calls."""
    return [
        sensorbroker.Request(resource, rate=50, batch=0.1, filter="mean", satellites=True, label=f"l{number}") for number in range(count)
    ]


def granted(stream):
    return (event.label for event in stream.events() if isinstance(event, sensorbroker.Grant))


def test_a_stream_has_more_requests_than_one_call_may_carry(mock):
    leads = labelled(45)
    aligned = sensorbroker.Request("accelerometer", interval=0, label="aligned", align_to="l44")
    with mock.broker().subscribe(aligned, *leads) as stream:
        wanted = {request.name for request in (aligned, *leads)}
        while wanted:
            wanted.discard(next(granted(stream)))
        # Those of a change as well, and it ends nothing.
        stream.change(*labelled(90))
        wanted = {request.name for request in labelled(90)}
        while wanted:
            event = next(event for event in stream.events() if not isinstance(event, sensorbroker.Reading))
            assert not isinstance(event, (sensorbroker.Interrupted, sensorbroker.Refused)), event
            if isinstance(event, sensorbroker.Grant):
                wanted.discard(event.label)
        stream.remove(*(request.name for request in labelled(89)))
        while not next(stream).label == "l89":
            pass


def test_gaps_come_with_the_next_reading_and_as_events(fake):
    with fake.broker().subscribe("accelerometer") as readings:
        fake.reading("accelerometer", x=1.0, y=2.0, z=3.0)
        reading = next(readings)
        assert reading["x"] == 1.0 and repr(reading).startswith("Reading(accelerometer, {'x': 1.0, 'y': 2.0, 'z': 3.0}, sequence=0, ")
        fake.gap("accelerometer", "slowClient", count=3)
        fake.gap("accelerometer", "deviceOverflow")
        fake.reading("accelerometer", x=[1.0, 2.0], y=[0.0, 0.0], z=[0.0, 0.0], period_ns=SECOND)
        reading = next(readings)
        assert [(gap.cause, gap.count) for gap in reading.gaps] == [("slowClient", 3), ("deviceOverflow", None)]
        assert "accelerometer: 3 readings missing in 1 s (slowClient)" == str(reading.gaps[0])
        assert len(reading) == 2 and reading and reading.columns["x"] == [1.0, 2.0]
        with pytest.raises(ValueError, match="this reading has 2 samples"):
            reading["x"]
        fake.reading("accelerometer", x=1.0, y=2.0, z=3.0)
        assert next(readings).gaps == ()


class Alarm(Exception):
    """What the handler of a signal raises."""


def test_what_a_signal_interrupts_is_not_lost(fake, monkeypatch):
    with fake.broker().subscribe("accelerometer") as stream:
        fake.reading("accelerometer", x=1.0, timestamp_ns=SECOND)
        assert next(stream)["x"] == 1.0
        received = stream._stream.received

        def interrupted(*_):
            monkeypatch.setattr(stream._stream, "received", received)
            raise Alarm

        monkeypatch.setattr(stream._stream, "received", interrupted)
        fake.reading("accelerometer", x=2.0, timestamp_ns=2 * SECOND)
        with pytest.raises(Alarm):
            next(stream)
        fake.await_stream("accelerometer")
        event = None
        while not isinstance(event, sensorbroker.Reading):
            event = stream.next_event(PATIENCE)
            assert event is not None, "the reading was lost"
        assert event["x"] == 2.0


def test_signals_at_any_moment_lose_nothing_in_silence(mock):
    signals = 0
    is_waiting = False

    def raise_alarm(*_):
        nonlocal is_waiting, signals
        if is_waiting:
            is_waiting, signals = False, signals + 1
            raise Alarm

    stamps, gaps = [], []
    former = signal.signal(signal.SIGALRM, raise_alarm)
    try:
        with mock.broker().subscribe("accelerometer", rate=100) as stream:
            signal.setitimer(signal.ITIMER_REAL, 0.003, 0.00317)
            while signals < 500:
                try:
                    is_waiting = True
                    event = stream.next_event(1)
                    is_waiting = False
                except Alarm:
                    continue
                stamps += event.timestamps_ns if isinstance(event, sensorbroker.Reading) else []
                gaps += [event] if isinstance(event, sensorbroker.Gap) else []
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    missing = set(range(stamps[0], stamps[-1] + 1, SECOND // 100)) - set(stamps)
    assert not [stamp for stamp in missing if not any(gap.from_ns <= stamp <= gap.until_ns for gap in gaps)]
    assert stamps == sorted(set(stamps))


def test_an_absence_is_logged_to_who_takes_only_readings(fake, caplog):
    with fake.broker().subscribe("accelerometer") as readings, caplog.at_level(logging.WARNING, "sensorbroker"):
        fake.reading("accelerometer", x=1.0)
        next(readings)
        fake.stop()
        fake.start()
        threading.Thread(target=lambda: (fake.await_stream("accelerometer"), fake.reading("accelerometer", x=2.0)), daemon=True).start()
        # The new stream may begin with the former reading.
        assert next(reading for reading in readings if reading["x"] == 2.0)
    assert "the broker closed the connection" in caplog.text


def test_all_of_many_requests_are_renewed_and_told_their_gaps(fake):
    names = {request.name for request in labelled(45)}

    def take(stream, kind):
        found = set()
        while found != names:
            event = next(stream.events())
            if isinstance(event, kind):
                found.add(event.label)

    with fake.broker().subscribe(*labelled(45)) as stream:
        take(stream, sensorbroker.Grant)
        fake.reading("accelerometer", x=1.0)
        take(stream, sensorbroker.Reading)
        fake.stop()
        # As a daemon that was started.
        fake._newest.clear()
        fake.start()
        take(stream, sensorbroker.Grant)
        fake.reading("accelerometer", x=2.0)
        take(stream, sensorbroker.Gap)


def test_a_resource_that_is_missing_ends_a_stream_whichever_call_asks_for_it(fake):
    with pytest.raises(sensorbroker.NoSuchResource, match="'thermometer'"):
        list(fake.broker().subscribe(*labelled(44), "thermometer"))


def test_a_stream_whose_requests_were_all_removed_waits_for_others(fake):
    with fake.broker().subscribe("accelerometer", patience=0.3) as stream:
        assert next(granted(stream)) is None
        stream.remove("accelerometer")
        until(lambda: stream.next_event(0.01) is None and not fake._requests("accelerometer"), "the end of the request")
        fake.stop()
        assert isinstance(next(stream.events()), sensorbroker.Interrupted)
        # Nobody waits for it.
        assert stream.next_event(1) is None
        fake.start()
        stream.change("location")
        assert isinstance(next(stream.events()), sensorbroker.Connected)
        assert next(event for event in stream.events() if isinstance(event, sensorbroker.Grant)).resource == "location"


def test_patience_ends_a_stream_with_the_reason(fake):
    fake.stop()
    with pytest.raises(sensorbroker.BrokerMissing, match="systemctl start sensorbrokerd"):
        next(fake.broker().subscribe("accelerometer", patience=0.3))

    async def run():
        async for _ in aio.Broker(fake.socket).subscribe("accelerometer", patience=0.3):
            pass

    with pytest.raises(sensorbroker.BrokerMissing):
        asyncio.run(run())


def test_a_stream_lasts_where_there_are_no_descriptors(fake, no_descriptors):
    with fake.broker().subscribe("accelerometer") as stream:
        assert next(granted(stream)) is None
        no_descriptors(True)
        fake.stop()
        fake.start()
        assert isinstance(next(stream.events()), sensorbroker.Interrupted)
        while stream._stream._backoff._failures < 2:
            assert stream.next_event(0.01) is None
        no_descriptors(False)
        assert isinstance(next(stream.events()), sensorbroker.Connected)

    no_descriptors(True)
    for call in (fake.broker().list, lambda: fake.broker().subscribe("accelerometer"), lambda: fake.broker().provide("light:desk")):
        with pytest.raises(sensorbroker.SystemRefused, match="Too many open files"):
            call()


def test_a_stream_is_closed_from_another_thread(fake):
    stream = fake.broker().subscribe("accelerometer")
    threading.Thread(target=lambda: (fake.await_stream("accelerometer"), stream.close()), daemon=True).start()
    assert list(stream) == []
    assert list(stream.events()) == []
    stream.close()


def test_a_stream_whose_block_ends_ends_in_the_thread_that_iterates(fake):
    def follow():
        for event in stream.events():
            told.append(event)
            begun.set()

    for _ in range(20):
        told, begun = [], threading.Event()
        with ThreadPoolExecutor(1) as pool:
            with fake.broker().subscribe("accelerometer") as stream:
                followed = pool.submit(follow)
                assert begun.wait(PATIENCE)
            followed.result(PATIENCE)
        assert not [event for event in told if isinstance(event, sensorbroker.Interrupted)]


def test_next_event_waits_no_longer_than_it_is_told(fake):
    with fake.broker().subscribe("accelerometer") as stream:
        events = []
        while (event := stream.next_event(0.5)) is not None:
            events.append(type(event).__name__)
    assert events == ["Connected", "State", "Grant"]
    assert stream.next_event(0) is None


def test_single_calls(fake):
    broker = fake.broker()
    assert [resource.name for resource in broker.list()] == ["accelerometer", "location"]
    fake.reading("location", location={"fix": "2d", "latitudeDegrees": 1, "utcMicroseconds": 1_000_000})
    place = broker.read("location", maximum_age=60).location
    assert (place.fix, place.latitude_degrees, place.longitude_degrees) == ("2d", 1.0, None)
    assert place.utc.isoformat() == "1970-01-01T00:00:01+00:00"
    with pytest.raises(sensorbroker.NoSuchResource, match="'thermometer'"):
        broker.read("thermometer")
    with pytest.raises(sensorbroker.TimedOut, match="allow more time"):
        broker.read("accelerometer", timeout=0.2)
    # Without a wait, what is there; and with one that has no end.
    for timeout in (0, float("inf")):
        assert broker.read("location", maximum_age=60, timeout=timeout) and broker.list(timeout=timeout)
        assert asyncio.run(aio.Broker(fake.socket).read("location", maximum_age=float("inf"), timeout=timeout))
    with pytest.raises(sensorbroker.TimedOut):
        broker.read("accelerometer", timeout=0)
    fake.state("location", "unavailable", "unplugged")
    with pytest.raises(sensorbroker.ResourceUnavailable, match="unplugged"):
        broker.read("location", maximum_age=60)
    fake.state("location", "active")
    with pytest.raises(sensorbroker.TimedOut):
        broker.read("location", maximum_age=60, timeout=0.2)
    fake.stop()
    with pytest.raises(sensorbroker.BrokerMissing, match="SENSORBROKER_SOCKET"):
        broker.list()


def test_a_fake_broker_forgets_who_has_gone(fake):
    fake.reading("accelerometer", x=1.0)
    broker, descriptors = fake.broker(), len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        broker.read("accelerometer", maximum_age=60)
        with broker.subscribe("accelerometer") as readings:
            next(readings)
    until(lambda: not fake._streams, "the end of its streams")
    until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors + 2, "the end of its connections")
    with pytest.raises(AssertionError, match="no stream has asked"):
        fake.await_stream("accelerometer", 0)


@pytest.mark.parametrize("kind", ["mock", "fake"])
def test_what_a_stream_does_not_have_is_not_removed(kind, request):
    with request.getfixturevalue(kind).broker().subscribe("accelerometer", rate=50) as stream:
        assert next(granted(stream)) is None
        stream.remove("gyroscope")
        refused = next(event for event in stream.events() if isinstance(event, sensorbroker.Refused))
    assert refused.error.resource == "gyroscope" and refused.names == ("gyroscope",)
