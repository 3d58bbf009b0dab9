"""The broker and iiod, one after the other on the same device by the same libiio: what a delivered buffer costs, how late it
is, and what one client's ways do to another."""

import functools

from .bench import Step
from .iio import Accelerometer, Iiod
from .systems import ACCELEROMETER, Broker, subscription
from .window import measure, observe

BATCH_NANOSECONDS = 100_000_000
# (what is said of it, how the neighbour behaves, how many seconds it takes to have its effect)
NEIGHBOURS = [
    ("alone", None, 0.5),
    ("beside one that takes 100 ms at a time", "big", 0.5),
    ("beside one that dawdles", "slow", 0.5),
    ("beside one that stopped reading", "stuck", 8),
]


def steps(bench):
    counts = (10,) if bench.quick else (1, 10, 100)
    kinds = [("100 Hz", 100, 0), ("1,000 Hz in buffers of 100 ms", 1000, BATCH_NANOSECONDS)]
    cases = [
        (f"{kind}, {count} {'client' if count == 1 else 'clients'}", hertz, batch, count)
        for kind, hertz, batch in (kinds[:1] if bench.quick else kinds) for count in counts]
    found = [Step(f"iiod: {case[0]}", functools.partial(cost, bench, *case)) for case in cases]
    if not bench.quick:
        found += [Step(f"iiod: one client, {case[0]}", functools.partial(beside, bench, *case), rounds=1) for case in NEIGHBOURS]
    return found


def request(hertz, batch=0):
    return {**ACCELEROMETER, "intervalNanoseconds": 1_000_000_000 // hertz, "batchNanoseconds": batch}


def cost(bench, label, hertz, batch, count):
    # Few messages come where they are batches.
    seconds = bench.seconds * (2 if batch else 1)
    with bench.started(Accelerometer, hertz) as sensor:
        with bench.started(Broker, [request(hertz, batch)], *sensor.broker_options, inside=sensor.inside) as broker:
            record(bench, label, broker, count, measure(broker, count, seconds), batch)
        with bench.started(Iiod, sensor) as iiod:
            samples = max(1, hertz * batch // 1_000_000_000)
            record(bench, label, iiod, count, measure(iiod, count, seconds, samples=samples), batch)


def record(bench, label, system, count, figures, batch):
    bench.note("iiod", label, system.name, {
        "microseconds of all threads per message": figures["whole"] / 1000,
        # A batch's time is that of its first sample at the broker, and of its last one at iiod.
        **({} if batch else percentiles(figures)),
        "bytes per message": figures["bytes"],
        "samples a second for each client": figures["samples"] / figures["seconds"] / count,
        "lost": figures["lost"]})


def percentiles(figures):
    return {f"{key}, microseconds": figures[key] / 1000 for key in ("p50", "p99")} if figures["messages"] else {}


def beside(bench, label, neighbour, settling):
    seconds = 2 * bench.seconds
    with bench.started(Accelerometer, 1000) as sensor:
        with bench.started(Broker, [request(1000)], *sensor.broker_options, inside=sensor.inside) as broker:
            if neighbour == "big":
                with broker.clients(1, call=subscription([request(1000, BATCH_NANOSECONDS)])) as big:
                    big.wait_ready()
                    told(bench, label, broker, observe(broker, 1, seconds, settling=settling))
            else:
                told(bench, label, broker, observe(broker, 1, seconds, [(neighbour, 1)] if neighbour else [], settling=settling))
        if neighbour == "stuck":
            sensor.shrink_buffers()
        with bench.started(Iiod, sensor) as iiod:
            told(bench, label, iiod, observe(iiod, 1, seconds, settling=settling, neighbour=neighbour))


def told(bench, label, system, figures):
    bench.note("iiod", f"one client of 1,000 Hz {label}", system.name, {
        "samples a second": figures["samples"] / figures["seconds"], **percentiles(figures)})
