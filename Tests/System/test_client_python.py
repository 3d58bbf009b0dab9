"""The Python package: with a daemon, with its own doubles, and without either. What clients have in common is in test_conformance.py."""

import asyncio
import base64
import copy
import dataclasses
import errno
import gc
import grp
import inspect
import json
import logging
import os
import pathlib
import pickle
import random
import re
import shutil
import signal
import socket
import struct
import sys
import tarfile
import threading
import time
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from tools import commands
from tools.commands import start
from tools.programs import INTERFACES, PATIENCE, ROOT, SENSORBROKERD
from tools.waiting import until

PACKAGE = ROOT / "Clients/python"
sys.path.insert(0, str(PACKAGE))

import sensorbroker  # noqa: E402
from sensorbroker import _socket, _stream, _wire, aio, testing, values  # noqa: E402

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


# With the daemon


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


def test_with_asyncio_several_streams_share_a_loop(mock):
    async def take(broker, resource, count):
        taken = []
        async with broker.subscribe(resource, rate=50) as readings:
            async for reading in readings:
                taken.append(reading)
                if len(taken) == count:
                    return taken

    async def run():
        broker = aio.Broker(mock.socket)
        accelerations, places = await asyncio.gather(take(broker, "accelerometer", 20), take(broker, "location", 2))
        listed = await broker.list()
        one = await broker.read("accelerometer", maximum_age=60)
        return accelerations, places, listed, one

    accelerations, places, listed, one = asyncio.run(run())
    assert len(accelerations) == 20 and len({reading.sequence for reading in accelerations}) == 20
    assert all(reading.location.fix == "3d" and reading.location.latitude_degrees for reading in places)
    assert {resource.name for resource in listed} >= {"accelerometer", "location"}
    assert set(one.columns) == {"x", "y", "z"}


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


