"""The test program of the conformance suite: it prints what a user of this package sees. See Clients/conformance/README.md.

usage: python3 -m sensorbroker.conform [--async] SOCKET [REQUEST...]
       python3 -m sensorbroker.conform [--async] --provide SOCKET OFFER...
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from . import aio, errors, values
from ._broker import Broker

_FIELDS: Dict[str, Callable[[str], Any]] = {
    "interval": lambda text: int(text) / 1e9,
    "batch": lambda text: int(text) / 1e9,
    "filter": str,
    "change": float,
    "label": str,
    "packed": lambda text: text == "1",
    "align": str,
}
_NAMES = {"change": "minimum_change", "align": "align_to"}


def request(text: str) -> values.Request:
    """A request of the command line."""
    resource, *rest = text.split(",")
    pairs = (field.split("=", 1) for field in rest)
    return values.Request(resource, **{_NAMES.get(name, name): _FIELDS[name](value) for name, value in pairs})


def show(event: str, **members: Any) -> None:
    """Prints a line."""
    line = {"event": event, **{name: value for name, value in members.items() if value is not None}}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def show_error(event: str, error: errors.SensorError, **members: Any) -> None:
    """Prints a line about an error."""
    print(error, file=sys.stderr)
    reason, resource = getattr(error, "reason", None), getattr(error, "resource", None)
    show(event, error=error.word, reason=reason, resource=resource, **members)


def show_reading(event: str, reading: values.Reading) -> None:
    """Prints a line for each sample."""
    named = {"resource": reading.resource, "label": reading.label}
    if reading.columns:
        for row, sample in enumerate(reading.samples()):
            first = reading.sequence if row == 0 else None
            show(event, **named, sequence=first, timestampNanoseconds=sample.timestamp_ns, values=sample.values)
        return
    place: Optional[Dict[str, Any]] = None
    if reading.location is not None:
        found = reading.location
        place = {
            "fix": found.fix,
            "latitudeDegrees": found.latitude_degrees,
            "longitudeDegrees": found.longitude_degrees,
            "altitudeMeters": found.altitude_meters,
        }
        place = {name: value for name, value in place.items() if value is not None}
    show(
        event, **named, sequence=reading.sequence, timestampNanoseconds=reading.timestamp_ns, location=place,
        orientation=reading.orientation,
    )  # fmt: skip


def show_event(event: values.Event) -> None:
    """Prints what a stream tells."""
    if isinstance(event, values.Reading):
        show_reading("reading", event)
    elif isinstance(event, values.Gap):
        show(
            "gap", resource=event.resource, label=event.label, cause=event.cause, count=event.count,
            fromNanoseconds=event.from_ns, untilNanoseconds=event.until_ns,
        )  # fmt: skip
    elif isinstance(event, values.State):
        show("state", resource=event.resource, state=event.state, reason=event.reason)
    elif isinstance(event, values.Grant):
        show(
            "grant", resource=event.resource, label=event.label, intervalNanoseconds=event.interval_ns,
            batchNanoseconds=event.batch_ns,
        )  # fmt: skip
    elif isinstance(event, values.Connected):
        show("connected")
    elif isinstance(event, values.Interrupted):
        show_error("disconnected", event.error)
    else:
        show_error("refused", event.error)


def show_list(resources: List[values.Resource]) -> None:
    """Prints the list of resources."""
    show("list", resources=[{"name": one.name, "kind": one.kind, "state": one.state} for one in resources])


class Program:
    """The synchronous program: commands come on one thread, and the stream's events on another."""

    def __init__(self, path: str, requests: List[values.Request]) -> None:
        self.broker = Broker(path)
        self.stream = self.broker.subscribe(*requests) if requests else None
        self.has_failed = False

    def follow(self) -> None:
        assert self.stream is not None
        try:
            for event in self.stream.events():
                show_event(event)
        except errors.SensorError as error:
            self.has_failed = True
            show_error("error", error)

    def obey(self, line: str) -> None:
        word, *rest = line.split()
        if word == "modify" and self.stream is not None:
            try:
                self.stream.change(request(rest[0]))
            except errors.InvalidRequest as error:
                show_error("refused", error)
        elif word == "remove" and self.stream is not None:
            self.stream.remove(rest[0])
        elif word == "list":
            try:
                show_list(self.broker.list())
            except errors.SensorError as error:
                show_error("failed", error, call="list")
        elif word == "read":
            try:
                reading = self.broker.read(rest[0], maximum_age=int(rest[1]) / 1e9, timeout=int(rest[2]) / 1e9)
                show_reading("read", reading)
            except errors.SensorError as error:
                show_error("failed", error, call="read")

    def run(self) -> int:
        follower = threading.Thread(target=self.follow, daemon=True) if self.stream is not None else None
        if follower is not None:
            follower.start()
        for line in sys.stdin:
            if line.strip() == "quit":
                break
            if line.strip():
                self.obey(line)
        if self.stream is not None and follower is not None:
            self.stream.close()
            follower.join()
        return 1 if self.has_failed else 0


class AsyncProgram:
    """The same with asyncio, in one thread."""

    def __init__(self, path: str, requests: List[values.Request]) -> None:
        self.broker = aio.Broker(path)
        self.stream = self.broker.subscribe(*requests) if requests else None
        self.has_failed = False

    async def follow(self) -> None:
        assert self.stream is not None
        try:
            async for event in self.stream.events():
                show_event(event)
        except errors.SensorError as error:
            self.has_failed = True
            show_error("error", error)

    async def obey(self, line: str) -> None:
        word, *rest = line.split()
        if word == "modify" and self.stream is not None:
            try:
                self.stream.change(request(rest[0]))
            except errors.InvalidRequest as error:
                show_error("refused", error)
        elif word == "remove" and self.stream is not None:
            self.stream.remove(rest[0])
        elif word == "list":
            try:
                show_list(await self.broker.list())
            except errors.SensorError as error:
                show_error("failed", error, call="list")
        elif word == "read":
            try:
                reading = await self.broker.read(rest[0], maximum_age=int(rest[1]) / 1e9, timeout=int(rest[2]) / 1e9)
                show_reading("read", reading)
            except errors.SensorError as error:
                show_error("failed", error, call="read")

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        follower = loop.create_task(self.follow()) if self.stream is not None else None
        while line := (await lines.readline()).decode():
            if line.strip() == "quit":
                break
            if line.strip():
                await self.obey(line)
        if self.stream is not None and follower is not None:
            self.stream.close()
            await follower
        return 1 if self.has_failed else 0


def main(arguments: List[str]) -> int:
    """Runs the program."""
    is_async = arguments[:1] == ["--async"]
    arguments = arguments[1:] if is_async else arguments
    if arguments[:1] == ["--provide"]:
        from . import conform_provide

        _, path, *words = arguments
        return asyncio.run(conform_provide.run_async(path, words)) if is_async else conform_provide.run(path, words)
    path, *wanted = arguments
    requests = [request(text) for text in wanted]
    return asyncio.run(AsyncProgram(path, requests).run()) if is_async else Program(path, requests).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
