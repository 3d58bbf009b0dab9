"""Restarts the daemon repeatedly under clients, and prints the effect on them.

usage: restarts.py [--crash] [--stall] [--systemd] [--seed N] [RESTARTS [CLIENTS]]   (100 and 100)

Without --systemd, a small service manager of the tests restarts it from this checkout; with it, systemctl restarts the
installed service. --crash ends it by SIGKILL, at any instant after all streams have been stored; --stall also stops the
process for a moment before and after, as a busy host does.

Judged by the readings' own timestamps: each due time must be delivered once or reported once. All violations are
printed.
"""

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from tools.account import Account
from tools.continuity import has_rhythm, knocking, reading, untold_between
from tools.descriptorstore import Service
from tools.programs import BROKER, PATIENCE
from tools.stream import MILLISECOND, Stream, boot_nanoseconds
from tools.wire import Closed, Connection

# The first gets every sample of the device, and no count; the others are then slower than twice the period.
INTERVALS = [10 * MILLISECOND, 30 * MILLISECOND, 70 * MILLISECOND, 150 * MILLISECOND, 200 * MILLISECOND, 300 * MILLISECOND]


class Own:
    def __init__(self):
        self.service = Service(tempfile.mkdtemp(prefix="sb-"), "--mock", capacity=2048).start()
        self.broker = self.service.broker

    def await_precautions(self, clients):
        self.service.wait_for(lambda: {client.subscription for client in clients} <= self.written(), "all written down")

    def written(self):
        """The stored streams, which a process that dies now leaves to the next one."""
        return {line["stream"]["id"] for line in (self.service.text() or [])[1:] if "stream" in line}

    def process(self):
        return self.service.pid

    def restart(self, crash):
        self.service.restart(signal.SIGKILL if crash else signal.SIGTERM)

    def close(self):
        self.service.close()


class Systemd:
    broker = f"/run/sensorbroker/{BROKER}"
    unit = "sensorbrokerd.service"

    def await_precautions(self, clients):
        # A second after the last change, and longer with many clients.
        time.sleep(2 + len(clients) / 100)

    def restart(self, crash):
        # Many restarts in a short time are intended here.
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


class Times:
    """When the process is killed and stopped, derived from a seed."""

    def __init__(self, seed, stall):
        self.random, self.stall = random.Random(seed), stall

    def sleep(self, longest):
        time.sleep(self.random.uniform(0, longest))

    def hold_up(self, process):
        """Usually stops the process for a moment; the next step may follow at once or a little later."""
        if not self.stall or self.random.random() < 0.3:
            return
        os.kill(process, signal.SIGSTOP)
        time.sleep(self.random.uniform(0.05, 0.3))
        os.kill(process, signal.SIGCONT)
        self.sleep(self.random.choice([0, 0.005, 0.05]))


class Client(Stream):
    """A stream that is renewed when its connection ends, as a library does it; each connection is judged separately."""

    def __init__(self, path, interval, **more):
        self.path, self.interval = path, interval
        self.request = {"resource": "accelerometer", "intervalNanoseconds": interval, **more}
        self.former = []
        super().__init__(path, self.request)

    def note_some(self):
        try:
            super().note_some()
        except Closed:
            self.close()
            former = [*self.former, (self.samples, self.gaps)]
            super().__init__(self.path, self.request)
            self.former = former

    def lives(self):
        """Everything received, by connection: timestamps and gaps."""
        return [([stamp for stamp, _, _ in samples], gaps) for samples, gaps in [*self.former, (self.samples, self.gaps)]]


def measure(manager, restarts, crash, times, clients):
    """Restarts the daemon; returns how long each restart took."""
    paced = [client for client in clients if client.interval]
    seconds = []
    await_rhythm(paced)
    for _ in range(restarts):
        if crash:
            manager.await_precautions(clients)
            times.sleep(0.6)
        times.hold_up(manager.process())
        start = time.monotonic()
        manager.restart(crash)
        seconds.append(time.monotonic() - start)
        times.hold_up(manager.process())
        await_rhythm(paced)
    return seconds