def test_a_command_runs_with_the_mock_broker(mock):
    script = "import sensorbroker; print(sensorbroker.Broker().read('accelerometer')['z'])"
    done = mock.run(
        [sys.executable, "-c", script], env={**mock.environment, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True)
    assert float(done.stdout) and done.returncode == 0, done


def test_a_scenario_with_an_error_is_told(directory):
    path = pathlib.Path(directory) / "wrong.scenario"
    path.write_text("[accelerometer]\nRatse=1kHz\n")
    with pytest.raises(sensorbroker.InvalidRequest, match="Ratse"):
        testing.MockBroker(path, program=SENSORBROKERD)


# With the fake


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


def test_asyncio_tries_again_in_time_after_a_second_failure(fake, monkeypatch):
    # Nothing else would wake it up.
    monkeypatch.setattr(_stream, "_SILENT_NS", 10**17)
    fake.stop()
    tried = []
    connect = sensorbroker._socket.connect

    def count(*arguments):
        tried.append(arguments)
        if len(tried) == 3:
            fake.start()
        return connect(*arguments)

    monkeypatch.setattr(sensorbroker._socket, "connect", count)

    async def run():
        async with aio.Broker(fake.socket).subscribe("accelerometer") as stream:
            async for event in stream.events():
                if isinstance(event, sensorbroker.Grant):
                    return

    asyncio.run(asyncio.wait_for(run(), 120))


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


def test_an_asyncio_stream_lasts_where_there_are_no_descriptors(fake, no_descriptors):
    async def run():
        async with aio.Broker(fake.socket).subscribe("accelerometer") as stream:
            events = stream.events()
            while not isinstance(await events.__anext__(), sensorbroker.Grant):
                pass
            no_descriptors(True)
            fake.stop()
            fake.start()
            assert isinstance(await events.__anext__(), sensorbroker.Interrupted)
            asyncio.get_running_loop().call_later(0.5, no_descriptors, False)
            assert isinstance(await events.__anext__(), sensorbroker.Connected)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


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


def test_with_asyncio_next_event_waits_no_longer_than_it_is_told(fake):
    async def run():
        async with aio.Broker(fake.socket).subscribe("accelerometer") as stream:
            events = []
            while (event := await stream.next_event(0.5)) is not None:
                events.append(type(event).__name__)
            assert events == ["Connected", "State", "Grant"]
            fake.reading("accelerometer", x=1.0)
            assert (await stream.next_event())["x"] == 1.0
        assert await stream.next_event() is None
        fake.stop()
        async with aio.Broker(fake.socket).provide("light:desk") as light:
            assert isinstance(await light.next_event(), sensorbroker.Interrupted)
            assert await light.next_event(0.1) is None and not await light.wait(0.1)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_with_asyncio_next_event_takes_what_there_is_without_waiting(fake):
    async def run():
        async with aio.Broker(fake.socket).subscribe("accelerometer") as stream:
            await looked(stream, sensorbroker.Grant)
            fake.stop()
            await looked(stream, sensorbroker.Interrupted)
            fake.start()
            await looked(stream, sensorbroker.Connected)
        # No socket of providers is beside that of a fake broker.
        async with aio.Broker(fake.socket).provide("light:desk") as light:
            await looked(light, sensorbroker.Interrupted)
            assert not await light.wait(0)

    async def looked(one, kind):
        while not isinstance(event := await one.next_event(0), kind):
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


@pytest.mark.parametrize("name", ["Broker", "Subscription", "Provider"])
def test_the_two_interfaces_have_the_same_names(name):
    def members(kind):
        found = {member: getattr(kind, member) for member in dir(kind) if not member.startswith("_")}
        return {member: list(inspect.signature(one).parameters) if callable(one) else None for member, one in found.items()}

    assert members(getattr(sensorbroker, name)) == members(getattr(aio, name))


def test_a_slow_task_leaves_the_rest_in_the_socket(fake):
    async def run():
        async with aio.Broker(fake.socket).subscribe("accelerometer") as stream:
            iterator = stream.events()
            while not isinstance(await iterator.__anext__(), sensorbroker.Grant):
                pass
            for number in range(400):
                fake.reading("accelerometer", x=float(number))
                await asyncio.sleep(0)
            waiting = len(stream._stream.events)
            assert waiting <= aio._MOST_WAITING + 100, waiting
            async for reading in stream:
                if reading["x"] == 399.0:
                    return

    asyncio.run(run())


def test_an_asyncio_loop_that_was_busy_takes_nothing_for_silent(fake):
    fake.add("light", "illuminance", value="lx")

    async def run():
        requests = sensorbroker.Request("accelerometer", interval=0.01), sensorbroker.Request("light", interval=100)
        async with aio.Broker(fake.socket).subscribe(*requests) as stream:
            events = stream.events()
            while not isinstance(await events.__anext__(), sensorbroker.Grant):
                pass
            assert (await events.__anext__()).resource == "light"
            fake.reading("accelerometer", x=1.0)
            assert (await events.__anext__())["x"] == 1.0
            waiting = asyncio.ensure_future(events.__anext__())
            await asyncio.sleep(0.01)
            # What the socket holds is more than is read at once.
            for _ in range(5):
                fake.reading("light", value=[1.2345] * 3500, period_ns=1000)
            fake.reading("accelerometer", x=2.0)
            time.sleep(1.2)
            told = [await waiting, *[await events.__anext__() for _ in range(5)]]
            assert [type(event) for event in told] == [sensorbroker.Reading] * 6, told

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_an_asyncio_stream_or_provider_that_nobody_has_any_more_ends(fake):
    async def leave():
        fake.reading("accelerometer", x=1.0)
        stream = aio.Broker(fake.socket).subscribe("accelerometer")
        async for _ in stream:
            left.extend(stream._sockets.values())
            break
        stream = aio.Broker(fake.socket).subscribe("accelerometer")
        async for _ in stream.events():
            left.extend(stream._sockets.values())
            break
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(fake.socket.replace("Broker", "Feed"))
            listener.listen()
            provider = aio.Broker(fake.socket).provide("light:desk")
            provider.push(1.0)
            left.append(provider._connection)

    async def end():
        await leave()
        assert len(left) == 3
        # The loop ends an iteration over events.
        while any(connection.fileno() >= 0 for connection in left):
            await asyncio.sleep(0.01)

    async def follow():
        async for event in aio.Broker(fake.socket).subscribe("accelerometer").events():
            told.append(event)
            if isinstance(event, sensorbroker.Reading):
                return

    async def wait():
        # The loop itself holds no task.
        fake._newest.clear()
        asyncio.ensure_future(follow())
        while len(told) < 3:
            await asyncio.sleep(0.01)
        gc.collect()
        fake.reading("accelerometer", x=2.0)
        while not isinstance(told[-1], sensorbroker.Reading):
            await asyncio.sleep(0.01)

    left, told = [], []
    asyncio.run(asyncio.wait_for(end(), PATIENCE))
    asyncio.run(asyncio.wait_for(wait(), PATIENCE))


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


# Without anybody


def test_the_fields_of_values_are_those_of_the_interface():
    text = (INTERFACES / "io.sensorbroker.Broker.varlink").read_text()

    def members(name):
        body = re.search(rf"type {name} \((.*?)\n\)", text, re.S).group(1)
        return set(re.findall(r"^  (\w+):", body, re.M))

    def fields(kind):
        renamed = {"_ns": "_nanoseconds"}
        names = set()
        for name in getattr(kind, "__dataclass_fields__", {}):
            for suffix, longer in renamed.items():
                name = name[: -len(suffix)] + longer if name.endswith(suffix) else name
            names.add(re.sub("_([a-z])", lambda match: match.group(1).upper(), name))
        return names

    for kind in (values.Location, values.Satellite, values.Resource, values.Channel, values.Gap, values.Grant, values.Aligned):
        assert fields(kind) == members(kind.__name__), kind
    assert fields(values.Request) - {"rate", "interval", "batch"} == members("Request") - {
        "intervalNanoseconds", "batchNanoseconds"}
    assert members("Reading") <= fields(values.Reading) | {"values"}


def test_requests_are_checked_before_they_are_sent():
    request = sensorbroker.Request("accelerometer", rate=60, batch=0.1, filter="mean", minimum_change=1, label="a")
    assert request.wire() == {
        "resource": "accelerometer", "label": "a", "intervalNanoseconds": 16_666_667, "batchNanoseconds": 100_000_000,
        "filter": "mean", "minimumChange": 1.0}
    assert sensorbroker.Request("accelerometer", rate=1000, batch=1).wire()["packed"] is True
    assert "packed" not in sensorbroker.Request("accelerometer", rate=1000, batch=1, packed=False).wire()
    assert dataclasses.replace(request, label="b").interval_ns == request.interval_ns
    assert dataclasses.replace(request, interval=2).interval_ns == 2 * SECOND
    assert dataclasses.replace(request, interval=None, rate=10).interval_ns == SECOND // 10
    wrong = (
        dict(rate=0), dict(rate=float("nan")), dict(interval=-1), dict(batch=float("inf")), dict(rate=1, interval=1),
        dict(filter="median"), dict(label="a b"), dict(minimum_change=float("nan")))
    for options in wrong:
        with pytest.raises(sensorbroker.InvalidRequest):
            sensorbroker.Request("accelerometer", **options)
    with pytest.raises(sensorbroker.InvalidRequest, match="different labels"):
        sensorbroker.Broker("/nowhere").subscribe("accelerometer", "accelerometer")
    with pytest.raises(sensorbroker.InvalidRequest, match="at least one"):
        sensorbroker.Broker("/nowhere").subscribe()


@pytest.mark.parametrize("ask", [
    lambda broker: broker.subscribe("light\ud800"), lambda broker: broker.read("light\udcff"),
    lambda broker: broker.subscribe(sensorbroker.Request("light", align_to="a\ud800")),
    lambda _: sensorbroker.Broker("/run/\ud800"), lambda _: sensorbroker.aio.Broker("/run/\ud800")])
def test_half_a_character_is_not_sent(ask):
    with pytest.raises(sensorbroker.InvalidRequest, match="half of a character"):
        ask(sensorbroker.Broker("/nowhere"))


def test_every_error_says_what_to_do():
    errors = [
        sensorbroker.BrokerMissing(["/a", "/b"]), sensorbroker.BrokerStopped("/a"), sensorbroker.NotPermitted("/a"),
        sensorbroker.NotPermitted(), sensorbroker.Disconnected(), sensorbroker.Ended("slowClient"), sensorbroker.Ended("shutdown"),
        sensorbroker.NoSuchResource("a"), sensorbroker.ResourceUnavailable("a", "b"), sensorbroker.TimedOut(),
        sensorbroker.TooManySubscriptions(), sensorbroker.TooManyRequests(), sensorbroker.Unintelligible("x"),
        sensorbroker.SystemRefused("x"), sensorbroker.NotPermitted(provided="a", reason="add a section [Feed a]"),
        sensorbroker.NameTaken("a", "b"), sensorbroker.NoSuchKind("a")]
    assert all(len(str(error)) > 30 for error in errors)
    assert len({error.word for error in errors}) == len(errors) - 3
    # As a pool of processes hands them on.
    for error in errors:
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)


