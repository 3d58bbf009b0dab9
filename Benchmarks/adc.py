#!/usr/bin/env python3
"""One client of a converter of 1 MHz behind an iiod: sensorbrokerd, which sends volts as packed JSON and their times as a period, beside
iio_readdev of libiio, which writes the raw bytes to a pipe.

usage: make bench-adc; adc.py [--quick] [--seconds N] [--rounds N] [--hertz N] [--out FILE]

The iiod is a process of the tests' own, which sends as iiod does, 64 KiB at a time, at the pace of the clock. Processor time is that of
all threads of either program; how many samples came is counted from what their client read.
Beside FILE are the figures as JSON, and a picture of them.
"""

import argparse
import array
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from conductor.process import LOAD_CORES, ROOT, SERVER_CORE, process_nanoseconds, start, stop
from conductor.systems import Broker
from conductor.written import write

sys.path.insert(0, str(ROOT / "Tests/Support"))
import fakeiiod  # noqa: E402
import fakeiiodsensor  # noqa: E402
from tools.programs import BROKER  # noqa: E402
from tools.stream import Stream  # noqa: E402
from tools.waiting import until  # noqa: E402
from tools.wire import Connection  # noqa: E402

SCAN_BYTES, SCANS = 16, 4096
BATCH_NANOSECONDS = 20_000_000


class Converter(fakeiiodsensor.Sensor):
    """A converter of twelve bits and one rate."""

    def __init__(self, hertz):
        super().__init__(argparse.Namespace(
            hz=hertz, available=f"{hertz:.0f}", matrix=None, no_buffer=False, stubborn=False, type="voltage0", own_rates=None, processed=False,
            no_stamp=False, unscaled=False, whole=False, near=None))
        self.wave = array.array("q", [number * 7 % 4096 for number in range(2 * SCANS)])


class Converted(fakeiiod.Connection):
    """Sends blocks of scans: a voltage in a word of 32 bits, its padding, and its time."""

    def answer(self, line):
        if line.startswith("OPEN"):
            self.since, self.sent = fakeiiodsensor.now(), 0
        return super().answer(line)

    def blocks(self, wanted):
        step, first = round(1e9 / self.sensor.hz), True
        while wanted > 0:
            count = min(SCANS, wanted // SCAN_BYTES)
            due = self.since + (self.sent + count) * step
            time.sleep(max(0, due - fakeiiodsensor.now()) / 1e9)
            place = self.sent % SCANS
            block = array.array("q", bytes(SCAN_BYTES * count))
            block[0::2] = self.sensor.wave[place : place + count]
            block[1::2] = array.array("q", range(due - count * step, due, step))
            head = b"%d\n" % (SCAN_BYTES * count) + (b"%08x\n" % self.mask if first else b"")
            self.socket.sendall(head + block.tobytes())
            self.sent, wanted, first = self.sent + count, wanted - SCAN_BYTES * count, False


def packed_count(text):
    """How many numbers a packed column has: four bytes each, as base64."""
    return (len(text) // 4 * 3 - text[-2:].count("=")) // 4


@contextlib.contextmanager
def broker(port):
    """A broker of the converter: its process, and what reads a message and returns how many samples it has."""
    served = Broker([], "--iio", f"ip:127.0.0.1:{port}", "--gpsd", "localhost:1")
    try:
        with Connection(served.address) as asking:
            until(lambda: "voltage" in [one["name"] for one in asking.result(f"{BROKER}.ListResources")["resources"]], "the voltage")
        request = {"resource": "voltage", "intervalNanoseconds": 0, "batchNanoseconds": BATCH_NANOSECONDS, "packed": True}
        with Stream(served.address, request) as stream:
            client = stream.connection

            def samples():
                readings = client.receive().get("parameters", {}).get("readings", [])
                return sum(packed_count(reading["values"].get("packed", {}).get("value", "")) for reading in readings)

            yield served.processes[0], samples
    finally:
        served.close()


@contextlib.contextmanager
def readdev(port):
    """The same of iio_readdev, with a pipe."""
    command = ["iio_readdev", "-u", f"ip:127.0.0.1:{port}", "-b", str(SCANS), "iio:device0"]
    program = start(command, SERVER_CORE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def samples():
        data = os.read(program.stdout.fileno(), 1 << 16)
        assert data, "iio_readdev has ended"
        return len(data) / SCAN_BYTES

    try:
        yield program, samples
    finally:
        stop(program)


def measure(side, port, hertz, seconds):
    """The share of a core that a side takes, and how many samples came in a second."""
    with side(port) as (program, samples):
        count, ended = 0, threading.Event()

        def read():
            nonlocal count
            while not ended.is_set():
                count += samples()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        # Until its pace is known.
        time.sleep(2)
        used, before, began = process_nanoseconds(program.pid), count, time.monotonic()
        time.sleep(seconds)
        used, came, passed = process_nanoseconds(program.pid) - used, count - before, time.monotonic() - began
        ended.set()
        reader.join(1)
        assert came > 0.9 * hertz * passed, f"{came} samples in {passed:.1f} s"
        return used / 1e9 / passed, came / passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", action="store_true", help="be the iiod, until the end of the input")
    parser.add_argument("--quick", action="store_true", help="one short round, which shows that it works and measures nothing")
    parser.add_argument("--hertz", type=float, default=1e6)
    parser.add_argument("--seconds", type=float, help="how long each side is measured (10)")
    parser.add_argument("--rounds", type=int, help="how often, in turns (5)")
    parser.add_argument("--out", type=pathlib.Path, help="where the lines go as well, and beside it figures and picture")
    options = parser.parse_args()
    if options.serve:
        fakeiiod.listen(Converter(options.hertz), 0, Converted)
        sys.stdin.read()
        return
    seconds, rounds = options.seconds or (2 if options.quick else 10), options.rounds or (1 if options.quick else 5)
    serving = [sys.executable, __file__, "--serve", "--hertz", str(options.hertz)]
    os.sched_setaffinity(0, LOAD_CORES)
    iiod = start(serving, LOAD_CORES, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = int(iiod.stdout.readline().rsplit(":", 1)[1])
        figures = [[measure(side, port, options.hertz, seconds) for side in (broker, readdev)] for _ in range(rounds)]
    finally:
        stop(iiod)
    lines = [f"Medians of {rounds} rounds of {seconds:g} s, in turns.", "", "| one client | share of a core | samples a second |",
             "| --- | --- | --- |"]
    for name, side in zip(("sensorbrokerd", "iio_readdev"), zip(*figures)):
        share, came = (statistics.median(column) for column in zip(*side))
        lines.append(f"| {name} | {share:.1%} | {came:,.0f} |")
    ratios = sorted(ours / theirs for (ours, _), (theirs, _) in figures)
    lines += ["", f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f} by round)"]
    print("\n".join(lines))
    if options.out:
        write(options.out, lines, [{"sensorbrokerd": ours, "iio_readdev": theirs} for (ours, _), (theirs, _) in figures])


main()
