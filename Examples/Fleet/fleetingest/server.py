"""The connection to the MQTT server, in a thread of its own, so that pings are answered however long the database takes.

What is not acknowledged is bounded, by the window that the server was told and by bytes; beyond these nothing is read.
"""

import collections
import os
import random
import select
import socket
import ssl
import threading
import time

from . import packets

KEEP_ALIVE = 30
LONGEST_WAIT = 60.0
OLD_SERVER = "; if it does not speak MQTT 5, use --mqtt-version 3.1.1"
BYTES = 64 << 20
RECEIVED = 256 << 10


class TakenOver(OSError):
    """Another client has the same client id: whoever dials at once takes it back, and so on."""


class Message:
    """A message of the server; `connection` tells to which one its acknowledgement belongs."""

    __slots__ = ("topic", "payload", "size", "identifier", "connection")

    def __init__(self, topic, payload, size, identifier, connection):
        self.topic, self.payload, self.size, self.identifier, self.connection = topic, payload, size, identifier, connection


class Inbox:
    """Messages that wait for the writer."""

    def __init__(self):
        self.waiting, self.bytes, self.changed = collections.deque(), 0, threading.Condition()
        self.is_closed = False

    def put(self, messages):
        with self.changed:
            self.waiting.extend(messages)
            self.bytes += sum(len(message.payload) for message in messages)
            self.changed.notify()

    def take(self, most, gather_seconds, quiet_seconds):
        """Waits for messages, and then for more, until there are enough, or none came for a while. Nothing if it is closed."""
        with self.changed:
            while not self.waiting:
                if self.is_closed:
                    return []
                self.changed.wait()
            end = time.monotonic() + gather_seconds
            while len(self.waiting) < most and not self.is_closed:
                seen = len(self.waiting)
                if not self.changed.wait(min(quiet_seconds, end - time.monotonic())) and len(self.waiting) == seen:
                    break
                if time.monotonic() >= end:
                    break
            taken = [self.waiting.popleft() for _ in range(min(most, len(self.waiting)))]
            self.bytes -= sum(len(message.payload) for message in taken)
            return taken

    def close(self):
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()