def test_whoever_may_not_use_a_socket_is_told_its_group(tmp_path):
    path = tmp_path / "socket"
    path.touch()
    path.chmod(0o660)
    group = grp.getgrgid(path.stat().st_gid).gr_name
    if os.geteuid() == 0:
        assert "owner's alone" in str(sensorbroker.NotPermitted(str(path)))
        os.chown(path, 0, 65533)
        group = "65533"
    assert f"usermod -aG {group} $USER" in str(sensorbroker.NotPermitted(str(path)))
    path.chmod(0o600)
    assert "owner's alone" in str(sensorbroker.NotPermitted(str(path)))
    assert "closed" in str(sensorbroker.NotPermitted(str(path / "x")))


def test_a_call_that_waits_for_the_socket_has_less_time_for_the_answer(monkeypatch):
    looks, waits = [], []

    def connect(paths, call):
        looks.append(paths)
        if len(looks) <= 3:
            raise sensorbroker.BrokerMissing(paths)
        return socket.socketpair()[0]

    async def wait_for(answer, seconds):
        answer.close()
        waits.append(seconds)
        raise asyncio.TimeoutError

    monkeypatch.setattr("sensorbroker._socket.connect", connect)
    monkeypatch.setattr(asyncio, "wait_for", wait_for)
    with pytest.raises(sensorbroker.TimedOut):
        asyncio.run(aio.Broker("/a").read("accelerometer", timeout=1.0))
    assert len(looks) == 4 and 0 < waits[0] <= 1.0 - 3 * _socket.PAUSE


