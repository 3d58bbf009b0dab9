"""Programs in Python that are sensors, with a broker that reads when it is told to."""

import asyncio
import socket
import threading

import pytest

import tools.pythonclient  # noqa: F401  finds the package
from tools.feedcommand import double  # noqa: F401  a fixture
from tools.programs import PATIENCE
from tools.waiting import until

import sensorbroker
from sensorbroker import Interrupted, Offer, aio

ROWS = 30_000


def light_of(double, module=sensorbroker, **options):
    double.first["parameters"]["wanted"] = True
    return module.Broker(double.broker).provide(Offer("light:desk", channels=("value",)), interval=0.001, **options)


def push_a_long_batch(light, double):
    """Pushes more than a socket has room for, to a broker that has stopped to read."""
    double.reads.clear()
    assert light.push_batch([[row / 7] for row in range(ROWS)], timestamp_ns=1, period_ns=1)


def read_later(double):
    thread = threading.Timer(0.3, double.reads.set)
    thread.start()
    return thread


def all_rows(double):
    double.until(lambda double: not double.connections, "the end")
    return double.values() == [(1 + row, row / 7) for row in range(ROWS)]


def test_what_of_a_long_batch_waits_for_room_is_sent_at_the_end(double):
    with light_of(double) as light:
        assert light.wait(PATIENCE)
        push_a_long_batch(light, double)
        thread = read_later(double)
    thread.join()
    assert light.dropped == 0 and all_rows(double)


def test_with_asyncio_the_end_of_the_block_waits_for_room_and_no_other_task_does(double):
    async def run():
        async with light_of(double, aio) as light:
            assert await light.wait(PATIENCE)
            push_a_long_batch(light, double)
            # Another task: while this one holds up the loop, it does not run.
            asyncio.get_running_loop().call_later(0.1, double.reads.set)
        return light

    assert asyncio.run(asyncio.wait_for(run(), PATIENCE)).dropped == 0 and all_rows(double)


def test_what_the_broker_does_not_take_in_the_end_is_counted(double, caplog):
    with light_of(double) as light:
        assert light.wait(PATIENCE)
        push_a_long_batch(light, double)
    assert light.dropped > 0 and f"the last {light.dropped} samples" in caplog.text
    double.reads.set()
    double.until(lambda double: not double.connections, "the end")
    assert len(double.values()) == ROWS - light.dropped


def test_what_waits_for_room_when_the_broker_goes_is_counted(double):
    with light_of(double) as light:
        assert light.wait(PATIENCE)
        push_a_long_batch(light, double)
        double.connections[-1].socket.shutdown(socket.SHUT_RDWR)
        until(lambda: isinstance(light.next_event(PATIENCE), Interrupted), "the end of the connection")
        assert 0 < light.dropped < ROWS


@pytest.mark.parametrize("takes_missing", [True, False])
def test_an_earlier_broker_gets_no_number_that_it_would_refuse(double, takes_missing):
    double.first["parameters"]["takesMissing"] = takes_missing
    with light_of(double) as light:
        assert light.wait(PATIENCE)
        push_a_long_batch(light, double)
        assert not light.push(1.0) and light.dropped == 1
        double.reads.set()
        until(lambda: light.push(2.0, timestamp_ns=ROWS + 2), "room")
        dropped = light.dropped
        double.until(lambda double: double.samples and double.samples[-1]["timestampNanoseconds"] == ROWS + 2, "the last one")
        assert double.missing == (dropped if takes_missing else 0)
