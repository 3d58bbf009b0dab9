"""What a message of a host says, or why it is set aside. Hosts are not trusted; it knows neither the network nor the database."""

import json

import zstandard

from .jsontext import Refusal, integer, member, name, parse

# Numbers that every reader of JSON has exactly; far beyond what a host counts to.
NUMBERS = range(1, 1 << 53)
NANOSECONDS = range(0, 1 << 63)
# From the year 1 to the year 9999
MICROSECONDS = range(-62_135_596_800_000_000, 253_402_300_800_000_000)
UNPACKED, LINES, READINGS, STREAMS = 32 << 20, 50_000, 100_000, 1_000
ZSTD = b"\x28\xb5\x2f\xfd"


class SetAside:
    __slots__ = ("host", "topic", "payload", "size", "reason", "detail", "key")

    def __init__(self, host, topic, payload, reason, detail, size=None, key=None):
        self.host, self.topic, self.payload, self.reason, self.detail = host, topic, payload, reason, detail
        self.size, self.key = size or len(payload), key


class Entry:
    """A numbered message: its name, its text, and what the account needs of it."""

    __slots__ = ("host", "resource", "epoch", "number", "topic", "text", "parts", "lost", "began", "clock", "gaps", "received")

    @property
    def key(self):
        return self.host, self.resource, self.epoch


class Status:
    __slots__ = ("host", "state", "epoch", "newest", "clock", "topic", "text")


def clock_of(message):
    """The boot, both clocks at one instant, and whether that of the host was synchronized."""
    clock = member(message, "clock", dict)
    if clock is None or "bootId" not in clock:
        return None
    return (name(clock["bootId"], "bootId", 64), integer(clock, "bootNanoseconds", NANOSECONDS),
            integer(clock, "utcMicroseconds", MICROSECONDS), member(clock, "synchronized", bool))


def lost_of(message):
    """Epoch, first and last number, cause."""
    lost = member(message, "lost", dict)
    if lost is None:
        return None
    first, last = integer(lost, "from", NUMBERS, "range"), integer(lost, "to", NUMBERS, "range")
    if first > last:
        raise Refusal("range", f"lost from {first} to {last}")
    return name(lost.get("epoch"), "the epoch of what is lost", 64), first, last, name(lost.get("cause"), "the cause")


def began_of(message):
    """The former epoch, its last number, 0 if that is not told, whether there may have been more, and the gap at its end."""
    began = member(message, "began", dict)
    if began is None or "previous" not in began:
        return None
    last = integer(began, "last", range(0, 1 << 53), "range") if began.get("last") is not None else 0
    gap = gap_of(began["gap"]) if began.get("gap") is not None else None
    return name(began["previous"], "the former epoch", 64), last, bool(member(began, "endUnknown", bool)), gap


def gap_of(gap):
    """Cause, count and span, and all of it as it was told."""
    if type(gap) is not dict:
        raise Refusal("type", f"a gap is a {type(gap).__name__}")
    count, *span = (integer(gap, key, NANOSECONDS) if gap.get(key) is not None else None
                    for key in ("count", "fromNanoseconds", "untilNanoseconds"))
    return name(gap.get("cause"), "the cause of a gap"), count, *span, json.dumps(gap)


def gaps_of(message):
    return [gap_of(gap) for gap in member(message, "gaps", list, ())]


def parts_of(message, text):
    """The stamp of each reading, with a text that has this reading: the first part is the message itself."""
    readings = member(message, "readings", list, ())
    if len(readings) > READINGS:
        raise Refusal("tooLarge", f"{len(readings)} readings")
    parts = []
    for reading in readings:
        if type(reading) is not dict:
            raise Refusal("type", f"a reading is a {type(reading).__name__}")
        stamp = reading.get("timestampNanoseconds")
        if stamp is not None:
            integer(reading, "timestampNanoseconds", NANOSECONDS)
        parts.append((stamp, json.dumps({"readings": [reading]}) if parts else text))
    return parts or [(None, text)]


