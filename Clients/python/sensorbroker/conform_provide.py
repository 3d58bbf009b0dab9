"""The test program of the conformance suite for providers: it prints what a program that is a sensor sees.

usage: python3 -m sensorbroker.conform [--async] --provide SOCKET OFFER...
"""

from __future__ import annotations

import asyncio
import sys
import threading
from array import array
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import aio, errors, values
from ._broker import Broker
from .conform import show, show_error

_OPTIONS: Dict[str, Callable[[str], Any]] = {
    "description": str,
    "interval": lambda text: int(text) / 1e9,
    "intervals": lambda text: [int(one) / 1e9 for one in text.split("+")],
    "shortest": lambda text: int(text) / 1e9,
    "longest": lambda text: int(text) / 1e9,
    "rest": lambda text: int(text) / 1e9,
    "simulated": lambda text: text == "1",
}


def parse(words: List[str]) -> Tuple[List[values.Offer], Dict[str, Any]]:
    """The offers and options of the command line."""
    offers, options = [], {}
    for word in words:
        if word.startswith("-"):
            name, value = word[1:].split("=", 1)
            options[name] = _OPTIONS[name](value)
        else:
            resource, *rest = word.split(",")
            fields = dict(field.split("=", 1) for field in rest)
            channels = fields.get("channels")
            offers.append(values.Offer(resource, fields.get("kind"), tuple(channels.split("+")) if channels else None))
    return offers, options


def show_event(event: values.FeedEvent) -> None:
    """Prints what a provider is told."""
    if isinstance(event, values.Demand):
        show(
            "demand", wanted=event.wanted, intervalNanoseconds=event.interval_ns, latencyNanoseconds=event.latency_ns
        )  # fmt: skip
    elif isinstance(event, values.RefusedSamples):
        show("refusal", count=event.count, reason=event.reason)
    else:
        show_error("disconnected", event.error)


def obey(provider: Any, offers: List[values.Offer], line: str) -> None:
    """Carries out a command; what it pushes has the same form for all interfaces."""
    word, *rest = line.split()
    try:
        done = _push(provider, offers, word, rest)
    except errors.SensorError as error:
        show_error("refused", error)
        return
    if word == "flood":
        show("flooded", dropped=provider.dropped)
    else:
        show("pushed" if done else "dropped")


def _push(provider: Any, offers: List[values.Offer], word: str, rest: List[str]) -> bool:
    if word == "flood":
        many = {"value": [0.125] * 1000}
        return all([provider.push_batch(many, timestamp_ns=1, period_ns=1) for _ in range(int(rest[0]))])
    stamp = int(rest[0]) or None
    if word == "location":
        place = values.Location("3d", latitude_degrees=float(rest[1]), longitude_degrees=float(rest[2]))
        return bool(provider.push(place, timestamp_ns=stamp))
    numbers = [float(text) for text in rest[1 if word == "push" else 2 :]]
    names = [offer.channels or ("x", "y", "z") for offer in offers]
    width = sum(map(len, names))
    rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
    batches, first = [], 0
    for one in names:
        batches.append({name: [row[first + place] for row in rows] for place, name in enumerate(one)})
        first += len(one)
    if word == "push":
        row = [[column[0] for column in batch.values()] for batch in batches]
        return bool(provider.push(*(row[0] if len(row) == 1 else row), timestamp_ns=stamp))
    if word == "packed":
        batches = [{name: array("f", column) for name, column in batch.items()} for batch in batches]  # type: ignore[misc]
    stamps = [int(text) for text in rest[1].split("+")]
    if len(stamps) == 1:
        return bool(provider.push_batch(*batches, timestamp_ns=stamp, period_ns=stamps[0]))
    return bool(provider.push_batch(*batches, timestamps_ns=stamps))


def run(path: str, words: List[str]) -> int:
    """The synchronous program: commands come on one thread, and what the broker tells on another."""
    offers, options = parse(words)
    failed: List[Optional[errors.SensorError]] = []
    provider = Broker(path).provide(*offers, **options)

    def follow() -> None:
        try:
            for event in provider.events():
                show_event(event)
        except errors.SensorError as error:
            failed.append(error)
            show_error("error", error)

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.strip():
            obey(provider, offers, line)
    provider.close()
    follower.join()
    return 1 if failed else 0


async def run_async(path: str, words: List[str]) -> int:
    """The same with asyncio, in one thread."""
    offers, options = parse(words)
    failed: List[Optional[errors.SensorError]] = []
    provider = aio.Broker(path).provide(*offers, **options)
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)

    async def follow() -> None:
        try:
            async for event in provider.events():
                show_event(event)
        except errors.SensorError as error:
            failed.append(error)
            show_error("error", error)

    follower = loop.create_task(follow())
    while line := (await lines.readline()).decode():
        if line.strip() == "quit":
            break
        if line.strip():
            obey(provider, offers, line)
    provider.close()
    await follower
    return 1 if failed else 0
