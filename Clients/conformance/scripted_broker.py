"""A server that plays a script: it takes calls, and answers whatever the script says."""

import json
import os
import queue
import socket
import threading

# Long enough for a host that is busy with other things: it only ends what hangs, and measures nothing.
PATIENCE = 180.0
INTERFACE = "io.sensorbroker.Broker."


class Conversation:
    """A connection of a client, with its first call."""

    def __init__(self, connection, call, is_greeted=False):
        # Whether something was sent before the call.
        self.is_greeted = is_greeted
        self.socket = connection
        self.socket.settimeout(PATIENCE)
        self.call = call
        self.parameters = call.get("parameters", {})
        self.received = bytearray()
        # The length of the longest message after the call.
        self.longest = 0

    def message(self):
        """The next message after the call, which needs no reply."""
        while b"\0" not in self.received:
            more = self.socket.recv(1 << 20)
            if not more:
                raise AssertionError("the client has closed the connection")
            self.received += more
        message, _, self.received = self.received.partition(b"\0")
        self.longest = max(self.longest, len(message))
        return json.loads(message)

    def send_bytes(self, data):
        """Sends bytes; a client may have gone."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def send(self, message):
        self.send_bytes(json.dumps(message).encode() + b"\0")

    def reply(self, parameters=None, continues=False):
        message = {"parameters": parameters or {}}
        if continues:
            message["continues"] = True
        self.send(message)

    def update(self, **members):
        """A reply to Subscribe after which more follow."""
        self.reply(members, continues=True)

    def error(self, name, **parameters):
        full = name if "." in name else INTERFACE + name
        self.send({"error": full, "parameters": parameters})

    def close(self):
        self.socket.close()

    def await_close(self):
        """Waits until the client closes the connection; what it sends meanwhile is nobody's."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        self.socket.close()


class ScriptedBroker:
    """Listens at a socket, and sorts the connections by their calls."""

    def __init__(self, path):
        self.path = str(path)
        # Sent to each connection before its call was read.
        self.greeting = b""
        self.listener = None
        self.queues = {}
        self.lock = threading.Lock()
        self.kept = []

    def listen(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # At a name of its own at first, so that no client finds a socket that does not listen yet.
        listener.bind(self.path + ".new")
        listener.listen(64)
        os.rename(self.path + ".new", self.path)
        self.listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def leave_stopped(self):
        """A socket at which nothing listens any more."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gone:
            gone.bind(self.path)

    def close(self):
        if self.listener is not None:
            try:
                self.listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.listener.close()
            self.listener = None
        for connection in self.kept:
            connection.close()

    def next(self, method):
        """The next connection with a call of a method."""
        try:
            return self._queue(method).get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"the client did not call {method}") from None

    def _queue(self, method):
        with self.lock:
            return self.queues.setdefault(method, queue.Queue())

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.kept.append(connection)
            threading.Thread(target=self._read_call, args=(connection,), daemon=True).start()

    def _read_call(self, connection):
        try:
            greeting = self.greeting
            if greeting:
                connection.sendall(greeting)
            data = bytearray()
            while not data.endswith(b"\0"):
                more = connection.recv(65536)
                if not more:
                    return
                data += more
            conversation = Conversation(connection, json.loads(data[:-1]), bool(greeting))
        except (OSError, ValueError):
            return
        method = conversation.call["method"].removeprefix(INTERFACE)
        # The Swift library watches the list; no script answers that.
        if method == "ListResources" and conversation.call.get("more"):
            method = "watch"
        self._queue(method).put(conversation)
