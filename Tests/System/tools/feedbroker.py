"""The broker's side of feeds, by command of a test: it refuses, wants, stalls and goes away when it is told to."""

import os
import socket
import threading

from tools.programs import BROKER, FEED, PATIENCE
from tools.wire import Closed, Connection


class FeedBroker:
    """Takes each program that provides, with `first` as its first reply, and keeps what it sends."""

    def __init__(self, directory):
        self.broker = os.path.join(directory, BROKER)
        self.path = os.path.join(directory, FEED)
        self.first = {"parameters": {"wanted": False, "takesMissing": True}, "continues": True}
        self.offers, self.samples, self.connections = [], [], []
        # How many samples programs have said not to have sent.
        self.missing = 0
        # How many connections there have been.
        self.accepted = 0
        self.reads = threading.Event()
        self.reads.set()
        self.changed = threading.Condition()
        self.listen()

    def listen(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                connection = Connection.over(listener.accept()[0])
            except OSError:
                return
            with self.changed:
                self.accepted += 1
                self.changed.notify_all()
            threading.Thread(target=self.follow, args=(connection,), daemon=True).start()

    def follow(self, connection):
        try:
            while True:
                self.reads.wait()
                self.take(connection, connection.receive())
        except (Closed, OSError):
            with self.changed:
                if connection in self.connections:
                    self.connections.remove(connection)
                self.changed.notify_all()

    def take(self, connection, call):
        with self.changed:
            if call["method"].endswith(".Provide"):
                assert call["more"] is True, call
                self.offers.append(call["parameters"])
                self.connections.append(connection)
                connection.send(self.first)
            else:
                assert (call["method"], call["oneway"]) == ("io.sensorbroker.Feed.Push", True), call
                self.samples += call["parameters"]["samples"]
                self.missing += call["parameters"].get("missing", 0)
            self.changed.notify_all()

    def until(self, condition, what):
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self), PATIENCE), f"waited for {what}: {self.offers}, {self.samples[-5:]}"

    def provided(self, times=1):
        """Waits until a program has provided so many times, and is connected."""
        self.until(lambda self: len(self.offers) >= times and self.connections, f"offer {times}")

    def reply(self, **parameters):
        """Replies once more to the newest program."""
        self.connections[-1].send({"parameters": {"takesMissing": True, **parameters}, "continues": True})

    def values(self):
        """The numbers that were sent, with their times."""
        with self.changed:
            samples = list(self.samples)
        rows = []
        for sample in samples:
            columns = list(sample["values"]["columns"].values())
            first, period = sample["timestampNanoseconds"], sample["values"].get("periodNanoseconds", 0)
            stamps = sample["values"].get("timestampsNanoseconds", [first + row * period for row in range(len(columns[0]))])
            rows += [(stamp, *numbers) for stamp, *numbers in zip(stamps, *columns)]
        return rows

    def leave(self):
        """Ends, as a daemon that is stopped."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)
        for connection in list(self.connections):
            connection.socket.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.reads.set()
        if os.path.exists(self.path):
            self.leave()
