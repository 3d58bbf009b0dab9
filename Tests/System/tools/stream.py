"""A running subscription: its grants, and everything received in it, in order."""

import base64
import itertools
import json
import select
import selectors
import struct
import time

from tools.programs import BROKER, PATIENCE
from tools.wire import Closed, Connection, call


MILLISECOND = 1_000_000
SECOND = 1_000 * MILLISECOND


def accelerometer(interval, **more):
    """A request for accelerations."""
    return {"resource": "accelerometer", "intervalNanoseconds": interval, **more}


class Stream:
    def __init__(self, path, *requests):
        self.connection = Connection(path)
        self.connection.send(call(f"{BROKER}.Subscribe", {"requests": list(requests)}, more=True))
        # What arrived, and when this test read it: lists of equal length.
        self.samples, self.came = [], []
        self.readings = []
        self.gaps = []
        self.resources = []
        self.states = []
        self.ended = None
        # Those that hold now.
        self.grants = {}
        first = self.receive()
        self.subscription = first["subscription"]
        self.revision = first["revision"]
        self.first = first

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def close(self):
        self.connection.close()

    def fileno(self):
        return self.connection.fileno()

    def receive(self):
        """Waits for the next reply and returns its parameters."""
        return self.note(self.connection.receive())

    def note(self, reply):
        """Stores the contents of a reply."""
        assert "error" not in reply, reply
        parameters = reply.get("parameters", {})
        self.ended = parameters.get("ended")
        assert bool(reply.get("continues")) == (self.ended is None), reply
        self.readings += parameters.get("readings", [])
        for reading in parameters.get("readings", []):
            samples = samples_of(reading)
            self.samples += samples
            self.came += [boot_nanoseconds()] * len(samples)
        self.gaps += parameters.get("gaps", [])
        self.grants |= {grant["resource"]: grant for grant in parameters.get("grants", [])}
        self.resources += parameters.get("resources", [])
        self.states += [(item["name"], item["state"], item.get("reason")) for item in parameters.get("resources", [])]
        return parameters

    @property
    def losses(self):
        """Its gaps without those of a test that was held up: a socket holds half a second of readings."""
        return [gap for gap in self.gaps if gap["cause"] != "slowClient" or not was_slow(self, gap)]

    def until(self, condition, what, patience=PATIENCE):
        """Reads until a condition on this stream holds; fails with a message after a long time."""
        deadline = time.monotonic() + patience
        while not condition(self):
            assert time.monotonic() < deadline, f"waited {patience:.0f} s for {what}; last states: {self.states[-3:]}"
            self.receive()
        return self

    def note_some(self):
        """Reads once, and stores the contents of complete replies."""
        self.connection.receive_some()
        while (message := self.connection.take()) is not None:
            self.note(json.loads(message))

    def note_what_is_there(self):
        """Stores what has arrived, without waiting."""
        while select.select([self], [], [], 0)[0]:
            self.note_some()

    def read_to_end(self):
        """Reads to the last reply and to the end of the connection, which must follow it."""
        while self.ended is None:
            self.receive()
        try:
            extra = self.connection.receive_bytes()
        except Closed:
            return self.ended
        raise AssertionError(f"a message after the last one: {extra!r}")


def was_slow(stream, gap):
    """Whether a client had left something unread where a gap says that its socket was full."""
    before = [at for (stamp, *_), at in zip(stream.samples, stream.came) if stamp < gap["fromNanoseconds"]]
    return bool(before) and before[-1] >= gap["fromNanoseconds"]


def read_all(streams, condition, what):
    """Reads all streams in turn until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ, stream)
        while not condition():
            assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
            for key, _ in selector.select(1):
                key.data.note_some()


def samples_of(reading):
    """(timestamp, sequence, values) of each sample of a reading, taken from its columns."""
    start = reading["timestampNanoseconds"]
    if "location" in reading:
        return [(start, reading["sequence"], reading["location"])]
    if "orientation" in reading:
        return [(start, reading["sequence"], reading["orientation"])]
    values = reading["values"]
    columns = values.get("columns") or {name: unpacked(text) for name, text in values["packed"].items()}
    count = len(next(iter(columns.values())))
    assert count > 0 and all(len(column) == count for column in columns.values()), reading
    if "timestampsNanoseconds" in values:
        stamps = values["timestampsNanoseconds"]
        assert len(stamps) == count and stamps[0] == start, reading
    elif "packedStepsNanoseconds" in values:
        steps = unpacked(values["packedStepsNanoseconds"], "I")
        assert "packed" in values and len(steps) == count - 1, reading
        stamps = list(itertools.accumulate(steps, initial=start))
    else:
        assert count == 1 or "periodNanoseconds" in values, reading
        stamps = [start + index * values.get("periodNanoseconds", 0) for index in range(count)]
    rows = zip(stamps, zip(*columns.values()))
    return [(stamp, reading["sequence"] + index, numbers) for index, (stamp, numbers) in enumerate(rows)]


def scans_of(stream):
    """(timestamp, values) by resource, of each number in a stream of resources of one device."""
    scans = {}
    for reading in stream.readings:
        for stamp, number, values in samples_of(reading):
            scans.setdefault(number, {})[reading["resource"]] = (stamp, values)
    return scans


def unpacked(text, form="f"):
    """The numbers of a packed column, or of packed steps."""
    return [number for number, in struct.iter_unpack("<" + form, base64.b64decode(text, validate=True))]


def boot_nanoseconds():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