class Server:
    def __init__(self, options, inbox, figures, log):
        self.options, self.inbox, self.figures, self.log = options, inbox, figures, log
        self.wake_end, self.waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.lock, self.outgoing = threading.Lock(), bytearray()
        self.stopping, self.is_paused = threading.Event(), False
        self.connection, self.is_subscribed = 0, False
        self.thread = threading.Thread(target=self.run, name="server", daemon=True)

    def start(self):
        self.thread.start()

    def pause(self):
        """Reads nothing more; what was read can still be acknowledged."""
        self.is_paused = True
        self.wake()

    def stop(self):
        """Ends in good order: what is outgoing leaves, and the server keeps the session."""
        self.stopping.set()
        self.wake()
        self.thread.join(5)

    def acknowledge(self, messages):
        with self.lock:
            self.outgoing += packets.acknowledgements(
                message.identifier for message in messages if message.identifier and message.connection == self.connection)
        self.wake()

    def publish(self, topic, payload):
        """Whether there was a connection."""
        with self.lock:
            if self.is_subscribed:
                self.outgoing += packets.publish(self.options.version, topic, payload)
        self.wake()
        return self.is_subscribed

    def wake(self):
        try:
            os.write(self.waker, b"\0")
        except BlockingIOError:
            pass

    def run(self):
        wait = 1.0
        while not self.stopping.is_set():
            try:
                with self.dial() as stream:
                    self.serve(stream)
                why = "ended"
            except Exception as error:
                # Whatever a server sends: a connection ends by it, and never the program.
                why = str(error) or type(error).__name__
                if type(error) is TakenOver:
                    wait = LONGEST_WAIT
                elif self.is_subscribed:
                    wait = 1.0
            self.is_subscribed = False
            self.figures.set("connected", 0)
            if self.stopping.is_set():
                return
            wait = min(LONGEST_WAIT, wait * 2)
            pause = wait * random.uniform(0.5, 1)
            self.log(f"{self.options.server}:{self.options.port}: {why}; next attempt in {pause:.0f} s")
            self.stopping.wait(pause)

    def dial(self):
        stream = socket.create_connection((self.options.server, self.options.port), timeout=KEEP_ALIVE)
        try:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.options.context:
                stream = self.options.context.wrap_socket(stream, server_hostname=self.options.server)
            stream.setblocking(False)
        except BaseException:
            stream.close()
            raise
        self.keep_alive = KEEP_ALIVE
        with self.lock:
            self.connection += 1
            self.outgoing[:] = packets.connect(self.options.version, self.options.client_id, KEEP_ALIVE, self.options.user,
                                               self.options.password, self.options.window)
        self.figures.add("connections_total")
        return stream

    def serve(self, stream):
        found, sent, pinged = packets.Packets(), time.monotonic(), None
        while True:
            if self.stopping.is_set() and not self.outgoing:
                stream.settimeout(1)
                stream.sendall(packets.packet(packets.DISCONNECT, b""))
                return
            now = time.monotonic()
            if now - sent > self.keep_alive / 2:
                with self.lock:
                    self.outgoing += packets.packet(packets.PINGREQ, b"")
                sent, pinged = now, pinged or now
            is_full = self.inbox.bytes > BYTES or self.is_paused
            if is_full:
                # While nothing is read, neither is the answer to a ping.
                pinged = None
            if pinged and now - pinged > KEEP_ALIVE:
                raise OSError("the server does not answer a ping")
            reads = [self.wake_end] if is_full else [stream, self.wake_end]
            ready = getattr(stream, "pending", int)() and not is_full
            readable, writable, _ = select.select(reads, [stream] if self.outgoing else [], [],
                                                  0 if ready else min(1, self.keep_alive / 4))
            if self.wake_end in readable:
                os.read(self.wake_end, 4096)
            if writable:
                sent = self.send(stream)
            if stream in readable or ready:
                data = self.receive(stream)
                if data == b"":
                    is_strange = not self.is_subscribed and self.options.version == 5
                    raise OSError("the server closed the connection" + (OLD_SERVER if is_strange else ""))
                if data:
                    pinged = None
                    self.take(found.feed(data))

    def send(self, stream):
        with self.lock:
            try:
                del self.outgoing[:stream.send(self.outgoing)]
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
        return time.monotonic()

    @staticmethod
    def receive(stream):
        try:
            return stream.recv(RECEIVED)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return None

    def take(self, found):
        messages = []
        for kind, flags, body, size in found:
            if kind == packets.PUBLISH:
                topic, identifier, payload = packets.published(self.options.version, flags, body)
                messages.append(Message(topic, payload, size if size > len(body) else None, identifier, self.connection))
            elif kind == packets.CONNACK:
                self.introduce(body)
            elif kind == packets.SUBACK:
                self.begin(body)
            elif kind == packets.DISCONNECT:
                reason = body[0] if body else 0
                kind = TakenOver if reason == packets.TAKEN_OVER else OSError
                raise kind(f"the server ended the connection: {packets.REASONS.get(reason, hex(reason))}")
        if messages:
            self.figures.add("received_messages_total", len(messages))
            self.figures.add("received_bytes_total", sum(message.size or len(message.payload) for message in messages))
            self.inbox.put(messages)
            self.figures.set("waiting_messages", len(self.inbox.waiting))

    def introduce(self, body):
        _, reason = packets.answer(self.options.version, body)
        if reason:
            raise OSError(f"the server refuses: {packets.REASONS.get(reason, hex(reason))}")
        self.keep_alive = min(KEEP_ALIVE, packets.server_keep_alive(self.options.version, body) or KEEP_ALIVE)
        prefix = self.options.prefix
        with self.lock:
            self.outgoing += packets.subscribe(self.options.version, 1, [f"{prefix}/+/+", f"{prefix}/+/+/late"])

    def begin(self, body):
        refused = [reason for reason in packets.reasons(self.options.version, body) if reason >= 0x80]
        if refused:
            raise OSError(f"the server does not let this client read {self.options.prefix}/+/+ and {self.options.prefix}/+/+/late")
        self.is_subscribed = True
        self.figures.set("connected", 1)
        self.log(f"connected to {self.options.server}:{self.options.port}")