def key_of(host, resource, text):
    """Of a text that cannot be stored, if it can be read."""
    try:
        message = json.loads(text)
        return host, resource, name(message.get("epoch"), "epoch", 64), integer(message, "number", NUMBERS, "unnamed")
    except (ValueError, RecursionError, AttributeError, Refusal):
        return None


def entry(host, resource, topic, text, received=None):
    """A numbered message; refuses with its key and number, if these are known."""
    try:
        message = parse(text)
    except Refusal as refusal:
        refusal.key = key_of(host, resource, text) if refusal.reason in ("text", "number") else None
        raise
    one = Entry()
    one.host, one.resource, one.topic, one.text, one.received = host, resource, topic, text, received
    one.epoch, one.number = name(message.get("epoch"), "epoch", 64), integer(message, "number", NUMBERS, "unnamed")
    try:
        one.parts, one.gaps = parts_of(message, text), gaps_of(message)
        one.lost, one.began, one.clock = lost_of(message), began_of(message), clock_of(message)
    except Refusal as refusal:
        refusal.key = (*one.key, one.number)
        raise
    return one


def status(host, topic, payload):
    one = Status()
    one.host, one.topic, one.text, one.epoch, one.newest, one.clock = host, topic, None, None, [], None
    if not payload:
        # The retained status was removed: the host is no longer part of the fleet.
        one.state = "removed"
        return one
    one.text = decoded(payload)
    message = parse(one.text)
    one.state, one.clock = name(message.get("state"), "the state", 64), clock_of(message)
    streams = member(message, "streams", dict, {})
    if len(streams) > STREAMS:
        raise Refusal("streams", f"{len(streams)} streams")
    if message.get("epoch") is not None:
        one.epoch = name(message["epoch"], "epoch", 64)
        for resource, numbers in streams.items():
            if type(numbers) is not dict:
                raise Refusal("type", f"'{resource[:40]}' is a {type(numbers).__name__}")
            one.newest.append((name(resource, "a resource"), integer(numbers, "last", range(0, 1 << 53), "range")))
    return one


def decoded(payload):
    try:
        return payload.decode()
    except UnicodeDecodeError as error:
        raise Refusal("notUTF8", str(error)[:200]) from None


def lines_of(payload):
    """The lines of a message: one object, or several in a frame of zstd."""
    if payload[:4] != ZSTD:
        return [payload]
    try:
        unpacked = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(payload).read(UNPACKED + 1)
    except (zstandard.ZstdError, MemoryError) as error:
        raise Refusal("notZstd", str(error)[:200]) from None
    lines = unpacked.split(b"\n")
    if len(unpacked) > UNPACKED or len(lines) > LINES:
        raise Refusal("tooLarge", f"more than {UNPACKED} bytes or {LINES} lines in a frame")
    return [line for line in lines if line] or [b""]


def read(prefix, topic, payload, size=None):
    """The entries of a message, or its status; whatever cannot be taken is set aside. Topics without numbers are nothing."""
    topic = topic.decode(errors="backslashreplace")
    host, _, rest = topic[len(prefix) + 1:].partition("/")
    resource = rest.removesuffix("/late")
    if rest == "resend" or "/" in resource:
        return []

    def aside(refusal, data):
        return SetAside(host, topic, data, refusal.reason, refusal.detail, size, getattr(refusal, "key", None))

    try:
        name(host, "the host")
        if size:
            raise Refusal("tooLarge", f"{size} bytes")
        if rest == "status":
            return [status(host, topic, payload)]
        name(resource, "the resource")
        lines = lines_of(payload)
    except Refusal as refusal:
        return [aside(refusal, payload)]
    found = []
    for line in lines:
        try:
            found.append(entry(host, resource, topic, decoded(line)))
        except Refusal as refusal:
            found.append(aside(refusal, line))
    return found
