"""What a delivered reading costs the server, by kind of message, number of clients, and whether they are processes."""

from .systems import READINGS, BareLoop, Broker, DBus, Gpsd
from .window import measure

RIVALS = {"bare C loop": BareLoop, "D-Bus": DBus}


def cases(quick):
    """(kind, clients, in processes of their own)"""
    if quick:
        return [("acceleration", 1, False), ("acceleration", 100, False), ("acceleration batch", 100, False), ("location", 100, False)]
    counts = (1, 10, 100, 1000)
    return [(kind, count, processes) for kind in READINGS for processes in (False, True) for count in counts]


def run(bench):
    for case in cases(bench.quick):
        kind, count, processes = case
        hertz, requests = READINGS[kind]
        with bench.started(Broker, requests) as broker:
            message = broker.message()
            record(bench, broker, case)
        for rival in RIVALS.values():
            # A bus of a thousand processes measures the machine's memory, and takes its time.
            if rival is DBus and bench.quick and count != 100:
                continue
            with bench.started(rival, hertz, message) as system:
                record(bench, system, case)
        if kind == "location" and count <= Gpsd.most_clients:
            with bench.started(Gpsd, hertz) as gpsd:
                record(bench, gpsd, case)


def record(bench, system, case):
    kind, count, processes = case
    label = f"{kind}, {count} {'processes' if processes else 'clients'}"
    seconds = bench.seconds * (2 if READINGS[kind][0] < 50 else 1)
    figures = measure(system, count, seconds, processes=processes)
    bench.note("fan-out", label, system.name, {
        "microseconds of the serving thread per message": figures["serving"] / 1000,
        "microseconds of all threads per message": figures["whole"] / 1000,
        "bytes per message": figures["bytes"],
    })
