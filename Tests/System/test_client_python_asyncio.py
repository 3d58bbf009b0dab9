"""The Python package with asyncio."""

import asyncio
import gc
import inspect
import socket
import time

import pytest

from tools.programs import PATIENCE
from tools.pythonclient import fake, mock, no_descriptors  # noqa: F401  fixtures

import sensorbroker
from sensorbroker import _socket, _stream, aio


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

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


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
