"""What a delivered reading costs the server, by kind of message, number of clients, and whether they are processes."""

import functools

from .bench import Step
from .systems import READINGS, BareLoop, Broker, DBus
from .window import measure

RIVALS = (BareLoop, DBus)
# In processes of their own; one client is the same either way.
PROCESSES = [
    ("acceleration", 10), ("acceleration", 100), ("acceleration", 1000),
    ("acceleration batch", 100), ("acceleration batch", 1000),
    ("location", 100), ("location", 1000),
]


def cases(quick):
    """(kind, clients, in processes of their own)"""
    if quick:
        return [("acceleration", 1, False), ("acceleration", 100, False), ("acceleration batch", 100, False), ("location", 100, False)]
    return [(kind, count, False) for kind in READINGS for count in (1, 10, 100, 1000)] + [(*case, True) for case in PROCESSES]


def label(kind, count, processes):
    return f"{kind}, {count} {'processes' if processes else 'client' if count == 1 else 'clients'}"


def steps(bench):
    return [Step(f"fan-out: {label(*case)}", functools.partial(run, bench, case)) for case in cases(bench.quick)]


def run(bench, case):
    kind, count, _ = case
    hertz, requests = READINGS[kind]
    message = bench.message(kind)
    with bench.started(Broker, requests) as broker:
        record(bench, broker, case)
    for rival in RIVALS:
        with bench.started(rival, hertz, message) as system:
            record(bench, system, case)


def record(bench, system, case):
    kind, count, processes = case
    # Where few messages come, for longer.
    seconds = bench.seconds * (1 if READINGS[kind][0] >= 100 else 1.5 if count >= 100 else 2)
    figures = measure(system, count, seconds, processes=processes)
    bench.note("fan-out", label(*case), system.name, {
        "microseconds of all threads per message": figures["whole"] / 1000,
        "bytes per message": figures["bytes"],
    })
