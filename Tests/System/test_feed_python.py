"""Programs in Python that are sensors, with the daemon: what is pushed is what clients read, with the same times."""

import array
import asyncio
import contextlib
import dataclasses
import logging
import os
import random
import signal
import threading
import time
import tracemalloc

import pytest

from tools.feeding import audience, fed  # noqa: F401  fixtures
from tools.programs import PATIENCE
from tools.waiting import until

import sensorbroker
from sensorbroker import Broker, Demand, Interrupted, Location, Offer, Satellite, aio, now_ns

ARM = ("accelerometer:arm", "gyroscope:arm")
MILLISECOND = 1_000_000


def broker(daemon):
    return Broker(daemon.broker)


@contextlib.contextmanager
def provided(daemon, *offers, **options):
    """A provider whose resources clients can subscribe to: the broker has answered."""
    with broker(daemon).provide(*offers, **options) as provider:
        assert provider.next_event(60) == Demand(False)
        yield provider


def test_what_is_pushed_is_what_clients_read_with_the_same_times(fed, audience):
    daemon = fed()
    chance = random.Random(40)
    with provided(daemon, *ARM, rate=1000, description="an arm") as imu:
        client = audience(daemon.broker, *ARM)
        assert imu.wait(PATIENCE)
        pushed = []
        for number in range(500):
            row = [chance.uniform(-20, 20) for _ in range(5)] + [number]
            pushed.append((now_ns(), row))
            assert imu.push(row[:3], row[3:], timestamp_ns=pushed[-1][0])
            time.sleep(0.001)
            if number % 50 == 49:
                # A broker that lags behind is not waited for by push.
                for resource in ARM:
                    client.await_rows(resource, number + 1)
        for resource, place in zip(ARM, (0, 3)):
            assert client.await_rows(resource, 500) == [(stamp, tuple(row[place : place + 3])) for stamp, row in pushed]
        assert not client.gaps() and imu.dropped == 0
        listed = {one.name: one for one in broker(daemon).list()}
        assert [listed[name].description for name in ARM] == ["an arm", "an arm"] and not listed[ARM[0]].simulated
    client.await_state(ARM[0], "unavailable")


def test_batches_arrive_as_they_are_in_any_form(fed, audience):
    numpy = pytest.importorskip("numpy")
    daemon = fed()
    chance = random.Random(41)
    with provided(daemon, "accelerometer:arm", interval=0.001) as imu:
        client = audience(daemon.broker, "accelerometer:arm")
        assert imu.wait(PATIENCE)
        pushed = []
        forms = [
            lambda rows: {axis: [row[place] for row in rows] for place, axis in enumerate("xyz")},
            lambda rows: rows,
            lambda rows: numpy.array(rows),
            lambda rows: {axis: numpy.array(rows)[:, place] for place, axis in enumerate("xyz")},
            lambda rows: numpy.array(rows, numpy.float32),
            lambda rows: {axis: array.array("f", [row[place] for row in rows]) for place, axis in enumerate("xyz")},
        ]
        for number, form in enumerate(2 * forms):
            # A number of 32 bits is the same in all forms.
            rows = [tuple(float(numpy.float32(chance.uniform(-20, 20))) for _ in range(3)) for _ in range(40)]
            last = now_ns()
            if number < len(forms):
                stamps = [last - 40_000 + 1000 * place for place in range(40)]
                assert imu.push_batch(form(rows), timestamp_ns=stamps[0], period_ns=1000)
            else:
                stamps = sorted(chance.sample(range(last - 100_000, last), 40))
                given = numpy.array(stamps) if number % 2 else stamps
                assert imu.push_batch(form(rows), timestamps_ns=given)
            pushed += zip(stamps, rows)
            time.sleep(0.005)
        assert client.await_rows("accelerometer:arm", len(pushed)) == pushed
        assert not client.gaps()


def test_a_long_batch_goes_in_several_calls(fed, audience):
    daemon = fed()
    with provided(daemon, Offer("light:desk", channels=("value",)), interval=0.001) as light:
        client = audience(daemon.broker, "light:desk", batch=1)
        assert light.wait(PATIENCE)
        # What was measured before anybody wanted it is nobody's.
        time.sleep(0.1)
        begin = now_ns() - 10_000 * 1000
        assert light.push_batch([[row / 8] for row in range(10_000)], timestamp_ns=begin, period_ns=1000)
        # What the socket has no room for yet is sent by the next call.
        assert light.next_event(1) is None
        assert client.await_rows("light:desk", 10_000) == [(begin + 1000 * row, (row / 8,)) for row in range(10_000)]


