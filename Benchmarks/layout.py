"""Writes CLinux/functions.order: the daemon's functions in the order in which readings call them, for the linker to lay side by side.

A reading that comes after a tenth of a second finds the caches of the processor and of its page table cold: what it costs is how many
lines and pages it touches, far more than how many instructions it runs. Left to the linker, the 110 KB of code of
a location are strewn over 200 pages.

usage: layout.py [--out FILE]    needs valgrind, gpsd, and namespaces for a simulated IIO device; takes two minutes
"""

import argparse
import bisect
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from conductor.iio import Accelerometer
from conductor.process import ROOT
from conductor.systems import BROKER, READINGS, Broker, Gpsd

# At which valgrind keeps up.
HERTZ = 2
INTERVAL = 1_000_000_000 // HERTZ
VECTOR = {"resource": "accelerometer", "intervalNanoseconds": INTERVAL}
# The broker learns of a receiver in the first epochs how many reports one has.
LEARNING_SECONDS, WATCHED_SECONDS = 15, 3


@contextlib.contextmanager
def iio():
    with contextlib.closing(Accelerometer(HERTZ)) as sensor:
        yield sensor.broker_options, sensor.inside


@contextlib.contextmanager
def gpsd():
    with contextlib.closing(Gpsd(HERTZ)) as receiver:
        yield ("--gpsd", receiver.address), ()


@contextlib.contextmanager
def mock():
    yield ("--mock",), ()


# What is read, the most usual first: its code comes first, and that of the others where it differs.
SCENES = [
    (iio, [VECTOR]), (gpsd, READINGS["location"][1]), (mock, [{**VECTOR, "packed": True}]),
    (mock, [{**VECTOR, "intervalNanoseconds": INTERVAL // 5, "batchNanoseconds": INTERVAL}]),
]


class Trace:
    """The addresses at which a program under valgrind begins to execute without a branch, in the order of their first time, while it is
    watched."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "trace"
        os.mkfifo(self.path)
        self.prefix = ["valgrind", "--tool=lackey", "--trace-superblocks=yes", "--vex-guest-chase=no", f"--log-file={self.path}"]
        self.addresses, self.is_watching = {}, False
        # Opened for writing as well, it has no end before the file is closed.
        self.pipe = os.open(self.path, os.O_RDWR)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        """Whole pieces are dropped while nobody watches: the daemon's start, line by line, would take longer than clients wait."""
        rest = b""
        while True:
            piece = os.read(self.pipe, 1 << 20)
            if not self.is_watching:
                rest = b""
                continue
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                # Without its beginning, the first line names no address.
                if line.startswith(b"SB "):
                    self.addresses.setdefault(int(line[3:], 16), None)


def functions(path):
    """Beginnings, ends and names of a program's functions, ascending."""
    lines = subprocess.run(["nm", "--defined-only", "--print-size", path], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split(None, 3) for line in lines]
    rows = sorted({(int(one[0], 16), int(one[0], 16) + int(one[1], 16), one[3]) for one in words if len(one) == 4 and one[2] in "tTwW"})
    return list(zip(*rows))


def base(pid):
    """Where the program's file begins in memory."""
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and os.path.realpath(words[5]) == os.path.realpath(BROKER) and int(words[2], 16) == 0:
            return int(words[0].split("-")[0], 16)
    raise RuntimeError(f"{BROKER} is not in memory")


def called(source, requests, table):
    """The functions that run for a client's readings, in their order."""
    beginnings, ends, names = table
    with tempfile.TemporaryDirectory(prefix="sensorbroker-layout-") as folder, source() as (options, inside):
        trace = Trace(folder)
        with contextlib.closing(Broker(requests, *options, inside=[*inside, *trace.prefix])) as broker, broker.clients(1) as client:
            client.wait_ready()
            time.sleep(LEARNING_SECONDS)
            trace.is_watching = True
            time.sleep(WATCHED_SECONDS)
            trace.is_watching = False
            start = base(broker.processes[0].pid)
        for address in trace.addresses:
            place = bisect.bisect_right(beginnings, address - start) - 1
            # Between functions are the stubs of libraries.
            if place >= 0 and address - start < ends[place]:
                yield names[place]


def main():
    parser = argparse.ArgumentParser(description="Writes the order in which the linker lays the daemon's functions.")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "CLinux/functions.order", help="where (CLinux/functions.order)")
    out = parser.parse_args().out
    table = functions(BROKER)
    order = {}
    for source, requests in SCENES:
        before = len(order)
        order |= dict.fromkeys(called(source, requests, table))
        print(f"{source.__name__}: {len(order) - before} more functions", file=sys.stderr, flush=True)
        if len(order) == before:
            raise SystemExit(f"layout.py: no function of its own was seen with {source.__name__}; was it read at all?")
    out.write_text("".join(f"{name}\n" for name in order))
    print(f"{len(order)} functions: {out}")


if __name__ == "__main__":
    main()
