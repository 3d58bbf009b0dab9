"""How the daemon's cost grows with what there is: instructions in user space of all its threads, counted by valgrind, for each reading of
one client, while there are ever more others: clients, requests, lanes, labels, alignments, devices and programs. Of most of them nothing
is due while it counts; what they cost all the same is the slope. The kernel's instructions are not among them. The daemon has a service
manager, as on a host.

usage: growth.py [--quick] [--out FILE]    figures as JSON and a picture are beside FILE; it fails if what merely exists costs something, or
what is due more than by its number

What merely exists is counted beside a client of 100 Hz. What is due with each reading is counted at a rate at which valgrind keeps up.
"""

import argparse
import contextlib
import functools
import itertools
import os
import pathlib
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/System"))
from conductor.process import LOAD_CORES, ROOT, SERVER_CORE, start, stop, wait_until  # noqa: E402
from conductor.written import write  # noqa: E402
from tools.unixsockets import listening  # noqa: E402
from tools.wire import Connection, call  # noqa: E402

SENSORBROKERD = pathlib.Path(os.environ.get("SENSORBROKERD_BIN", ROOT / ".build/release/sensorbrokerd"))
SECOND = 1_000_000_000
# Long enough to count nothing of theirs, once they have had their first reading.
SELDOM = 600 * SECOND
# As often as there is one.
EACH = 0
STAMP = b'"timestampNanoseconds":'
# Of 48 that one user may have.
PROGRAMS = 40
SETTINGS = "[Clients]\nMaxSubscriptionsPerUser=10000\nMaxConnections=10000\nMaxConnectionsPerUser=10000\n" + "".join(
    f"[Feed light:p{place}]\n" for place in range(PROGRAMS))
# What merely exists may cost nothing; more than this is no chance.
DEARER = 1.1
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


def labels(broker, count, interval=SELDOM):
    in_streams(broker, [accelerations(interval, label=str(place)) for place in range(count)])


def alignments(broker, count, interval=SELDOM):
    in_streams(broker, list(itertools.chain.from_iterable(
        (accelerations(interval, label=str(place)),
         {"resource": "gyroscope", "intervalNanoseconds": interval, "label": f"{place}g", "alignTo": str(place)})
        for place in range(count))))


def devices(broker, count, interval=EACH):
    """A client for each."""
    for place in range(count):
        subscribe(broker, [{"resource": light(place), "intervalNanoseconds": interval}])


def programs(broker, count):
    for place in range(count):
        offer = {"resources": [{"name": f"light:p{place}"}], "intervalNanoseconds": SECOND}
        broker.connect("io.sensorbroker.Feed").send(call("io.sensorbroker.Feed.Provide", offer, more=True))


def pushing_programs(broker, count):
    """Each sends a sample with each reading that is counted, to a client of its own."""
    programs(broker, count)
    for place, connection in enumerate(broker.connections[-count:] if count else []):
        subscribe(broker, [{"resource": f"light:p{place}", "intervalNanoseconds": EACH}])
        sample = {"resource": f"light:p{place}", "values": {"columns": {"value": [100]}}}
        broker.answers.append((connection, call("io.sensorbroker.Feed.Push", {"samples": [sample]}, oneway=True)))


def light(place):
    return f"light:{place}" if place else "light"


def scenario(hertz, devices, device_hertz):
    lights = "".join(f"[{light(place)}]\nRates={device_hertz}Hz\n" for place in range(devices))
    return f"[accelerometer]\nRates={hertz}Hz\n[gyroscope]\nPartOf=accelerometer\n{lights}"


class Case(typing.NamedTuple):
    """What there is more and more of, how many, how it comes to be, and at which rate the readings come that are counted."""

    name: str
    counts: tuple[int, ...]
    arrange: typing.Callable = lambda broker, count: None
    hertz: int = 100
    # The rate of so many devices, which are there from the start; 0: there are no further devices.
    device_hertz: float = 0


