"""One vehicle at a server: a bridge or its rival, a broker that plays an hour, the server, and a consumer that counts."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

from conductor.process import C, ROOT, start, stop

os.environ.setdefault("SENSORBROKER_MQTT_BIN", str(ROOT / ".build/release/sensorbroker-mqtt"))
from tools.bridge import Bridge, children  # noqa: E402  of Tests/System
from tools.mosquitto import Mosquitto  # noqa: E402  of Tests/System
from tools.ports import free_port, listens  # noqa: E402  of Tests/System
from tools.waiting import until  # noqa: E402  of Tests/System

from .counter import Counter  # noqa: E402
from .hour import READINGS, Feed  # noqa: E402

WINDOW = 100
DEFAULTS = ("SyncSec=5s",)
#: An hour in 72 seconds, with as many syncs as in an hour.
FIFTY_TIMES = ("SyncSec=100ms", "BacklogSpeed=max")


def certificates(directory):
    """An authority and what it signed for a server and a client, by the names of their files."""
    path = pathlib.Path(directory)

    def run(*words):
        subprocess.run(["openssl", *words], check=True, cwd=path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout", "authority.key", "-out", "authority.crt")
    (path / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    for name in ("server", "client"):
        run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        run("x509", "-req", "-in", f"{name}.csr", "-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", f"{name}.crt")
    return path


def processor_nanoseconds(pid):
    """Of a process and of those that it started, such as that of a connection, with threads that have ended. clock_getcpuclockid(3)"""
    return sum(time.clock_gettime_ns(~process << 3 | 2) for process in (pid, *children(pid)))


def resident_mib(pid):
    with open(f"/proc/{pid}/status") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    return {key: int(fields[key].split()[0]) / 1024 for key in ("VmRSS", "RssAnon")}


def written_bytes(pid):
    """What a process caused to be written to a device. /proc/PID/io"""
    with open(f"/proc/{pid}/io") as lines:
        return int(next(line for line in lines if line.startswith("write_bytes")).split()[1])


class Vehicle:
    """A site with a broker and a server, on which a bridge or the rival can run."""

    def __init__(self, hour, keys=None, spool=DEFAULTS, disk=None):
        """`disk` is the directory of the spool, and of nothing else."""
        self.stack, self.keys = contextlib.ExitStack(), keys
        self.directory = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="sb-"))
        self.disk = disk or self.directory
        os.chmod(self.directory, 0o755)
        self.feed = self.stack.enter_context(contextlib.closing(Feed(self.directory, hour)))
        # Else a server drops what exceeds its queue for the consumer, and hands out twenty messages at a time.
        limits = ["allow_anonymous true", "max_queued_messages 0", "max_inflight_messages 0", "set_tcp_nodelay true"]
        self.plain = free_port()
        lines = limits
        if keys:
            lines = ["cafile authority.crt", "certfile server.crt", "keyfile server.key", "require_certificate true", "tls_version tlsv1.3"]
            lines = [line.replace("file ", f"file {keys}/") for line in lines] + limits + [f"listener {self.plain} 127.0.0.1"]
        self.server = self.stack.enter_context(contextlib.closing(Mosquitto(self.directory, *lines, port=None if keys else self.plain)))
        self.spool, self.bridge, self.counter = spool, None, None

    def close(self):
        self.stack.close()

    def serve(self):
        self.server.start()
        until(lambda: listens(self.plain), "the listener for the consumer")
        self.counter = self.stack.enter_context(contextlib.closing(Counter(self.plain)))

    def make_bridge(self, port=None, spool=None):
        scheme, server = "mqtt", ()
        if self.keys:
            scheme, server = "mqtts", (f"Authority={self.keys}/authority.crt", f"Certificate={self.keys}/client.crt", f"Key={self.keys}/client.key")
        self.bridge = self.stack.enter_context(contextlib.closing(Bridge(
            self.directory, self.feed.path, f"{scheme}://127.0.0.1:{port or self.server.port}", readings=READINGS, spool=spool or self.spool,
            server=server, disk=self.disk)))
        return self.bridge

    def start_bridge(self, *arguments, **options):
        self.make_bridge(*arguments, **options).start()
        self.feed.await_clients()
        return self.bridge.process.pid

    def await_connection(self):
        until(lambda: "connected to mqtt" in self.bridge.output(), self.bridge.output)

    def start_rival(self, port=None):
        tls = [self.keys / name for name in ("authority.crt", "client.crt", "client.key")] if self.keys else ["-"]
        process = start([C / "fleet-publisher", port or self.server.port, self.feed.path, WINDOW, *tls, "location", "accelerometer"],
                        os.sched_getaffinity(0))
        self.stack.callback(stop, process)
        self.feed.await_clients()
        return process.pid
