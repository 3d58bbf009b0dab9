"""library.py sync|asyncio|numpy SOCKET COUNT RESOURCE PACKED: a client of the Python package that adds up each number of so many samples."""

import asyncio
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Clients/python"))

import measured  # noqa: E402
from sensorbroker import Broker, Reading, Request, aio  # noqa: E402

interface, address, count, resource, packed = sys.argv[1:]
count = int(count)
request = Request(resource, packed=packed == "1")


def added(reading):
    """The sum of all numbers of a reading."""
    if reading.location is not None:
        return reading.location.latitude_degrees + reading.location.longitude_degrees
    if interface == "numpy":
        return sum(float(column.sum()) for column in reading.numpy()[1].values())
    return sum(map(sum, reading.columns.values()))


def read():
    samples, total = -1, 0.0
    with Broker(address).subscribe(request) as stream:
        for event in stream.events():
            if isinstance(event, Reading):
                samples += len(event)
                total += added(event)
                if samples >= count:
                    break
            elif samples < 0:
                measured.begin()
                samples = 0
    measured.end(samples, total)


async def read_async():
    samples, total = -1, 0.0
    async with aio.Broker(address).subscribe(request) as stream:
        async for event in stream.events():
            if isinstance(event, Reading):
                samples += len(event)
                total += added(event)
                if samples >= count:
                    break
            elif samples < 0:
                measured.begin()
                samples = 0
    measured.end(samples, total)


if interface == "asyncio":
    asyncio.run(read_async())
else:
    if interface == "numpy":
        import numpy  # noqa: F401  what it takes to load is no part of a reading
    read()