def whole_location():
    """A location of which all is known."""
    place = Location("3d")
    for number, field in enumerate(dataclasses.fields(Location)):
        if field.name not in ("fix", "status", "satellites"):
            place = dataclasses.replace(place, **{field.name: number if "int" in field.type else number + 0.125})
    satellites = tuple(Satellite(one, bool(one % 2), "gps", one, 45.5, 120.25, 40.5) for one in range(1, 33))
    return dataclasses.replace(
        place, utc_microseconds=1_700_000_000_000_000, status="dgps", satellites=satellites, satellites_used=16, satellites_visible=32)


def test_locations_arrive_whole(fed, audience):
    daemon = fed()
    with provided(daemon, "location:phone", interval=1) as phone:
        client = audience(daemon.broker, "location:phone", satellites=True)
        assert phone.wait(PATIENCE)
        places = [whole_location(), Location("2d", latitude_degrees=-48.5, longitude_degrees=11.25), Location("none")]
        stamps = []
        for place in places:
            stamps.append(now_ns())
            assert phone.push(place, timestamp_ns=stamps[-1])
            time.sleep(0.01)
        client.await_that(lambda it: len(it.of(sensorbroker.Reading)) == 3, "three locations")
        readings = client.of(sensorbroker.Reading)
        assert [reading.timestamp_ns for reading in readings] == stamps
        assert [reading.location for reading in readings] == places


def test_what_is_wanted_follows_the_clients(fed):
    daemon = fed()

    async def run():
        async with aio.Broker(daemon.broker).provide("accelerometer:arm", intervals=[0.005, 0.01, 0.02]) as imu:
            demands = imu.__aiter__()

            async def until_rate(rate):
                while (demand := await demands.__anext__()).rate != rate:
                    pass
                return demand

            assert (await demands.__anext__()) == Demand(False) and not imu.wanted
            stream = aio.Broker(daemon.broker).subscribe("accelerometer:arm", rate=100)
            follower = asyncio.ensure_future(anext_of(stream))
            assert (await until_rate(100)).wanted and imu.wanted
            stamp = now_ns()
            assert imu.push(1, 2, 3, timestamp_ns=stamp)
            reading = await follower
            assert (reading.timestamp_ns, reading["x"]) == (stamp, 1.0)
            stream.change("accelerometer:arm", rate=200)
            assert (await until_rate(200)).interval == 0.005
            stream.close()
            # It is kept warm for a while.
            while (await demands.__anext__()).wanted:
                pass
            assert imu.push(1, 2, 3) and imu.dropped == 0
        assert [one async for one in imu] == []

    async def anext_of(stream):
        async for reading in stream:
            return reading

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_provider_that_was_closed_is_not_wanted(fed, audience):
    daemon = fed()
    audience(daemon.broker, "light:desk")
    with broker(daemon).provide("light:desk") as light:
        assert light.wait(PATIENCE)
        light.close()
        assert not light.wanted and not light.wait()

    async def run():
        async with aio.Broker(daemon.broker).provide("light:desk") as light:
            assert await light.wait(PATIENCE)
            light.close()
            assert not light.wanted and not await light.wait()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_restart_is_one_gap(fed, audience):
    daemon = fed()
    with provided(daemon, "accelerometer:arm", interval=0.01) as imu:
        client = audience(daemon.broker, "accelerometer:arm")
        pushed = []

        def push():
            stamp = now_ns()
            row = (float(len(pushed)), 0.0, 0.0)
            # It may have learnt by this push that somebody wants it.
            if imu.push(*row, timestamp_ns=stamp) and imu.wanted:
                pushed.append((stamp, row))
            time.sleep(0.002)

        assert imu.wait(PATIENCE)
        while len(pushed) < 50:
            push()
        client.await_rows("accelerometer:arm", 50)
        daemon.kill()
        until(lambda: push() or imu.outage is not None, "the provider to notice")
        # What was on its way when the broker died is lost with it.
        lost = len(client.rows("accelerometer:arm"))
        del pushed[lost:]
        fed()
        while len(pushed) < lost + 50:
            push()
        rows = client.await_rows("accelerometer:arm", lost + 50)
        assert rows == pushed
        [gap] = client.gaps()
        assert (gap.from_ns, gap.until_ns) == (pushed[lost - 1][0], pushed[lost][0])