def due(arrange, hertz=10, step=None):
    """An interval of half a period gives each reading."""
    steps = {} if step is None else {"step": step}
    return {"arrange": functools.partial(arrange, interval=SECOND // hertz // 2, **steps), "hertz": hertz}


MANY = (0, 10, 100, 1000, 4000)
DEVICES = (0, 10, 30, 100, 500)
EXISTS = [
    Case("clients, connected", MANY, connected),
    Case("clients, a reading in ten minutes", MANY, streams),
    Case("lanes, a reading in ten minutes", MANY, lanes),
    Case("labels, a reading in ten minutes", MANY, labels),
    Case("alignments, a reading in ten minutes", MANY, alignments),
    Case("devices nobody asks for", DEVICES, device_hertz=10),
    Case("devices, a reading in ten minutes", DEVICES, functools.partial(devices, interval=SELDOM), device_hertz=0.01),
    Case("programs nobody asks for", (0, 5, 10, 20, PROGRAMS), programs),
]
DUE = [
    Case("clients, each reading", MANY, **due(streams)),
    Case("lanes, each reading", MANY, **due(lanes, hertz=1, step=1)),
    Case("labels, each reading", MANY, **due(labels, hertz=1)),
    Case("alignments, each reading", MANY, **due(alignments, hertz=1)),
    # Valgrind runs one thread at a time, and does not keep up with more.
    Case("devices, each with a client", (0, 3, 10, 20, 30), devices, 10, device_hertz=10),
    Case("programs, each with a client", (0, 5, 10, 20, PROGRAMS), pushing_programs, 10),
]
# Not for a reading: for the whole of it.
PARSED = Case("a scenario's devices, parsed", DEVICES)


class Broker:
    """A daemon under valgrind with a client, and all that is connected to it besides."""

    def __init__(self, directory, hertz, devices, device_hertz):
        self.directory, self.hertz, self.connections, self.answers, self.readings, self.ends = directory, hertz, [], [], 0, False
        (directory / "conf").write_text(SETTINGS)
        (directory / "scenario").write_text(scenario(hertz, devices, device_hertz))
        self.counts = directory / "counts"
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(str(directory / "manager"))
        self.process = start(
            ["valgrind", "--max-threads=1000", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={self.counts}", SENSORBROKERD,
             "--config", directory / "conf", f"--mock={directory / 'scenario'}", "--runtime-directory", directory],
            SERVER_CORE, stdout=subprocess.DEVNULL, stderr=(directory / "errors").open("w"),
            env=os.environ | {"NOTIFY_SOCKET": self.manager.getsockname()})
        wait_until(lambda: listening(f"{directory}/io.sensorbroker.Broker") or self.process.poll() is not None, "it listens")
        if self.process.poll() is not None:
            raise RuntimeError((directory / "errors").read_text())
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.manager, selectors.EVENT_READ)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        subscribe(self, [accelerations(SECOND // hertz)])
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
        """Takes what comes, counts the readings of the first client, and has each answered."""
        while not self.ends:
            for key, _ in self.selector.select(0.1):
                data = key.fileobj.recv(1 << 18)
                if not data:
                    raise RuntimeError("the daemon has closed a connection")
                if key.fileobj is self.connections[0].socket and STAMP in data:
                    self.readings += data.count(STAMP)
                    for connection, answer in self.answers:
                        connection.send(answer)

    def control(self, *words):
        subprocess.run(["callgrind_control", *words, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def between_readings(self):
        """Waits until the next reading has come, and half of the time to the one after it is over."""
        before = self.readings
        wait_until(lambda: self.readings > before, "a reading comes")
        time.sleep(1 / self.hertz / 2)

    def instructions(self, seconds):
        """For each reading of the first client."""
        self.between_readings()
        self.control("-i", "on")
        before = self.readings
        time.sleep(seconds)
        self.between_readings()
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
        self.manager.close()


def measured(case, count, seconds):
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        broker = Broker(pathlib.Path(directory), case.hertz, count if case.device_hertz else 0, case.device_hertz)
        try:
            case.arrange(broker, count)
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


def parsed(count):
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        (pathlib.Path(directory) / "scenario").write_text(scenario(100, count, 1))
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/counts",
             SENSORBROKERD, "--check", f"--mock={directory}/scenario"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def counted(case, counts, seconds):
    """Each count with the instructions for a reading, or for all of its scenario."""
    if case == PARSED:
        return [(count, parsed(count)) for count in counts]
    points = []
    for count in counts:
        found = round(measured(case, count, seconds))
        # A count wanders by a hundredth; a busy host may add a tenth, but hardly twice.
        if case in EXISTS and points and found > DEARER * points[0][1]:
            found = min(found, round(measured(case, count, seconds)))
        points.append((count, found))
    return points


def faults(case, points):
    """What of a case's points breaks the promise of docs/performance.md."""
    (_, alone), *more = points
    if case in EXISTS:
        return [f"{case.name}: {count} make a reading cost {found / alone:.2f} of one alone" for count, found in more if found > DEARER * alone]
    slopes = [(found - alone) / count for count, found in more]
    # Of the first point, what wanders is too large a part.
    few = slopes[min(1, len(slopes) - 1)]
    return [f"{case.name}: each of {count} costs {slope / few:.2f} of one among few"
            for (count, _), slope in zip(more[1:], slopes[1:]) if slope > 1.5 * few]


def main():
    parser = argparse.ArgumentParser(description="Shows how the daemon's cost grows with what there is.")
    parser.add_argument("--quick", action="store_true", help="none, and as many as in the middle")
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well, and beside it figures and picture")
    options = parser.parse_args()
    os.sched_setaffinity(0, LOAD_CORES)
    lines, figures = [f"{'instructions for a reading, with so many':42}{'none':>9}{'':68}{'for each further one':>22}"], []
    print(lines[0], flush=True)
    broken = []
    for case in [*EXISTS, *DUE, PARSED]:
        counts = (0, case.counts[3]) if options.quick else case.counts
        points = counted(case, counts, 2 if options.quick else max(5, 8 / case.hertz))
        if case != PARSED:
            figures.append({"what": case.name, "due": case in DUE, "points": points})
        columns = "".join(f"{count:6}: {found:9}" for count, found in points[1:])
        slope = (points[-1][1] - points[0][1]) / counts[-1]
        lines.append(f"{case.name:42}{points[0][1]:9}{columns:68}{slope:22.1f}")
        print(lines[-1], flush=True)
        broken += faults(case, points)
    if options.out:
        write(options.out, lines, figures)
    sys.exit("\n".join(broken) or 0)


if __name__ == "__main__":
    main()
