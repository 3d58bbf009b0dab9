"""How the daemon's cost grows with what there is: instructions in user space of all its threads, counted by valgrind, for each reading of
one client of 100 Hz, while there are ever more others: clients, requests, lanes, labels, alignments, devices and programs. Of most of
them nothing is due while it counts; what they cost all the same is the slope. The kernel's instructions are not among them.

usage: growth.py [--quick] [--out FILE]
"""

import argparse
import contextlib
import functools
import itertools
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/System"))
from conductor.process import LOAD_CORES, ROOT, SERVER_CORE, start, stop, wait_until  # noqa: E402
from tools.unixsockets import listening  # noqa: E402
from tools.wire import Connection, call  # noqa: E402

SENSORBROKERD = pathlib.Path(os.environ.get("SENSORBROKERD_BIN", ROOT / ".build/release/sensorbrokerd"))
MILLISECOND, SECOND = 1_000_000, 1_000_000_000
# Long enough to count nothing of theirs, once they have had their first reading.
SELDOM = 600 * SECOND
STAMP = b'"timestampNanoseconds":'
SETTINGS = "[Clients]\nMaxSubscriptionsPerUser=10000\nMaxConnections=10000\nMaxConnectionsPerUser=10000\n"
# As many as one call may have, and half as many companions.
REQUESTS = 32


def accelerations(interval, **members):
    return {"resource": "accelerometer", "intervalNanoseconds": interval, **members}


def subscribe(broker, requests):
    broker.connect().send(call("io.sensorbroker.Broker.Subscribe", {"requests": requests}, more=True))


def in_streams(broker, requests):
    """As few streams as may have so many requests."""
    for first in range(0, len(requests), REQUESTS):
        subscribe(broker, requests[first:first + REQUESTS])


def connected(broker, count):
    for _ in range(count):
        broker.connect()


def streams(broker, count, interval=SELDOM):
    for _ in range(count):
        subscribe(broker, [accelerations(interval)])


