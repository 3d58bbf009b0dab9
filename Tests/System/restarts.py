"""Restarts the daemon again and again under clients, and prints what that cost them.

usage: restarts.py [--crash] [--systemd] [RESTARTS [CLIENTS]]   (100 and 100)
Without --systemd a small service manager of the tests' own restarts it, from this checkout; with it the installed service is
restarted by systemctl. --crash ends it by SIGKILL, a while after the last start.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from continuity import MILLISECOND, go_on, knocking, missing, reading, told, untold
from descriptorstore import Service
from programs import BROKER
from stream import Stream
from wire import Connection

# Slower than any of the device's own intervals, so that what is due can be counted.
INTERVALS = [30 * MILLISECOND, 70 * MILLISECOND, 150 * MILLISECOND, 300 * MILLISECOND]


class Own:
    def __init__(self):
        self.service = Service(tempfile.mkdtemp(prefix="sb-"), "--mock", capacity=2048).start()
        self.broker = self.service.broker

    def restart(self, crash):
        self.service.restart(signal.SIGKILL if crash else signal.SIGTERM)

    def close(self):
        self.service.close()


class Systemd:
    broker = f"/run/sensorbroker/{BROKER}"
    unit = "sensorbrokerd.service"

    def restart(self, crash):
        # Many in a short time are meant here.
        subprocess.run(["systemctl", "reset-failed", self.unit], check=True)
        if not crash:
            return subprocess.run(["systemctl", "restart", self.unit], check=True)
        former = self.process()
        os.kill(former, signal.SIGKILL)
        while self.process() in (0, former):
            time.sleep(0.05)

    def process(self):
        text = subprocess.run(["systemctl", "show", "-P", "MainPID", self.unit], check=True, capture_output=True).stdout
        return int(text)

    def close(self):
        pass


def step(stream):
    stamps = [stamp for stamp, _, _ in stream.samples]
    return 3 * statistics.median(later - earlier for earlier, later in zip(stamps, stamps[1:]))


def measure(manager, restarts, clients, crash):
    streams = []
    for number in range(clients):
        interval = INTERVALS[number % len(INTERVALS)]
        streams.append((Stream(manager.broker, {"resource": "accelerometer", "intervalNanoseconds": interval}), interval))
    all_streams = [stream for stream, _ in streams]
    go_on(all_streams)
    seconds, ended = [], 0
    with knocking(lambda: Connection(manager.broker), count=2) as (served, refused, cut):
        for _ in range(restarts):
            if crash:
                until = time.monotonic() + 2.5
                while time.monotonic() < until:
                    go_on(all_streams)
            start = time.monotonic()
            try:
                with reading(all_streams):
                    manager.restart(crash)
                seconds.append(time.monotonic() - start)
                go_on(all_streams)
            except Exception as fault:
                ended += 1
                print(f"a stream ended: {fault!r}", file=sys.stderr)
                break
    holes = [(gap["untilNanoseconds"] - gap["fromNanoseconds"]) / 1e6
             for stream in all_streams for gap in stream.gaps if gap["cause"] == "restarted"]
    # One that gets every sample that the device makes is told from when to when, not how many.
    counted = [(stream, interval) for stream, interval in streams if all("count" in gap for gap in stream.gaps)]
    spans = [stream for stream in all_streams if not all("count" in gap for gap in stream.gaps)]
    silent = [missing(*stream) - told(stream[0]) for stream in counted] + [len(untold(stream, step(stream)))
                                                                          for stream in spans]
    most = max(sum(gap["cause"] == "restarted" for gap in stream.gaps) for stream in all_streams)
    print(f"{len(seconds)} {'crashes' if crash else 'restarts'} under {clients} clients, "
          f"{sum(len(stream.samples) for stream in all_streams)} readings")
    print(f"connects while it went on: {len(served)} served, {len(refused)} refused, {len(cut)} without an answer")
    print(f"streams ended: {ended}")
    print(f"readings missing: {sum(missing(*stream) for stream in counted)}, told: {sum(told(s) for s, _ in counted)}, "
          f"streams told without a count: {len(spans)}, "
          f"missed in silence: {sum(max(0, count) for count in silent)}, "
          f"told too many: {sum(max(0, -count) for count in silent)}; most gaps of one stream: {most}")
    print(f"a restart as its caller sees it, ms: median {statistics.median(seconds) * 1e3:.0f}, "
          f"longest {max(seconds) * 1e3:.0f}")
    if holes:
        print(f"without a sample, ms: median {statistics.median(holes):.0f}, longest {max(holes):.0f}")
    for stream in all_streams:
        stream.close()
    return not refused and not (cut and not crash) and not ended and max(silent) <= 0 and most <= restarts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crash", action="store_true")
    parser.add_argument("--systemd", action="store_true")
    parser.add_argument("restarts", nargs="?", type=int, default=100)
    parser.add_argument("clients", nargs="?", type=int, default=100)
    arguments = parser.parse_args()
    manager = Systemd() if arguments.systemd else Own()
    try:
        return 0 if measure(manager, arguments.restarts, arguments.clients, arguments.crash) else 1
    finally:
        manager.close()


if __name__ == "__main__":
    sys.exit(main())
