"""The broker and its rivals, each started for real, with one face: where clients connect, what they say, who serves them."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from .load import Clients
from .process import C, HERE, LOAD_CORES, ROOT, SERVER_CORE, process_nanoseconds, start, status, stop, thread_nanoseconds, wait_until

sys.path.insert(0, str(ROOT / "Tests/System"))
from receiver import GPSD, free_port  # noqa: E402

BROKER = os.environ.get("SENSORBROKERD", str(ROOT / ".build/release/sensorbrokerd"))
READINGS = {
    # Readings a second, and what to ask for.
    "location": (10, [{"resource": "location", "intervalNanoseconds": 100_000_000}]),
    "acceleration": (100, [{"resource": "accelerometer", "intervalNanoseconds": 10_000_000}]),
    "acceleration batch": (10, [{"resource": "accelerometer", "intervalNanoseconds": 1_000_000, "batchNanoseconds": 100_000_000}]),
}


def subscription(requests):
    call = {"method": "io.sensorbroker.Broker.Subscribe", "parameters": {"requests": requests}, "more": True}
    return json.dumps(call).encode() + b"\0"


class System:
    """A server; `pids` are the processes whose time is its cost, the first one's first thread the one that serves."""

    key = ""
    terminator = 0

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="sensorbroker-bench-")
        self.path = pathlib.Path(self.directory.name)
        self.processes = []

    def clients(self, count, **options):
        return Clients(self.address, count, self.call, terminator=self.terminator, key=self.key, **options)

    def serving_nanoseconds(self):
        return thread_nanoseconds(self.processes[0].pid)

    def nanoseconds(self):
        return sum(process_nanoseconds(process.pid) for process in self.processes)

    def resident_kibibytes(self):
        return sum(status(process.pid, "VmRSS") for process in self.processes)

    def close(self):
        for process in self.processes:
            stop(process)
        self.directory.cleanup()


class Broker(System):
    name = "sensorbrokerd"
    key = '"readings"'

    def __init__(self, requests, *options, environment=None):
        super().__init__()
        self.call = subscription(requests)
        self.address = str(self.path / "io.sensorbroker.Broker")
        # More clients of one user than it would let in by itself.
        (self.path / "broker.conf").write_text("[Clients]\nMaxConnections=8192\n")
        command = [BROKER, "--runtime-directory", self.path, "--config", self.path / "broker.conf", *(options or ["--mock"])]
        self.processes.append(start(command, SERVER_CORE, env={**os.environ, **(environment or {})}, stderr=subprocess.DEVNULL))
        wait_until(lambda: os.path.exists(self.address), "the daemon listens")

    def message(self):
        """One whole message as clients get it, with its terminator."""
        log = self.path / "message"
        clients = self.clients(1, log=str(log))
        clients.wait_ready()
        clients.open()
        time.sleep(1)
        clients.close()
        # The first one is a single reading even where batches follow; the last line may be torn.
        return log.read_text().splitlines()[-2].split(" ", 1)[1].encode() + b"\0"


class BareLoop(System):
    """The same bytes from an epoll loop in C that does nothing else."""

    name = "bare C loop"
    key = '"readings"'
    call = b"x"

    def __init__(self, hertz, message):
        super().__init__()
        (self.path / "message").write_bytes(message)
        self.address = str(self.path / "socket")
        command = [C / "bare-loop", self.address, 1_000_000_000 // hertz, self.path / "message"]
        self.processes.append(start(command, SERVER_CORE))
        wait_until(lambda: os.path.exists(self.address), "the loop listens")


class DBus(System):
    """A service's signals on a bus of its own; its serving process is the bus's daemon."""

    name = "D-Bus"

    def __init__(self, hertz, message):
        super().__init__()
        (self.path / "message").write_bytes(message.rstrip(b"\0"))
        self.address = f"unix:path={self.path}/bus"
        (self.path / "bus.conf").write_text(
            (HERE / "rivals/bus.conf").read_text().replace("@ADDRESS@", self.address))
        self.processes.append(start(
            ["dbus-daemon", "--nofork", "--nosyslog", f"--config-file={self.path}/bus.conf"], SERVER_CORE))
        wait_until(lambda: (self.path / "bus").exists(), "the bus listens")
        command = [C / "dbus-emitter", self.address, 1_000_000_000 // hertz, self.path / "message"]
        self.processes.append(start(command, SERVER_CORE))

    def clients(self, count, processes=False):
        return Clients(self.address, count, program="dbus-sink", processes=processes)


class Gpsd(System):
    """A real gpsd on a pseudo-terminal at whose other end a receiver talks, with watchers of its own kind."""

    name = "gpsd"
    key = '"class":"TPV"'
    terminator = 10
    call = b'?WATCH={"enable":true,"json":true};\n'
    # It refuses more: the number is compiled in.
    most_clients = 60

    def __init__(self, hertz):
        super().__init__()
        self.written = self.path / "written"
        link, port = self.path / "receiver", free_port()
        self.feed = start([sys.executable, HERE / "feed.py", link, hertz, self.written], LOAD_CORES)
        wait_until(link.exists, "the receiver is there")
        self.port, self.address = port, f"localhost:{port}"
        self.processes.append(start(
            [GPSD, "-N", "-n", "-b", "-S", port, "-F", self.path / "control", os.readlink(link)], SERVER_CORE,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until(lambda: self.is_listening(port), "gpsd listens")

    @staticmethod
    def is_listening(port):
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        return any(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A" for line in lines)

    def close(self):
        super().close()
        stop(self.feed)