def test_sockets_are_found_as_sensorctl_finds_them(monkeypatch):
    monkeypatch.delenv("SENSORBROKER_SOCKET", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    usual = ["/run/sensorbroker/io.sensorbroker.Broker", "/run/user/1/sensorbroker/io.sensorbroker.Broker"]
    assert sensorbroker.Broker()._paths == usual
    assert sensorbroker.Broker(instance="b")._paths == [path + ".b" for path in usual]
    monkeypatch.setenv("SENSORBROKER_SOCKET", "/tmp/x")
    assert sensorbroker.Broker()._paths == ["/tmp/x"]
    assert sensorbroker.Broker(pathlib.Path("/tmp/y"))._paths == ["/tmp/y"]
    with pytest.raises(sensorbroker.InvalidRequest):
        sensorbroker.Broker(instance="../x")


def test_the_wait_between_attempts_grows_to_two_seconds_with_jitter():
    backoff = _stream.Backoff(random.Random(1))
    waits = [backoff.next_ns() / SECOND for _ in range(9)]
    assert 0.2 <= waits[0] <= 0.3 and all(1.6 <= wait <= 2.4 for wait in waits[4:]) and len(set(waits)) == 9
    backoff.reset()
    assert backoff.next_ns() <= 0.3 * SECOND


def test_a_message_in_any_pieces_is_the_same():
    chance = random.Random(3)
    messages = [bytes(chance.choices(b"abc{}", k=chance.choice((0, 1, 5, 70000)))) for _ in range(200)]
    data = b"".join(message + b"\0" for message in messages)
    framer, found, place = _wire.Framer(), [], 0
    while place < len(data):
        size = chance.choice((1, 2, 7, 65536))
        found += framer.feed(data[place : place + size])
        place += size
    assert found == messages


def test_the_reader_refuses_or_reads_whatever_is_thrown_at_it():
    """Mutations of what a broker sends: nothing but an update or `Malformed` comes out, and what comes out can be used."""
    packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
    reading = {"resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 5}
    seeds = [json.dumps({"parameters": parameters, "continues": True}).encode() for parameters in (
        {"readings": [{**reading, "values": {"columns": {"x": [1.5, 2.5], "y": [0.5, 1.0]}, "periodNanoseconds": 10}}]},
        {"readings": [{**reading, "values": {"packed": {"x": packed}, "packedStepsNanoseconds": "AQAAAAIAAAA="}}]},
        {"readings": [{**reading, "location": {"fix": "3d", "latitudeDegrees": 1.0, "satellites": [{"prn": 1, "used": True}]}}]},
        {"readings": [{**reading, "orientation": "normal", "aligned": [
            {"resource": "a", "alignment": "exact", "columns": {"x": [1.0, None]}}]}]},
        {"gaps": [{"resource": "a", "cause": "b", "count": 3, "fromNanoseconds": 1, "untilNanoseconds": 2}], "ended": "c"},
        {"grants": [{"resource": "a", "intervalNanoseconds": 1, "batchNanoseconds": 0}], "revision": 1, "subscription": "s"},
    )]
    chance = random.Random(20)
    tokens = [b"null", b"true", b"-1", b"1e400", b"NaN", b'"x"', b"[]", b"{}", b"9" * 25, b"0.5", b",", b"]", b"}", b"\\u", b"\xff"]
    read = refused = 0
    for _ in range(30_000):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 3)):
            start = chance.randrange(len(data))
            end = min(len(data), start + chance.choice((0, 1, 1, 2, 8)))
            data[start:end] = chance.choice((chance.choice(tokens), bytes((chance.randrange(1, 256),)), b""))
        try:
            update = _wire.update(_wire.reply(bytes(data)).parameters)
        except _wire.Malformed:
            refused += 1
            continue
        read += 1
        for one in update.readings:
            stamps = list(one.timestamps_ns)
            assert len(stamps) == len(one) or not one.columns
            assert not stamps or stamps[-1] == one.last_timestamp_ns
            assert all(-(2**63) <= stamp < 2**63 for stamp in stamps)
            assert all(len(list(column)) == len(one) for column in one.columns.values())
            list(one.samples())
    assert read > 1000 and refused > 1000


def blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs/clients-python.md").read_text(), re.S)


def test_it_and_the_programs_of_its_page_are_typed(directory):
    """At once: most of the time goes into NumPy's types."""
    for number, block in enumerate(blocks()):
        (pathlib.Path(directory) / f"block{number}.py").write_text(block.replace("import pandas\n", "import pandas  # type: ignore\n"))
    done = commands.run(
        sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "sensorbroker", "examples", directory, cwd=PACKAGE)
    assert done.returncode == 0, done.stdout + done.stderr


class Enough(Exception):
    """The program has shown what it does."""


@pytest.mark.parametrize("number", range(len(blocks()) - 1))
def test_the_programs_of_its_page_run(number, directory, monkeypatch, capsys):
    """Each until it has printed some lines; the last block has tests, which have a test of their own."""
    scenario = pathlib.Path(directory) / "page.scenario"
    scenario.write_text("[location]\nRates=1Hz\n[accelerometer]\nRates=50Hz 4kHz\n[gyroscope]\nRates=50Hz 100Hz\n")
    feeds = ["accelerometer:arm", "gyroscope:arm", "light:desk"]
    printed = []

    def take(*words, **_):
        printed.append(words)
        if len(printed) == 2:
            # A busy host: then a reading has several samples.
            mock._process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            mock._process.send_signal(signal.SIGCONT)
        if len(printed) >= 5:
            raise Enough

    def want(resource):
        """Somebody who wants what a program of the page provides."""
        try:
            until(lambda: any(one.name == resource for one in mock.broker().list()), resource)
            for _ in mock.broker().subscribe(resource):
                pass
        except (AssertionError, sensorbroker.SensorError):
            pass

    with testing.MockBroker(scenario, program=SENSORBROKERD, feeds=feeds) as mock:
        monkeypatch.setenv("SENSORBROKER_SOCKET", mock.socket)
        for resource in re.findall(r'provide\("(.*?)"', blocks()[number]):
            threading.Thread(target=want, args=[resource], daemon=True).start()
        try:
            exec(compile(blocks()[number], f"block {number}", "exec"), {"print": take, "__name__": "page"})
        except Enough:
            pass
    assert printed


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A directory with the package as wheel and as source, built from a copy: a build leaves files behind."""
    source, out = tmp_path_factory.mktemp("source") / "python", tmp_path_factory.mktemp("built")
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"))
    done = commands.run(sys.executable, "-m", "build", "--outdir", out, source)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_the_tests_of_its_page_pass_where_it_is_installed(built, directory):
    """Nothing is imported or named there: pytest finds the fixtures."""
    place = pathlib.Path(directory)
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place / "site")
    (place / "test_mine.py").write_text(blocks()[-1])
    done = commands.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", place / "test_mine.py",
        cwd=directory, environment={"PYTHONPATH": str(place / "site"), "SENSORBROKERD": SENSORBROKERD})
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_it_builds_as_wheel_and_as_source(built):
    """With what an installed package needs: types, and the entry point by which pytest finds the fixtures."""
    [wheel], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    modules = {str(path.relative_to(PACKAGE)) for path in (PACKAGE / "sensorbroker").rglob("*.py")} | {"sensorbroker/py.typed"}
    assert modules <= names and not [name for name in names if "examples" in name]
    with tarfile.open(source) as archive:
        assert {name.split("/", 1)[-1] for name in archive.getnames()} >= modules | {"README.md", "pyproject.toml"}


def test_it_has_the_version_of_the_daemon():
    done = commands.run(SENSORBROKERD, "--version")
    assert sensorbroker.__version__ in done.stdout.split(), done.stdout


def test_the_example_of_a_logger_logs_what_is_missing():
    with testing.FakeBroker() as fake:
        fake.add("accelerometer", "acceleration", x="m/s²")
        logger = start(sys.executable, PACKAGE / "examples/logger.py", broker=fake.socket, environment={"PYTHONPATH": str(PACKAGE)})
        fake.await_stream("accelerometer")
        fake.reading("accelerometer", x=1.5, timestamp_ns=7)
        fake.gap("accelerometer", count=2)
        fake.reading("accelerometer", x=[2.5, 3.5], timestamp_ns=9, period_ns=1)
        lines = []
        while not lines or not lines[-1].startswith("10,"):
            lines.append(logger.stdout.readline().strip())
        logger.send_signal(2)
        assert logger.wait() == 0
    assert lines[-4:] == ["7,1.5", "# accelerometer: 2 readings missing in 1 s (deviceOverflow)", "9,2.5", "10,3.5"]


def test_an_interruption_between_two_clocks_makes_no_time_wrong(monkeypatch):
    boot = iter((100, 50_000_100, 50_000_200, 50_000_300))
    wall = iter((7_000_150, 57_000_250))
    monkeypatch.setattr(values, "now_ns", lambda: next(boot))
    monkeypatch.setattr(values.time, "time_ns", lambda: next(wall))
    assert sensorbroker.wall_clock_offset_ns() == 7_000_000


def test_a_location_from_the_wire_is_like_any_other():
    read = _wire._location({"fix": "3d", "latitudeDegrees": 1.5, "leapSeconds": 18, "status": "dgps", "satellites": [{"prn": 3, "used": True}]})
    made = sensorbroker.Location(
        "3d", latitude_degrees=1.5, leap_seconds=18, status="dgps", satellites=(sensorbroker.Satellite(3, True),))
    assert read == made and repr(read) == repr(made) and hash(read) == hash(made) and read.altitude_meters is None
    assert dataclasses.asdict(read) == dataclasses.asdict(made)
    assert pickle.loads(pickle.dumps(read)) == copy.deepcopy(read) == made
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.fix = "2d"


def test_readings_are_pickled_and_copied_also_packed_ones():
    packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
    more = {"aligned": [{"resource": "b", "alignment": "exact", "columns": {"x": [1.0, None, 2.0]}}], "label": "l"}
    for values in (
        {"packed": {"x": packed}, "packedStepsNanoseconds": "AQAAAAIAAAA="}, {"packed": {"x": packed}, "periodNanoseconds": 5},
        {"columns": {"x": [1.0, 2.0, 3.0]}, "timestampsNanoseconds": [5, 7, 8]},
    ):
        reading = _wire._reading({"resource": "a", "sequence": 1, "timestampNanoseconds": 5, "values": values, **more})
        reading.gaps = (sensorbroker.Gap("a", "l", "slowClient", 3, 1, 5),)
        for again in (*(pickle.loads(pickle.dumps(reading, protocol)) for protocol in range(6)), copy.copy(reading), copy.deepcopy(reading)):
            assert again == reading and list(again.timestamps_ns) == list(reading.timestamps_ns)
            assert type(again.columns["x"]) is type(reading.columns["x"]) and again.numpy()[1]["x"].dtype == reading.numpy()[1]["x"].dtype


def test_packed_readings_leave_no_memory_behind():
    """What an hour at 32 kHz allocates is gone with the readings."""
    text = base64.b64encode(struct.pack("<3200f", *range(3200))).decode()
    reply = json.dumps({"parameters": {"readings": [{
        "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 5,
        "values": {"packed": {"x": text}, "periodNanoseconds": 31_250}}]}, "continues": True}).encode() + b"\0"
    first = json.dumps({"parameters": {"subscription": "s", "grants": [{
        "resource": "accelerometer", "intervalNanoseconds": 31_250, "batchNanoseconds": 100_000_000}]}, "continues": True}).encode() + b"\0"
    stream = _stream.Stream([values.Request("accelerometer", rate=32_000, batch=0.1)], 0)
    stream.received("stream", first, 0)

    def run(count):
        total = 0
        for number in range(count):
            # In pieces, as from a socket.
            for place in range(0, len(reply), 65_536):
                stream.received("stream", reply[place : place + 65_536], number)
            while stream.events:
                event = stream.events.popleft()
                total += len(event) if isinstance(event, values.Reading) else 0
        return total

    run(100)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    assert run(3000) == 3000 * 3200
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000 and peak - before < 2_000_000, (before, after, peak)
