"""A server of MQTT that gives any answer."""

import asyncio
import struct

from tools.bridge import Bridge
from tools.ledger import Ledger
from tools.network import Loop
from tools.waiting import until


class ScriptedServer(Loop):
    """A server whose every answer a test decides.

    `connack(connection)`: the reason of the answer to a connection; `puback(topic, payload)`: that to a message, None for no
    answer, a tuple ("disconnect", reason) to end the connection. What was acknowledged as delivered is in `arrived`.
    """

    def __init__(self, connack=lambda number: 0, puback=lambda topic, payload: 0, properties=b"", port=0, address="127.0.0.1"):
        super().__init__()
        self.connack, self.puback, self.properties = connack, puback, properties
        self.connections, self.published, self.arrived, self.writers = [], [], [], set()
        self.server = None
        self.port = self.run(self.listen(address, port))

    async def listen(self, address, port):
        self.server = await asyncio.start_server(self.serve, address, port)
        return self.server.sockets[0].getsockname()[1]

    @staticmethod
    def length(number):
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    async def packet(self, reader):
        header, length, shift = (await reader.readexactly(1))[0], 0, 0
        while True:
            byte = (await reader.readexactly(1))[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return header, await reader.readexactly(length)

    async def serve(self, reader, writer):
        self.writers.add(writer)
        try:
            await self.converse(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    async def converse(self, reader, writer):
        version = 5
        while True:
            header, body = await self.packet(reader)
            kind = header >> 4
            if kind == 1:
                version = body[6]
                self.connections.append(version)
                reason = self.connack(len(self.connections))
                tail = b"" if version < 5 else self.length(len(self.properties)) + self.properties
                answer = bytes([0, reason]) + tail
                writer.write(b"\x20" + self.length(len(answer)) + answer)
                if reason:
                    await writer.drain()
                    return
            elif kind == 3:
                size = struct.unpack(">H", body[:2])[0]
                topic = body[2:2 + size].decode()
                offset = 2 + size
                identifier = body[offset:offset + 2] if header >> 1 & 3 else b""
                offset += len(identifier)
                payload = body[offset + (1 + body[offset] if version == 5 else 0):]
                self.published.append((topic, payload))
                reason = self.puback(topic, payload)
                if isinstance(reason, tuple):
                    writer.write(b"\xe0\x01" + bytes([reason[1]]))
                    writer.write_eof()
                    # What is unread when a socket is closed would take the reason with it.
                    while await reader.read(65536):
                        pass
                    return
                if reason is not None and identifier:
                    if reason == 0:
                        self.arrived.append((topic, payload))
                    writer.write(b"\x40\x03" + identifier + bytes([reason]) if version == 5 and reason
                                 else b"\x40\x02" + identifier)
            elif kind == 8:
                answer = body[:2] + (b"\x00" if version == 5 else b"") + b"\x01"
                writer.write(b"\x90" + self.length(len(answer)) + answer)
            elif kind == 12:
                writer.write(b"\xd0\0")
            elif kind == 14:
                return


def scripted(closing, directory, daemon, readings=("location=100ms", "accelerometer=10ms batch 200ms"), spool=(), **script):
    server = closing(ScriptedServer(**script))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", readings=readings, spool=spool)).start()
    return server, bridge


def arrived(server):
    """What a consumer would have that gets all that the server has taken."""
    ledger = Ledger()
    for topic, payload in list(server.arrived):
        ledger.take(topic, payload)
    return ledger


def await_complete(server, resource="location", count=20):
    """Waits until everything has arrived up to the newest status, and so much of it."""
    start = arrived(server).count(resource)
    until(lambda: arrived(server).count(resource) >= start + count, lambda: f"{count} more: {arrived(server).count(resource)}")
    until(lambda: not arrived(server).missing(), lambda: f"what is missing: {arrived(server).missing()[:9]}")
    return arrived(server)
