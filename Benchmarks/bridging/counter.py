"""A consumer of MQTT 5 that only keeps what comes: it must not slow a server or a bridge."""

import socket
import struct
import threading
import time

from tools.scriptedmqtt import ScriptedServer

ZSTD = b"\x28\xb5\x2f\xfd"


class Counter:
    """Subscribes to everything of the fleet at quality 1; `taken` is (time, topic, payload)."""

    def __init__(self, port):
        self.taken, self.socket = [], socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        name = b"counter"
        body = b"\0\4MQTT\5\2\0\0\0" + struct.pack(">H", len(name)) + name
        self.socket.sendall(b"\x10" + ScriptedServer.length(len(body)) + body)
        body = b"\0\1\0" + struct.pack(">H", 7) + b"fleet/#" + b"\1"
        self.socket.sendall(b"\x82" + ScriptedServer.length(len(body)) + body)
        self.is_subscribed = threading.Event()
        self.thread = threading.Thread(target=self.receive, daemon=True)
        self.thread.start()
        self.is_subscribed.wait(10)

    def receive(self):
        buffer = bytearray()
        while True:
            try:
                data = self.socket.recv(1 << 20)
            except OSError:
                return
            if not data:
                return
            now, at, answers = time.monotonic(), 0, b""
            buffer += data
            while True:
                end, kind, body = self.packet(buffer, at)
                if end is None:
                    break
                at = end
                if kind >> 4 == 9:
                    self.is_subscribed.set()
                if kind >> 4 != 3:
                    continue
                size = struct.unpack(">H", body[:2])[0]
                offset = 2 + size
                if kind & 6:
                    answers += b"\x40\x02" + body[offset:offset + 2]
                    offset += 2
                payload = bytes(body[offset + 1 + body[offset]:])
                self.taken.append((now, bytes(body[2:2 + size]).decode(), payload))
            del buffer[:at]
            try:
                self.socket.sendall(answers)
            except OSError:
                return

    @staticmethod
    def packet(buffer, at):
        length = shift = 0
        place = at + 1
        while place < len(buffer):
            byte = buffer[place]
            length |= (byte & 127) << shift
            shift += 7
            place += 1
            if byte < 128:
                if place + length > len(buffer):
                    break
                return place + length, buffer[at], bytes(buffer[place:place + length])
        return None, None, None

    def readings(self):
        """Messages with readings: not the state, nor the beginnings of epochs."""
        return [(at, topic, payload) for at, topic, payload in list(self.taken)
                if payload.startswith(ZSTD) or b'"readings":[{' in payload]

    def await_objects(self, wanted, count, patience=300):
        """Waits until `count` of what has come is as many as wanted."""
        deadline = time.monotonic() + patience
        while count(self) < wanted:
            if time.monotonic() > deadline:
                raise RuntimeError(f"only {count(self)} of {wanted} messages have come")
            time.sleep(0.005)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
