"""An hour of what the broker says to a bridge: recorded once from simulated devices in virtual time, and then played at any pace."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time

from conductor.process import ROOT, start, stop

SENSORBROKERD = pathlib.Path(os.environ.get("SENSORBROKERD_BIN", ROOT / ".build/release/sensorbrokerd"))
#: The readings of the manual: a location a second, and 100 Hz in batches of a second.
REQUESTS = {
    "location": {"resource": "location", "intervalNanoseconds": 1_000_000_000},
    "accelerometer": {"resource": "accelerometer", "intervalNanoseconds": 10_000_000, "batchNanoseconds": 1_000_000_000}}
READINGS = ("location=1s", "accelerometer=10ms batch 1s")
SECOND = 1_000_000_000


class Hour:
    """The replies of the broker for each resource, the first one apart."""

    def __init__(self, seconds=3600):
        self.first, self.replies = {}, {}
        with tempfile.TemporaryDirectory(prefix="sb-") as directory:
            daemon = start([SENSORBROKERD, "--runtime-directory", directory, "--mock=city-drive", "--speed", "max"], os.sched_getaffinity(0),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            path = f"{directory}/io.sensorbroker.Broker"
            try:
                for name in REQUESTS:
                    self.record(path, name, seconds)
            finally:
                stop(daemon)
        # In the order in which they came.
        self.order = sorted((stamp, name, reply) for name, replies in self.replies.items() for stamp, reply in replies)
        self.bytes = sum(len(reply) for _, _, reply in self.order)

    def record(self, path, name, seconds):
        connection = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 10
        while connection.connect_ex(path):
            if time.monotonic() > deadline:
                raise RuntimeError("the daemon does not listen")
            time.sleep(0.01)
        connection.sendall(json.dumps({"method": "io.sensorbroker.Broker.Subscribe", "parameters": {"requests": [REQUESTS[name]]},
                                       "more": True}).encode() + b"\0")
        rest, began, found = b"", None, []
        while True:
            *texts, rest = (rest + connection.recv(1 << 20)).split(b"\0")
            for text in texts:
                parameters = json.loads(text)["parameters"]
                if name not in self.first:
                    self.first[name] = text + b"\0"
                for reading in parameters.get("readings", [])[:1]:
                    stamp = reading["timestampNanoseconds"]
                    began = stamp if began is None else began
                    if stamp - began >= seconds * SECOND:
                        self.replies[name] = found
                        connection.close()
                        return
                    found.append((stamp - began, text + b"\0"))


class Feed:
    """A broker for bridges that plays an hour at a pace, once it is told to; 0: as fast as it is read."""

    def __init__(self, directory, hour):
        self.hour, self.path = hour, os.path.join(directory, "broker")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.connections, self.lock = {}, threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            call = b""
            while not call.endswith(b"\0"):
                more = connection.recv(65536)
                if not more:
                    break
                call += more
            else:
                name = json.loads(call[:-1])["parameters"]["requests"][0]["resource"]
                connection.sendall(self.hour.first[name])
                with self.lock:
                    self.connections[name] = connection

    def await_clients(self):
        while len(self.connections) < len(REQUESTS):
            time.sleep(0.001)

    def forget_clients(self):
        for connection in self.connections.values():
            connection.close()
        self.connections = {}

    def play(self, per_second, most=None):
        """Plays so many messages, in their order; how many."""
        order, began = self.hour.order[:most], time.monotonic()
        if not per_second:
            # One stream in blocks beside the other: no system call of ours for each message.
            threads = [threading.Thread(target=self.connections[name].sendall, args=(b"".join(r for _, n, r in order if n == name),))
                       for name in self.connections]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return len(order)
        for index, (_, name, reply) in enumerate(order):
            time.sleep(max(0, began + index / per_second - time.monotonic()))
            self.connections[name].sendall(reply)
        return len(order)

    def close(self):
        self.forget_clients()
        self.listener.close()
