"""From the sample at the device to the bytes at the client: alone, among a hundred, and amid neighbours that misbehave."""

import datetime
import json
import statistics
import time

from .fanout import RIVALS
from .systems import READINGS, Broker, Gpsd
from .window import measure

# (what is said of it, clients that are measured, others and how they behave)
CASES = [
    ("one client", 1, []),
    ("100 clients", 100, []),
    ("one client beside 99 slow, one stuck, one flooding", 1, [("slow", 99), ("stuck", 1), ("flood", 1)]),
]


def run(bench):
    hertz, requests = READINGS["acceleration"]
    for case, count, neighbours in CASES:
        with bench.started(Broker, requests) as broker:
            message = broker.message()
            record(bench, broker, case, count, neighbours)
        for rival in RIVALS.values():
            # The bus's clients do not send, and its slow ones are the daemon's undoing: it keeps what they do not take.
            if neighbours and rival.name == "D-Bus":
                continue
            with bench.started(rival, hertz, message) as system:
                record(bench, system, case, count, neighbours)
    with bench.started(Gpsd, 10) as gpsd:
        behind_gpsd(bench, gpsd)


def record(bench, system, case, count, neighbours):
    figures = measure(system, count, bench.seconds, neighbours)
    bench.note("latency", case, system.name, {
        f"{share}, microseconds": figures[key] / 1000 for share, key in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"))})


def behind_gpsd(bench, gpsd):
    """Of each epoch: written by the receiver, told by gpsd for the last time, delivered by the broker on the same gpsd."""
    logs = {"gpsd": gpsd.path / "watched", "sensorbrokerd": gpsd.path / "delivered"}
    _, requests = READINGS["location"]
    with bench.started(Broker, requests, "--gpsd", gpsd.address) as broker:
        watchers = [gpsd.clients(1, log=logs["gpsd"]), broker.clients(1, log=logs["sensorbrokerd"])]
        for watcher in watchers:
            watcher.wait_ready()
        # The broker learns in the first fifty epochs how many reports one has, and waits for the next one until then.
        time.sleep(8)
        since = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        time.sleep(2 * bench.seconds)
        for watcher in watchers:
            watcher.open()
            watcher.close()
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
