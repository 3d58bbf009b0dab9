"""A minimal Varlink connection: a socket, NUL-terminated messages, JSON. It shows everything that was sent."""

import json
import socket

from tools.programs import PATIENCE


class Closed(Exception):
    """The other end closed the connection."""


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        self.buffer = bytearray()

    @classmethod
    def over(cls, connected):
        """A connection on a connected socket."""
        connection = cls.__new__(cls)
        connection.socket, connection.buffer = connected, bytearray()
        connection.socket.settimeout(PATIENCE)
        return connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def send(self, *calls):
        """Sends calls, all in one write."""
        self.socket.sendall(b"".join(json.dumps(call).encode() + b"\0" for call in calls))

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def receive_some(self):
        """Reads once; waits if nothing has arrived."""
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError) as error:
            raise Closed from error
        if not data:
            raise Closed
        self.buffer += data

    def take(self):
        """The bytes of the next complete message, else None."""
        end = self.buffer.find(b"\0")
        if end < 0:
            return None
        message = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return message

    def receive_bytes(self):
        while (message := self.take()) is None:
            self.receive_some()
        return message

    def receive(self):
        return json.loads(self.receive_bytes())

    def call(self, method, parameters=None, **flags):
        """Sends one call and returns its first reply unchanged."""
        self.send(call(method, parameters, **flags))
        return self.receive()

    def result(self, method, parameters=None, **flags):
        """The parameters of the reply to a call that must succeed."""
        reply = self.call(method, parameters, **flags)
        assert "error" not in reply, reply
        return reply.get("parameters", {})

    def error(self, method, parameters=None, **flags):
        """Name and parameters of the error with which a call must end."""
        reply = self.call(method, parameters, **flags)
        assert "error" in reply, reply
        assert not reply.get("continues"), reply
        return reply["error"], reply.get("parameters", {})

    def is_closed_without_reply(self):
        """Waits for the other end to close; False if it sent something instead."""
        try:
            self.receive_some()
        except Closed:
            return True
        return False


def call(method, parameters=None, **flags):
    message = {"method": method, **flags}
    if parameters is not None:
        message["parameters"] = parameters
    return message