def await_rhythm(clients):
    start, deadline = boot_nanoseconds(), time.monotonic() + PATIENCE
    while not all(has_rhythm(client, client.interval, start) for client in clients):
        assert time.monotonic() < deadline, "no rhythm"
        time.sleep(0.02)


def judge(clients):
    """Prints the account of all clients; returns whether it is correct."""
    accounts = [Account(*life, client.interval) for client in clients if client.interval for life in client.lives()]
    wrong = [stretch for account in accounts for stretch in account.wrong]
    for stretch in wrong:
        print(f"wrong: {stretch}")
    silent = [hole for client in clients if not client.interval for life in client.lives() for hole in holes(*life)]
    for hole in silent:
        print(f"missed in silence: {hole}")
    print(f"due {sum(account.due for account in accounts)}, delivered {sum(account.delivered for account in accounts)}, "
          f"told {sum(account.told for account in accounts)}, "
          f"told too many {sum(max(0, stretch.surplus) for stretch in wrong)}, "
          f"told too few {sum(max(0, -stretch.surplus) for stretch in wrong)}; "
          f"holes that one with every sample was not told of: {len(silent)}")
    return not wrong and not silent


def holes(stamps, gaps):
    """Places where an every-sample client has missed samples without a gap."""
    step = 3 * statistics.median(later - earlier for earlier, later in zip(stamps, stamps[1:]))
    return untold_between(stamps, gaps, step)


def run(manager, restarts, count, crash, times):
    clients = []
    for number in range(count):
        more = {"filter": "mean"} if number % 10 == 9 else {}
        clients.append(Client(manager.broker, INTERVALS[number % len(INTERVALS)], **more))
    # Every sample, at the pace that the others have set.
    clients.append(Client(manager.broker, 0))
    with knocking(lambda: Connection(manager.broker), count=2) as (served, refused, cut), reading(clients):
        seconds = measure(manager, restarts, crash, times, clients)
    told = [gap for client in clients for _, gaps in client.lives() for gap in gaps if gap["cause"] == "restarted"]
    most = max(sum(gap["cause"] == "restarted" for gap in gaps) for client in clients for _, gaps in client.lives())
    ended = sum(len(client.former) for client in clients)
    print(f"{restarts} {'crashes' if crash else 'restarts'} under {len(clients)} clients, "
          f"{sum(len(stamps) for client in clients for stamps, _ in client.lives())} readings; most gaps of one stream: {most}")
    print(f"connects while it went on: {len(served)} served, {len(refused)} refused, {len(cut)} without an answer")
    print(f"streams that had to begin anew: {ended}")
    print(f"a restart as its caller sees it, ms: median {statistics.median(seconds) * 1e3:.0f}, "
          f"longest {max(seconds) * 1e3:.0f}")
    if told:
        spans = [(gap["untilNanoseconds"] - gap["fromNanoseconds"]) / 1e6 for gap in told]
        print(f"without a sample, ms: median {statistics.median(spans):.0f}, longest {max(spans):.0f}")
    is_right = judge(clients)
    for client in clients:
        client.close()
    # One who was not reached in the round in which the process died is told of that by itself. One whose socket was full in
    # a crash has to begin anew.
    return is_right and not refused and (crash or not cut and not ended) and most <= restarts * (1 + crash)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crash", action="store_true")
    parser.add_argument("--stall", action="store_true")
    parser.add_argument("--systemd", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("restarts", nargs="?", type=int, default=100)
    parser.add_argument("clients", nargs="?", type=int, default=100)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    manager = Systemd() if arguments.systemd else Own()
    try:
        times = Times(arguments.seed, arguments.stall)
        return 0 if run(manager, arguments.restarts, arguments.clients, arguments.crash, times) else 1
    finally:
        manager.close()


if __name__ == "__main__":
    sys.exit(main())
