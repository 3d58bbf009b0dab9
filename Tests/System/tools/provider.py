"""A program that provides resources, byte by byte as the interface says."""

import os

from tools.programs import FEED
from tools.stream import boot_nanoseconds
from tools.wire import Connection, call


def feed_path(daemon):
    return os.path.join(daemon.directory, FEED)


class Provider:
    """Made once the broker has answered its offer, so that what a test does next comes after it."""

    def __init__(self, daemon, *resources, **offer):
        self.resources = resources
        self.connection = Connection(feed_path(daemon))
        self.connection.send(call(f"{FEED}.Provide", {"resources": [{"name": name} for name in resources], **offer}, more=True))
        # The answer to the offer, until it is received.
        self._answer = self.connection.receive()
        # Everything that it was told.
        self.told = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    def reply(self):
        """Waits for the next reply, whatever it is."""
        answer, self._answer = self._answer, None
        return answer or self.connection.receive()

    def receive(self):
        """Waits for the next reply, which must not be an error."""
        reply = self.reply()
        assert "error" not in reply and reply.get("continues"), reply
        told = dict(reply.get("parameters", {}))
        # Each reply says so, which only programs of later versions need.
        assert told.pop("takesMissing") is True, reply
        self.told.append(told)
        return self.told[-1]

    def refusal(self):
        """Bare name and parameters of the error with which it ends; what else it is told is passed over."""
        while "error" not in (reply := self.reply()):
            pass
        return reply["error"].rsplit(".", 1)[1], reply.get("parameters", {})

    def until(self, **wanted):
        """Waits until it is told this."""
        while not wanted.items() <= self.receive().items():
            pass
        return self.told[-1]

    def push(self, *samples):
        """Sends samples as they are given."""
        self.connection.send(call(f"{FEED}.Push", {"samples": list(samples)}, oneway=True))

    def measure(self, *vectors, at=None, **values):
        """Sends vectors of the first resource; returns the time of the first one, by default now."""
        at = boot_nanoseconds() if at is None else at
        columns = {name: [vector[axis] for vector in vectors] for axis, name in enumerate("xyz")}
        self.push({"resource": self.resources[0], "timestampNanoseconds": at, "values": {"columns": columns, **values}})
        return at
