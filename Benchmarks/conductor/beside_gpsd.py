"""What it costs to give each epoch of a receiver to N programs: gpsd to its own watchers, or gpsd to the broker and that to its clients."""

import functools
import time

from .bench import Step
from .systems import READINGS, Broker, Gpsd
from .window import measure

# The last is as many as gpsd lets in.
COUNTS = (1, 10, Gpsd.most_clients)
# The broker learns in the first fifty epochs how many reports one has, and waits for the next one until then.
LEARNING_SECONDS = 8
# The ratios wander by a half from round to round.
ROUNDS = 9
BOTH = "microseconds of all threads per epoch, with the gpsd before it"


def steps(bench):
    return [Step(f"gpsd: {label(count)}", functools.partial(run, bench, count), None if bench.quick else ROUNDS) for count in COUNTS]


def label(count):
    return f"an epoch at 10 Hz, {count} client{'s' if count > 1 else ''}"


def run(bench, count):
    hertz, requests = READINGS["location"]
    seconds = (2 if bench.quick else 4) * bench.seconds
    with bench.started(Gpsd, hertz) as gpsd:
        with bench.started(Broker, requests, "--gpsd", gpsd.address) as broker:
            figures = measure(broker, count, seconds, settling=LEARNING_SECONDS)
            spent, began = gpsd.nanoseconds(), time.monotonic()
            time.sleep(seconds)
            beside = (gpsd.nanoseconds() - spent) / (time.monotonic() - began) / hertz
        record(bench, broker, count, figures, beside)
    with bench.started(Gpsd, hertz) as gpsd:
        record(bench, gpsd, count, measure(gpsd, count, seconds), 0)


def record(bench, system, count, figures, beside):
    bench.note("gpsd", label(count), system.name, {
        "microseconds of all threads per message": figures["whole"] / 1000,
        BOTH: (figures["whole"] * count + beside) / 1000,
        "bytes per message": figures["bytes"],
    })
