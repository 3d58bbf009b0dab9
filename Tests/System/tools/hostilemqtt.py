"""A server of MQTT that sends what harms, from a seed."""

import random

from tools.scriptedmqtt import ScriptedServer

TOPICS = (b"fleet/h/status", b"fleet/h/resend", b"fleet/h/accelerometer", b"fleet/h/accelerometer/set", b"fleet/h/location/late", b"", b"\xff\xc0")
PAYLOADS = (b"", b"{", b'{"state":"online","epoch":"0123456789abcdef0123456789abcdef","streams":{"location":{"last":9}}}',
            b'{"epoch":"0123456789abcdef0123456789abcdef","number":1,"readings":[]}', b"\x28\xb5\x2f\xfd\x00\x00", b"\0" * 70_000)
# Of MQTT 5, by their numbers, and some that are none
PROPERTIES = (b"", b"\x21\0\1", b"\x27\0\0\0\1", b"\x22\xff\xff", b"\x13\0\1", b"\x12\0\3abc", b"\x24\0", b"\x25\0", b"\x26\0\1a\0\1b",
              b"\x7f\0", b"\x21\0", b"\x12\xff\xff")


class HostileServer(ScriptedServer):
    """Accepts a client, most often, and then sends packets that are random, cut or mutated."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.known = set()
        super().__init__()

    def packet_of(self, header, body):
        return bytes([header]) + self.length(len(body)) + body

    def text(self, text):
        return len(text).to_bytes(2, "big") + text

    def proper(self):
        """A packet as a server may send it, with properties that it may not."""
        choose = self.random.choice
        properties = choose(PROPERTIES)
        tail = self.length(len(properties)) + properties
        identifier, reason = self.random.randbytes(2), bytes([choose((0, 0x10, 0x80, 0x87, 0x8E, 0x95, 0x97, 0x9D, 0xFF))])
        return self.packet_of(*choose((
            (0x20, b"\0" + reason + tail),
            (choose((0x30, 0x31, 0x32, 0x33, 0x34, 0x3F)), self.text(choose(TOPICS)) + identifier + tail + choose(PAYLOADS)),
            (0x30, self.text(choose(TOPICS)) + tail + choose(PAYLOADS)),
            (0x40, identifier + reason + tail), (0x50, identifier + reason), (0x62, identifier), (0x70, identifier),
            (0x90, identifier + tail + reason), (0xB0, identifier + tail), (0xD0, b""), (0xE0, reason + tail), (0xF0, reason + tail),
        )))

    def attack(self):
        packet = bytearray(self.proper())
        kind = self.random.randrange(5)
        if kind == 0:
            return self.random.randbytes(self.random.randint(1, 5_000))
        if kind == 1:
            return bytes(packet[:self.random.randrange(len(packet) + 1)])
        if kind == 2:
            for _ in range(self.random.randint(1, 4)):
                packet[self.random.randrange(len(packet))] = self.random.randrange(256)
        if kind == 3:
            return bytes([packet[0]]) + b"\xff\xff\xff\x7f" + bytes(packet) * 50
        return bytes(packet)

    async def converse(self, reader, writer):
        header, body = await self.packet(reader)
        self.connections.append(body[6])
        # A consumer ends where its first connection fails; its name has a place of its own behind the properties.
        name = body[-40:]
        answers = name not in self.known or self.random.random() < 0.7
        self.known.add(name)
        if answers:
            writer.write(b"\x20\x03\0\0\0" if body[6] == 5 else b"\x20\x02\0\0")
            header = 0
            while header >> 4 != 8:
                header, body = await self.packet(reader)
            tail = b"\0" if self.connections[-1] == 5 else b""
            writer.write(self.packet_of(0x90, body[:2] + tail + b"\1"))
        for _ in range(self.random.randint(1, 30)):
            writer.write(self.attack())
        await writer.drain()
