"""What the faults of docs/faults.md cost, for the rows that name a figure: under the attack, beside the same daemon before it.

Attackers are other users where this runs as root, and give way to the clients that are measured, which would else wait for them.
"""

import contextlib
import functools
import os
import resource
import subprocess
import sys
import time

from .bench import Step
from .process import HERE, LOAD_CORES, start, stop
from .systems import READINGS, Broker

NEIGHBOURS, CROWD = 10, 1024
STRANGERS = range(61001, 61005)
BEFORE = "without the attack"
UNITS = {"dribble": "bytes they sent a second", "flood": "calls they sent a second", "churn": "connects a second"}


def steps(bench):
    seconds = 3 if bench.quick else 10
    attacks = [
        ("row 10, no descriptors left while 400 want to come in (goal: 2 %)", dict(how="crowd", count=400, descriptors=64)),
        ("row 13, 100 clients that never read (goal: p99 not moved)", dict(stuck=100)),
        ("row 14, 500 clients that send a byte each 10 ms (goal: 5 %)", dict(how="dribble", count=500)),
        ("row 15, 8 clients that call without end (goal: p99 5 ms later at most)", dict(how="flood", count=8)),
        ("row 16, 10,000 connects a second (goal: p99 of 20 ms at most)", dict(how="churn", count=10_000)),
    ]
    _, requests = READINGS["acceleration"]
    crowds = [
        ("row 11, 1,024 clients that never read (goal: 64 MiB)", requests),
        ("row 11, 1,024 clients that never read, each with a batch of its own (goal: 64 MiB)", [
            {"resource": "accelerometer", "intervalNanoseconds": "INTERVAL", "batchNanoseconds": 20_000_000_000}]),
    ]
    return [
        *(Step(f"faults: {case}", functools.partial(attacked, bench, seconds, case, **attack)) for case, attack in attacks),
        *(Step(f"faults: {case}", functools.partial(crowded, bench, case, requests)) for case, requests in crowds),
    ]


def attacked(bench, seconds, case, how=None, count=0, *, stuck=0, descriptors=None):
    """Readings every 10 ms to some neighbours of an attack, in one run before and under it."""
    with bench.started(Broker, READINGS["acceleration"][1]) as broker, contextlib.ExitStack() as attack:
        os.chmod(broker.path, 0o755)
        os.chmod(broker.address, 0o666)
        with broker.clients(NEIGHBOURS) as neighbours:
            neighbours.wait_ready()
            before = window(broker, neighbours, seconds)
        neighbours = attack.enter_context(broker.clients(NEIGHBOURS))
        neighbours.wait_ready()
        if descriptors:
            resource.prlimit(broker.processes[0].pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
        if stuck:
            attack.enter_context(broker.clients(stuck, behaviour="stuck"))
        users = STRANGERS if os.geteuid() == 0 else [None]
        attackers = [attacker(how, count // len(users), broker.address, user) for user in users if how]
        bench.note("faults", case, broker.name, window(broker, neighbours, seconds))
        done = sum(end(process) for process in attackers)
        if how in UNITS:
            bench.note("faults", case, broker.name, {UNITS[how]: done})
        bench.note("faults", case, BEFORE, before)


def attacker(how, count, address, user):
    command = [sys.executable, HERE / "load/attack.py", how, count, address, *([user] if user else [])]
    process = start(command, LOAD_CORES, stdout=subprocess.PIPE, text=True)
    if process.stdout.readline() != "ready\n":
        raise RuntimeError(f"no attack: {how}")
    return process


def end(process):
    """What it did a second."""
    stop(process)
    return float(process.stdout.read())


def window(broker, clients, seconds):
    # What it costs to come in is over.
    time.sleep(1)
    spent = broker.nanoseconds()
    clients.open()
    began = time.monotonic()
    time.sleep(seconds)
    spent, took = broker.nanoseconds() - spent, time.monotonic() - began
    counted = clients.close()
    return {
        "processor time, percent of a core": spent / took / 1e7,
        "p50 of a neighbour, microseconds": counted["p50"] / 1000,
        "p99 of a neighbour, microseconds": counted["p99"] / 1000,
        "messages a neighbour had each second": counted["messages"] / NEIGHBOURS / took,
        "readings that neighbours lost": counted["lost"],
    }


def crowded(bench, case, requests):
    with bench.started(Broker, requests) as broker:
        broker.call = broker.call.replace(b'"INTERVAL"', b"INTERVAL")
        before = broker.resident_kibibytes()
        with broker.clients(CROWD, behaviour="stuck", lanes=CROWD) as crowd:
            crowd.wait_ready()
            # Until batches are full and queues too.
            time.sleep(5 if bench.quick else 25)
            bench.note("faults", case, broker.name, {"resident, KiB": broker.resident_kibibytes()})
            bench.note("faults", case, BEFORE, {"resident, KiB": before})
