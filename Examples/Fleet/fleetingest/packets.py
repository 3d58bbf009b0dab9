"""The packets of MQTT 5 and 3.1.1 that a consumer needs, as bytes; it knows neither sockets nor clocks.

Why not paho-mqtt: that of Debian 12 acknowledges each message by itself, before it is committed, and it costs 47 microseconds a message,
more than everything else here together.
"""

import struct

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 14
# How much of a packet is kept: more than a bridge ever sends. Of a larger one the beginning is kept, so that it can be named.
LARGEST = 16 << 20
KEPT = 64 << 10

# The properties of a CONNACK, in bytes; 0: a text with its length before it
PROPERTIES = {0x11: (4,), 0x12: (0,), 0x13: (2,), 0x15: (0,), 0x16: (0,), 0x1A: (0,), 0x1C: (0,), 0x1F: (0,), 0x21: (2,), 0x22: (2,),
              0x24: (1,), 0x25: (1,), 0x26: (0, 0), 0x27: (4,), 0x28: (1,), 0x29: (1,), 0x2A: (1,)}
TAKEN_OVER = 0x8E
REASONS = {
    1: "it does not speak this version; try --mqtt-version", 2: "it does not take this client id", 3: "it is unavailable",
    4: "wrong user or password", 5: "this client is not authorized", 0x80: "unspecified error", 0x81: "malformed packet",
    0x82: "protocol error", 0x84: "it does not speak this version; try --mqtt-version 3.1.1", 0x85: "it does not take this client id",
    0x86: "wrong user or password", 0x87: "this client is not authorized", 0x88: "it is unavailable", 0x89: "it is busy",
    0x8A: "this client is banned", 0x8B: "it is shutting down", 0x8D: "it missed our pings", 0x8E: "another client has the same --client-id",
    0x8F: "it does not take this topic filter", 0x95: "packet too large", 0x97: "a quota is exceeded", 0x9F: "connected too often",
}


class Malformed(Exception):
    """The server sent what is no MQTT."""


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("!H", len(data)) + data


def packet(kind, body, flags=0):
    length, size = bytearray(), len(body)
    while True:
        size, digit = size >> 7, size & 0x7F
        length.append(digit | (0x80 if size else 0))
        if not size:
            return bytes((kind << 4 | flags,)) + bytes(length) + body


def connect(version, client, keep_alive, user=None, password=None, window=1000, session_seconds=86_400):
    """Asks for a session that the server keeps, and for at most `window` messages that are not acknowledged."""
    flags = (0x80 if user is not None else 0) | (0x40 if password is not None else 0)
    wishes = b""
    if version == 5:
        wishes = struct.pack("!BIBH", 0x11, session_seconds, 0x21, window)
        wishes = bytes((len(wishes),)) + wishes
    body = text("MQTT") + struct.pack("!BBH", version, flags, keep_alive) + wishes + text(client)
    return packet(CONNECT, body + b"".join(text(value) for value in (user, password) if value is not None))


def subscribe(version, identifier, filters):
    """With quality 1."""
    body = struct.pack("!H", identifier) + (b"\0" if version == 5 else b"")
    return packet(SUBSCRIBE, body + b"".join(text(name) + b"\1" for name in filters), flags=2)


def publish(version, topic, payload):
    """With quality 0: whoever asks in vain asks again."""
    return packet(PUBLISH, text(topic) + (b"\0" if version == 5 else b"") + payload)


def acknowledgements(identifiers):
    return b"".join(b"\x40\x02" + struct.pack("!H", identifier) for identifier in identifiers)


def answer(version, body):
    """Whether the session was kept, and the reason of a CONNACK."""
    if len(body) < 2:
        raise Malformed("an answer without a reason")
    return bool(body[0] & 1), body[1]


def server_keep_alive(version, body):
    """How often in seconds the server of a CONNACK has to hear something; 0 if it does not say."""
    place, end = properties(body, 2) if version == 5 and len(body) > 2 else (0, 0)
    while place < end:
        kind, place = body[place], place + 1
        if kind == 0x13 and place + 2 <= end:
            return body[place] << 8 | body[place + 1]
        for size in PROPERTIES.get(kind, (end,)):
            place += size or 2 + int.from_bytes(body[place:place + 2], "big")
    return 0


def reasons(version, body):
    """The reasons of a SUBACK, one for each filter."""
    start = 2
    if version == 5:
        _, start = properties(body, 2)
    return list(body[start:])


def properties(body, place):
    """Where they begin and end."""
    size = shift = 0
    for count in range(4):
        if place >= len(body):
            break
        digit = body[place]
        place += 1
        size |= (digit & 0x7F) << shift
        shift += 7
        if digit < 0x80:
            if place + size <= len(body):
                return place, place + size
            break
    raise Malformed("properties that do not end")


def published(version, flags, body):
    """Topic, identifier (none with quality 0) and payload of a PUBLISH."""
    if len(body) < 2:
        raise Malformed("a message without a topic")
    end = 2 + (body[0] << 8 | body[1])
    topic, identifier = body[2:end], None
    if flags & 6:
        if len(body) < end + 2:
            raise Malformed("a message without its identifier")
        identifier = body[end] << 8 | body[end + 1]
        end += 2
    if len(body) < end:
        raise Malformed("a topic that does not end")
    if version == 5:
        _, end = properties(body, end)
    return topic, identifier, body[end:]


class Packets:
    """Divides the server's bytes into packets: kind, flags, body, and the size, which is more than the body's if that was cut."""

    def __init__(self):
        self.buffer = bytearray()
        self.skipping = None

    def feed(self, data):
        self.buffer += data
        place, end = 0, len(self.buffer)
        buffer = self.buffer
        while True:
            if self.skipping:
                head, body, size, left = self.skipping
                taken = min(left, end - place)
                place += taken
                if taken < left:
                    self.skipping = head, body, size, left - taken
                    break
                self.skipping = None
                yield head >> 4, head & 15, body, size
                continue
            size, shift, start = 0, 0, place + 1
            while start < end:
                digit = buffer[start]
                start += 1
                size |= (digit & 0x7F) << shift
                shift += 7
                if digit < 0x80:
                    break
                if shift == 28:
                    raise Malformed("a length of more than four bytes")
            else:
                break
            if size > LARGEST:
                if end - start < KEPT:
                    break
                self.skipping = buffer[place], bytes(buffer[start:start + KEPT]), size, size - KEPT
                place = start + KEPT
                continue
            if end - start < size:
                break
            yield buffer[place] >> 4, buffer[place] & 15, bytes(buffer[start:start + size]), size
            place = start + size
        del buffer[:place]
