"""The broker and its rivals, each started for real, with one face: where clients connect, what they say, who serves them."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from .load import Clients
from .process import C, HERE, LOAD_CORES, ROOT, SERVER_CORE, process_nanoseconds, start, status, stop, wait_until

sys.path.insert(0, str(ROOT / "Tests/System"))
from tools.ports import free_port  # noqa: E402
from tools.receiver import GPSD  # noqa: E402
from tools.unixsockets import listening  # noqa: E402

BROKER = os.environ.get("SENSORBROKERD_BIN", str(ROOT / ".build/release/sensorbrokerd"))
ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}
READINGS = {
    # Messages a second, and what to ask for.
    "acceleration": (100, [ACCELEROMETER]),
    "acceleration batch": (10, [{**ACCELEROMETER, "intervalNanoseconds": 1_000_000, "batchNanoseconds": 100_000_000}]),
    "location": (10, [{"resource": "location", "intervalNanoseconds": 100_000_000}]),
}


def subscription(requests):
    call = {"method": "io.sensorbroker.Broker.Subscribe", "parameters": {"requests": requests}, "more": True}
    return json.dumps(call).encode() + b"\0"


def is_listening(port, pid="self"):
    """Whether somebody does in the network of a process. /proc/PID/net/tcp"""
    tables = [path for path in (pathlib.Path(f"/proc/{pid}/net/tcp"), pathlib.Path(f"/proc/{pid}/net/tcp6")) if path.exists()]
    lines = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    return any(line[1].endswith(f":{port:04X}") and line[3] == "0A" for line in lines)


class System:
    """A server; the time of all threads of its processes is its cost."""

    key = ""
    terminator = 0

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="sensorbroker-bench-")
        self.path = pathlib.Path(self.directory.name)
        self.processes = []

    def clients(self, count, *, call=None, processes=False, behaviour=None, log=None, lanes=None):
        """Some that read, or otherwise behave.

        `call` is what each sends first. `processes`: each in a process of its own. `log`: the first one writes down what it
        gets. `lanes`: INTERVAL in the call is one of so many between 10 and 20 ms, in turn.
        """
        (self.path / "call").write_bytes(call or self.call)
        options = ["-c", self.path / "call", "-t", self.terminator, "-k", self.key]
        options += ["-p"] if processes else []
        for flag, value in (("-b", behaviour), ("-l", log), ("-s", lanes)):
            options += [flag, value] if value else []
        return Clients(count, "sink", [*options, self.address])

    def nanoseconds(self):
        return sum(process_nanoseconds(process.pid) for process in self.processes)

    def resident_kibibytes(self):
        return sum(status(process.pid, "VmRSS") for process in self.processes)

    def close(self):
        for process in reversed(self.processes):
            stop(process)
        self.directory.cleanup()


class Broker(System):
    name = "sensorbrokerd"
    key = '"readings"'

    def __init__(self, requests, *options, environment=None, inside=()):
        super().__init__()
        self.call = subscription(requests)
        self.address = str(self.path / "io.sensorbroker.Broker")
        # More clients of one user than it would let in by itself.
        (self.path / "broker.conf").write_text("[Clients]\nMaxConnections=8192\n")
        command = [*inside, BROKER, "--runtime-directory", self.path, "--config", self.path / "broker.conf", *(options or ["--mock"])]
        self.processes.append(start(command, SERVER_CORE, env={**os.environ, **(environment or {})}, stderr=subprocess.DEVNULL))
        wait_until(lambda: listening(self.address, self.processes[-1].pid), "the daemon listens")

    def message(self):
        """One whole message as clients get it, with its terminator."""
        log = self.path / "message"
        with self.clients(1, log=log) as client:
            client.wait_ready()
            wait_until(lambda: log.read_text().count("\n") > 3, "a fourth message has come")
        # Where batches follow, the first one is a single reading, and the second one what came before the first batch began.
        return log.read_text().splitlines()[3].split(" ", 1)[1].encode() + b"\0"


class BareLoop(System):
    """The same bytes from an epoll loop in C that does nothing else."""

    name = "bare C loop"
    key = '"readings"'
    call = b"x"
    options = ()

    def __init__(self, hertz, message):
        super().__init__()
        (self.path / "message").write_bytes(message)
        self.address = str(self.path / "socket")
        command = [C / "bare-loop", *self.options, self.address, 1_000_000_000 // hertz, self.path / "message"]
        self.processes.append(start(command, SERVER_CORE))
        wait_until(lambda: listening(self.address), "the loop listens")


class LoopBehindThread(BareLoop):
    """The same loop, told of each sample by a thread, as anyone is whose library for the device blocks."""

    name = "bare C loop behind a thread"
    options = ("-t",)


class DBus(System):
    """A service's signals on a bus of its own."""

    name = "D-Bus"

    def __init__(self, hertz, message):
        super().__init__()
        (self.path / "message").write_bytes(message.rstrip(b"\0"))
        self.address = f"unix:path={self.path}/bus"
        (self.path / "bus.conf").write_text(
            (HERE / "rivals/bus.conf").read_text().replace("@ADDRESS@", self.address))
        # It complains of a limit of descriptors that it does not need.
        self.processes.append(start(
            ["dbus-daemon", "--nofork", "--nosyslog", f"--config-file={self.path}/bus.conf"], SERVER_CORE, stderr=subprocess.DEVNULL))
        wait_until(lambda: listening(f"{self.path}/bus"), "the bus listens")
        command = [C / "dbus-emitter", self.address, 1_000_000_000 // hertz, self.path / "message"]
        self.processes.append(start(command, SERVER_CORE))

    def clients(self, count, processes=False):
        return Clients(count, "dbus-sink", ["-p", self.address] if processes else [self.address])


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
        wait_until(lambda: is_listening(port), "gpsd listens")

    def close(self):
        super().close()
        stop(self.feed)
