#!/usr/bin/env python3
"""An iiod whose devices play samples that were written before, at the pace of their times. Loopback only.

usage: playediiod.py [--port N] DEVICES.json

DEVICES.json: {"iio:device0": {"types": ["anglvel", "accel"], "scales": {"anglvel": "0.00001", ...}, "hz": 100, "rows": "FILE"}}.
FILE holds rows of little-endian 64-bit integers: nanoseconds from the start, then three counts for each type. What is missing between
two rows was never measured. "available": the rates it offers, of which it plays each so-manieth row; "stamped": false leaves the
times to the reader. All devices start when the first buffer is opened, and a buffer that is opened later misses what was before.

It prints `playediiod: 127.0.0.1:PORT`, and `started NANOSECONDS` of the boot clock, and ends with its standard input.
"""
import argparse, bisect, json, math, struct, sys, threading, time

import fakeiiod
import fakeiiodsensor


class Host:
    """The devices behind one iiod, which start together."""

    def __init__(self):
        self.devices, self.start, self.lock = {}, None, threading.Lock()

    def open(self):
        with self.lock:
            if self.start is None:
                self.start = fakeiiodsensor.now()
                print("started", self.start, flush=True)

    def xml(self):
        """The descriptions of all, in one context."""
        head, tail = b"", b"</context>"
        for device in self.devices.values():
            text = device.xml()
            begin = text.index(b"<device ")
            head = (head or text[:begin]) + text[begin:-len(tail)].replace(b"iio:device0", device.id.encode()).replace(
                b"trigger0", b"trigger" + device.id[-1:].encode())
        return head + tail


class Played(fakeiiodsensor.Sensor):
    """A device of a host: what it has measured by now are the rows of that time."""

    def __init__(self, host, id, types, rows, scales, hz=100, available=None, stamped=True, matrix=None):
        super().__init__(argparse.Namespace(
            hz=hz, available=available, matrix=matrix, no_buffer=False, stubborn=False, type=",".join(types), own_rates=None,
            processed=False, no_stamp=not stamped, unscaled=False, whole=False, near=None, hwmon=False))
        self.host, self.id, self.scales, self.full = host, id, scales, hz
        data = open(rows, "rb").read()
        self.rows = list(struct.iter_unpack(f"<{1 + 3 * len(types)}q", data))
        self.times = [row[0] for row in self.rows]

    @property
    def step(self):
        return max(1, round(self.full / self.hz))

    def _count(self):
        start = self.host.start
        return 0 if start is None else bisect.bisect_right(self.times, fakeiiodsensor.now() - start)

    def stamp(self, number):
        return self.host.start + self.times[number]

    def values(self, number, place):
        return self.rows[min(number, len(self.rows) - 1)][1 + 3 * place:4 + 3 * place]

    def read(self, words):
        if words[-1] == "scale":
            return self.scales[self.kind(words[-2])]
        return super().read(words)

    def until(self, number):
        """How many seconds pass until a sample is there; for ever, after the last one."""
        return (self.stamp(number) - fakeiiodsensor.now()) / 1e9 if number < len(self.rows) else math.inf


class Connection(fakeiiod.Connection):
    """One client's connection, to the host and, once it is asked for one, to a device of it."""

    def __init__(self, host, sock, others):
        self.host = host
        super().__init__(next(iter(host.devices.values())), sock, others)

    def answer(self, line):
        words = line.split()
        if words[:1] == ["PRINT"]:
            self.data(self.host.xml())
            return True
        if len(words) > 1 and words[1] in self.host.devices:
            self.sensor = self.host.devices[words[1]]
        if words[:1] == ["OPEN"]:
            self.host.open()
        return super().answer(line)

    def numbers(self):
        numbers, begin = [], time.monotonic()
        while len(numbers) < self.size:
            # In this order: a host that stalls between the two has missed nothing.
            rest, wait = begin + self.timeout - time.monotonic(), self.sensor.until(self.next)
            time.sleep(max(0, min(wait, rest)))
            if wait > rest:
                return None
            if self.next % self.sensor.step == 0:
                numbers.append(self.next)
            self.next += 1
        return numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("devices")
    given = parser.parse_args()
    host = Host()
    with open(given.devices) as file:
        for id, description in json.load(file).items():
            host.devices[id] = Played(host, id, **description)
    fakeiiod.listen(host, given.port, Connection)
    sys.stdin.read()


if __name__ == "__main__":
    main()
