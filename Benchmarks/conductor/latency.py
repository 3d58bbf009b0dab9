"""From the sample at the device to the bytes at the client: alone, among a hundred, and amid neighbours that misbehave."""

import datetime
import functools
import json
import statistics
import time

from .bench import Step
from .systems import ACCELEROMETER, READINGS, BareLoop, Broker, DBus, Gpsd, LoopBehindThread
from .window import measure

# Of all messages, so many came as fast or faster, in percent.
SHARES = ("p10", "p50", "p90", "p99", "p99.9")
BAD = [("slow", 99), ("stuck", 1), ("flood", 1)]
# (what is said of it, how many rounds, if not as many as others, readings a second, clients that are measured, others and how they behave). A
# single client has the fastest readings, for there to be three thousand of them in a window. The slowest of a crowd is the host's more
# than ours: its ratios need more rounds to agree on a median.
CASES = [
    ("one client of 1,000 Hz", None, 1000, 1, []),
    ("100 clients of 100 Hz", 9, 100, 100, []),
    ("one client of 1,000 Hz beside 99 slow, one stuck, one flooding", None, 1000, 1, BAD),
]


def steps(bench):
    return [
        *(Step(f"latency: {name}", functools.partial(run, bench, name, *case), None if bench.quick else rounds)
          for name, rounds, *case in CASES),
        Step("latency: behind gpsd", functools.partial(behind_gpsd, bench)),
    ]


def run(bench, case, hertz, count, neighbours):
    message = bench.message("acceleration")
    with bench.started(Broker, [{**ACCELEROMETER, "intervalNanoseconds": 1_000_000_000 // hertz}]) as broker:
        record(bench, broker, case, count, neighbours)
    for rival in (BareLoop, LoopBehindThread, DBus):
        # The bus's clients do not send, and its slow ones are the daemon's undoing: it keeps what they do not take.
        if neighbours and rival is DBus:
            continue
        with bench.started(rival, hertz, message) as system:
            record(bench, system, case, count, neighbours)


def record(bench, system, case, count, neighbours):
    figures = measure(system, count, (1.5 if bench.quick else 3) * bench.seconds, neighbours)
    # The thousandth part of a few is the worst of them, and is not called by another name.
    shares = SHARES if figures["latencies"] >= 1000 else SHARES[:-1]
    bench.note("latency", case, system.name, {f"{share}, microseconds": figures[share] / 1000 for share in shares})


def behind_gpsd(bench):
    with bench.started(Gpsd, 10) as gpsd:
        compare(bench, gpsd)


def compare(bench, gpsd):
    """Of each epoch: written by the receiver, told by gpsd for the last time, delivered by the broker on the same gpsd."""
    logs = {"gpsd": gpsd.path / "watched", "sensorbrokerd": gpsd.path / "delivered"}
    with (
        bench.started(Broker, READINGS["location"][1], "--gpsd", gpsd.address) as broker,
        gpsd.clients(1, log=logs["gpsd"]) as watcher,
        broker.clients(1, log=logs["sensorbrokerd"]) as client,
    ):
        watcher.wait_ready()
        client.wait_ready()
        # The broker learns in the first fifty epochs how many reports one has, and waits for the next one until then.
        time.sleep(8)
        since = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        time.sleep(5 * bench.seconds)
    written = {float(line.split()[0]): int(line.split()[1]) for line in gpsd.written.read_text().splitlines()}
    told = {name: arrivals(log) for name, log in logs.items()}
    for name, at in told.items():
        delays = [(at[utc] - written[utc]) / 1000 for utc in at if utc in written and written[utc] > since]
        bench.note("latency", "an epoch of the receiver's, through gpsd", name, percentiles(delays))
    added = [(at - told["gpsd"][utc]) / 1000 for utc, at in told["sensorbrokerd"].items() if utc in told["gpsd"] and at > since]
    bench.note("latency", "what the broker adds to gpsd's last word", "sensorbrokerd", percentiles(added))


def arrivals(log):
    """When each epoch's last message came, by its time of fix in seconds."""
    found = {}
    for line in log.read_text().splitlines():
        at, message = line.split(" ", 1)
        try:
            message = json.loads(message)
        except ValueError:
            continue  # the line that was being written at the end
        if "parameters" in message:
            for reading in message["parameters"].get("readings", []):
                if "utcMicroseconds" in reading["location"]:
                    found[round(reading["location"]["utcMicroseconds"] / 1e6, 3)] = int(at)
        elif "time" in message:
            found[round(datetime.datetime.fromisoformat(message["time"].replace("Z", "+00:00")).timestamp(), 3)] = int(at)
    return found


def percentiles(values):
    values = sorted(values)
    return {
        "p50, microseconds": statistics.median(values),
        "p99, microseconds": values[int(0.99 * (len(values) - 1))],
    }