def lanes(broker, count, interval=SELDOM, step=SECOND // 1000):
    in_streams(broker, [accelerations(interval + place * step, label=str(place)) for place in range(count)])


def labels(broker, count):
    in_streams(broker, [accelerations(SELDOM, label=str(place)) for place in range(count)])


def alignments(broker, count):
    in_streams(broker, list(itertools.chain.from_iterable(
        (accelerations(SELDOM, label=str(place)), {"resource": "gyroscope", "intervalNanoseconds": SELDOM, "label": f"{place}g", "alignTo": str(place)})
        for place in range(count))))


def programs(broker, count):
    for place in range(count):
        connection = broker.connect("io.sensorbroker.Feed")
        connection.send(call("io.sensorbroker.Feed.Provide", {"resources": [{"name": f"light:p{place}"}], "intervalNanoseconds": SECOND}, more=True))


# What there is more and more of, how many, whether each is due with the reading that is counted, and how it comes to be.
CASES = [
    ("clients, connected", (0, 1000, 4000), False, connected),
    ("clients, a reading in ten minutes", (0, 1000, 4000), False, streams),
    ("lanes, a reading in ten minutes", (0, 1000, 4000), False, lanes),
    ("labels, a reading in ten minutes", (0, 1000, 4000), False, labels),
    ("alignments, a reading in ten minutes", (0, 250, 1000), False, alignments),
    ("devices nobody asks for", (0, 10, 30), False, None),
    ("programs nobody asks for", (0, 10, 40), False, programs),
    ("clients, each reading", (0, 100, 1000), True, functools.partial(streams, interval=10 * MILLISECOND)),
    ("lanes, each reading", (0, 30, 100), True, functools.partial(lanes, interval=5 * MILLISECOND, step=1)),
]


class Broker:
    """A daemon under valgrind with a client of 100 Hz, and all that is connected to it besides."""

    def __init__(self, directory, devices):
        self.directory, self.connections, self.readings, self.ends = directory, [], 0, False
        (directory / "conf").write_text(SETTINGS + "".join(f"[Feed light:p{place}]\n" for place in range(40)))
        lights = "".join(f"[light{f':{place}' if place else ''}]\nRates=10Hz\n" for place in range(devices))
        (directory / "scenario").write_text(f"[accelerometer]\nRates=100Hz\n[gyroscope]\nPartOf=accelerometer\n{lights}")
        self.counts = directory / "counts"
        self.process = start(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.counts}", SENSORBROKERD,
             "--config", directory / "conf", f"--mock={directory / 'scenario'}", "--runtime-directory", directory],
            SERVER_CORE, stdout=subprocess.DEVNULL, stderr=(directory / "errors").open("w"))
        wait_until(lambda: listening(f"{directory}/io.sensorbroker.Broker") or self.process.poll() is not None, "it listens")
        if self.process.poll() is not None:
            raise RuntimeError((directory / "errors").read_text())
        self.selector = selectors.DefaultSelector()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        subscribe(self, [accelerations(10 * MILLISECOND)])
        # So that companions are not the first for which the device measures it.
        subscribe(self, [{"resource": "gyroscope", "intervalNanoseconds": SELDOM}])
        wait_until(lambda: self.readings, "its first reading")

    def reach(self, name="io.sensorbroker.Broker"):
        """A connection that its caller reads."""
        while True:
            # The daemon takes them as fast as it can; a socket keeps some waiting.
            with contextlib.suppress(ConnectionRefusedError, BlockingIOError):
                return Connection(self.directory / name)
            time.sleep(0.01)

    def connect(self, name="io.sensorbroker.Broker"):
        connection = self.reach(name)
        self.connections.append(connection)
        self.selector.register(connection.socket, selectors.EVENT_READ)
        return connection

    def read(self):
        """Takes what comes, and counts the readings of the first client."""
        while not self.ends:
            for key, _ in self.selector.select(0.1):
                data = key.fileobj.recv(1 << 18)
                if not data:
                    raise RuntimeError("the daemon has closed a connection")
                if key.fileobj is self.connections[0].socket:
                    self.readings += data.count(STAMP)

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def instructions(self, seconds):
        """For each reading of the first client."""
        self.control("-i", "on")
        before = self.readings
        time.sleep(seconds)
        count = self.readings - before
        self.control("-i", "off")
        self.control("-d")
        totals = [int(found) for path in self.directory.glob("counts*") for found in re.findall(r"^totals: (\d+)", path.read_text(), re.MULTILINE)]
        return max(totals) / count

    def stop(self):
        self.ends = True
        self.reader.join()
        for connection in self.connections:
            connection.close()
        stop(self.process)


def measured(case, count, seconds):
    _, _, _, arrange = case
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        broker = Broker(pathlib.Path(directory), 0 if arrange else count)
        try:
            if arrange:
                arrange(broker, count)
            # An answer to a later call: all before it has been done.
            with broker.reach() as connection:
                connection.socket.settimeout(600)
                connection.send(call("io.sensorbroker.Broker.ListResources"))
                while connection.take() is None:
                    connection.receive_some()
            # The arbiter's look at a lower rate, and each first reading.
            time.sleep(4)
            return broker.instructions(seconds)
        finally:
            broker.stop()


def main():
    parser = argparse.ArgumentParser(description="Shows how the daemon's cost grows with what there is.")
    parser.add_argument("--quick", action="store_true", help="none, and as many as in the middle")
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well")
    options = parser.parse_args()
    os.sched_setaffinity(0, LOAD_CORES)
    lines = [f"{'instructions for a reading, with so many':42}{'none':>10}{'some':>18}{'many':>18}{'for each further one':>22}"]
    print(lines[0], flush=True)
    for case in CASES:
        name, counts, _, _ = case
        counts = counts[:2] if options.quick else counts
        found = [measured(case, count, 2 if options.quick else 5) for count in counts]
        columns = [f"{found[0]:10.0f}", *(f"{count:8}: {one:8.0f}" for count, one in zip(counts[1:], found[1:]))]
        slope = (found[-1] - found[0]) / counts[-1]
        lines.append(f"{name:42}{''.join(columns)}{slope:22.1f}")
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