def test_one_program_has_a_name_and_the_next_one_waits_for_it(fed):
    daemon = fed()
    with broker(daemon).provide("light:desk") as first:
        assert first.next_event(60) == Demand(False)
        with broker(daemon).provide("light:desk") as second:
            told = second.next_event(60)
            assert isinstance(told, Interrupted) and isinstance(told.error, sensorbroker.NameTaken)
            assert str(os.getpid()) in str(told) and not second.push(5)
            first.close()
            assert second.next_event(60) == Demand(False) and second.outage is None


def test_what_is_not_configured_is_refused_with_the_remedy(fed):
    daemon = fed()
    with broker(daemon).provide("light:kitchen") as light:
        told = light.next_event(60)
        assert isinstance(told, Interrupted) and isinstance(told.error, sensorbroker.NotPermitted)
        assert "[Feed light:kitchen]" in str(told)
    with broker(daemon).provide(Offer("light:desk", kind="smell")) as smell:
        with pytest.raises(sensorbroker.NoSuchKind, match="smell"):
            smell.next_event(60)
        with pytest.raises(sensorbroker.NoSuchKind):
            smell.push(1)


def test_samples_that_cannot_be_are_told_to_who_only_pushes(fed, audience, caplog):
    daemon = fed()
    with provided(daemon, "light:desk", interval=0.01) as light:
        # As one who only pushes: it has never asked for an event.
        light._is_followed = False
        client = audience(daemon.broker, "light:desk")
        with caplog.at_level(logging.WARNING, "sensorbroker"):
            until(lambda: light.push(1, timestamp_ns=now_ns()) and light.wanted, "a client")
            stamp = now_ns()
            assert light.push(2, timestamp_ns=stamp + 3600 * 1000 * MILLISECOND)
            until(lambda: light.push(3, timestamp_ns=now_ns()) and "refused" in caplog.text, "the refusal")
        assert "future" in caplog.text
        assert client.await_rows("light:desk", 1)


def test_another_thread_follows_what_is_wanted(fed, audience):
    daemon = fed()
    light = broker(daemon).provide("light:desk", interval=0.01)
    seen = []
    follower = threading.Thread(target=lambda: seen.extend(light), daemon=True)
    follower.start()
    until(lambda: seen == [Demand(False)], "the first answer")
    # Whichever thread hears it, the other one is told.
    client = audience(daemon.broker, "light:desk")
    until(lambda: light.push(1) and any(demand.wanted for demand in seen), "the demand")
    client.await_rows("light:desk", 1)
    light.close()
    follower.join(60)
    assert not follower.is_alive()
    with pytest.raises(sensorbroker.InvalidRequest, match="closed"):
        light.push(1)


def test_a_broker_that_is_stopped_keeps_no_program_waiting(fed, audience):
    daemon = fed()
    with provided(daemon, "accelerometer:arm", interval=0.001) as imu:
        client = audience(daemon.broker, "accelerometer:arm")
        assert imu.wait(PATIENCE)
        daemon.send_signal(signal.SIGSTOP)
        sent = []
        while imu.dropped < 100:
            stamp = now_ns()
            if imu.push(1, 2, 3, timestamp_ns=stamp):
                sent.append(stamp)
        daemon.send_signal(signal.SIGCONT)
        until(lambda: imu.push(4, 5, 6, timestamp_ns=now_ns()), "room in the socket")
        client.await_that(lambda it: it.rows("accelerometer:arm")[-1:] and it.rows("accelerometer:arm")[-1][1] == (4.0, 5.0, 6.0), "the newest one")
        # Each that was sent has arrived or is in a gap.
        told = [stamp for stamp, _ in client.rows("accelerometer:arm")[:-1]]
        missing = sorted(set(sent) - set(told))
        assert all(any(gap.from_ns <= stamp <= gap.until_ns for gap in client.gaps()) for stamp in missing), missing[:5]
        # Clients are told what was dropped here, where it was.
        lost = [gap for gap in client.gaps() if gap.cause == "deviceOverflow"]
        assert sum(gap.count for gap in lost) == imu.dropped and lost[-1].until_ns < client.rows("accelerometer:arm")[-1][0]


def test_pushes_leave_no_memory_behind(fed, audience):
    daemon = fed()
    with provided(daemon, "accelerometer:arm", interval=0.001) as imu:
        audience(daemon.broker, "accelerometer:arm", interval=10)
        assert imu.wait(PATIENCE)

        def push(count):
            for _ in range(count):
                imu.push(0.1, 0.2, 0.3, timestamp_ns=now_ns())

        push(1000)
        tracemalloc.start()
        try:
            push(1000)
            before = tracemalloc.get_traced_memory()[0]
            push(5000)
            assert tracemalloc.get_traced_memory()[0] - before < 20_000
        finally:
            tracemalloc.stop()
