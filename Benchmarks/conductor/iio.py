"""An accelerometer that libiio finds, in namespaces of its own, and iiod on it."""

import os
import shutil
import subprocess
import sys

from .load import Clients
from .process import C, HERE, LOAD_CORES, SERVER_CORE, start, stop, wait_until
from .systems import System, is_listening

# Fetched by Benchmarks/Makefile, else this host's own.
IIOD = shutil.which("iiod", path=f"{C}{os.pathsep}/usr/sbin{os.pathsep}/usr/bin")
PORT = 30431


class Accelerometer:
    """The device; `inside` comes before the words of a command that is to see it."""

    # What would be looked for elsewhere is not there.
    broker_options = ("--gpsd", "localhost:1")

    def __init__(self, hertz):
        self.process = start([sys.executable, HERE / "accelerometer.py", hertz], LOAD_CORES, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.inside = ["nsenter", "--target", str(self.pid), "--user", "--mount", "--net", "--preserve-credentials"]
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("there is no accelerometer: it needs user namespaces (unshare), mount and ip")

    def shrink_buffers(self):
        """Connections in there hold 64 KiB and not some MiB, for a reader that has stopped to be noticed in seconds."""
        subprocess.run([*self.inside, "sh", "-c", "echo 4096 16384 65536 > /proc/sys/net/ipv4/tcp_wmem"], check=True)

    def close(self):
        stop(self.process)
        self.process.stdout.close()


class Iiod(System):
    """libiio's own server, which has a thread for each client and one for the device; so its cost is that of all of them."""

    name = "iiod"

    def __init__(self, sensor):
        super().__init__()
        if not IIOD:
            raise RuntimeError("there is no iiod: `make -C Benchmarks all` fetches it from Debian's archive")
        self.sensor = sensor
        self.processes.append(start([*sensor.inside, IIOD], SERVER_CORE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_until(lambda: is_listening(PORT, sensor.pid), "iiod listens")

    def clients(self, count, samples=1, neighbour=None):
        options = ["-s", samples, *(["-b", neighbour] if neighbour else []), PORT]
        return Clients(count, "iiod-sink", options, inside=self.sensor.inside)

    def close(self):
        # Told to end, it may wait for threads that wait for it.
        self.processes[0].kill()
        super().close()
