"""Whether streams went on: what they missed, and what they were told of it."""

import contextlib
import select
import threading

from administration import device
from stream import boot_nanoseconds, read_all

MILLISECOND = 1_000_000


def restarts_told(stream, resource="accelerometer"):
    """Gaps of restarts; a reader that is slow for other reasons may be told of that as well."""
    return [gap for gap in stream.gaps if gap["resource"] == resource and gap["cause"] == "restarted"]


def missing(stream, interval):
    """Readings that an interval would have brought between the first and the last, and that did not come."""
    stamps = [stamp for stamp, _, _ in stream.samples]
    # Where a busy host stalls the source, what is held comes before its place, and the next one in its place again.
    while len(stamps) > 2 and stamps[-1] - stamps[-2] < interval * 3 // 4:
        stamps.pop()
    return round((stamps[-1] - stamps[0]) / interval) - (len(stamps) - 1)


def told(stream):
    return sum(gap["count"] for gap in stream.gaps)


def untold(stream, step):
    """Where readings are further apart than a step, and gaps do not say so: from when to when, and what is told of it."""
    stamps = [stamp for stamp, _, _ in stream.samples]
    assert stamps == sorted(set(stamps)), "twice, or out of order"
    holes = []
    for earlier, later in zip(stamps, stamps[1:]):
        near = sorted((max(gap["fromNanoseconds"], earlier), gap["untilNanoseconds"], gap["cause"]) for gap in stream.gaps
                      if gap["fromNanoseconds"] <= later and gap["untilNanoseconds"] >= earlier)
        reached = earlier
        for start, end, _ in near:
            if start <= reached + step:
                reached = max(reached, end)
        if reached < later - step:
            holes.append((earlier, later, near))
    return holes


def go_on(streams):
    """Waits until each has two readings of after now: the first one behind a hole may be late, and off its grid."""
    now = boot_nanoseconds()
    read_all(streams, lambda: all(len(stream.samples) > 1 and stream.samples[-2][0] > now for stream in streams),
             "further readings")


def settle(daemon, streams, period):
    """Waits until their device runs at its pace, and leaves out what came before: it was not measured at that pace yet."""
    while device(daemon).get("deviceIntervalNanoseconds") != period:
        go_on(streams)
    go_on(streams)
    for stream in streams:
        del stream.samples[:-1], stream.came[:-1]


def is_told(stream, interval):
    """Whether all that is missing is told, once."""
    return missing(stream, interval) == told(stream)


@contextlib.contextmanager
def reading(streams):
    """Has all streams read meanwhile by a thread; what befalls them is raised in the end."""
    enough = threading.Event()
    faults = []

    def read():
        try:
            while not enough.is_set():
                for stream in select.select(streams, [], [], 0.05)[0]:
                    stream.note_some()
        except Exception as fault:  # raised below
            faults.append(fault)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()
    if faults:
        raise faults[0]


@contextlib.contextmanager
def knocking(connect, count=4):
    """Has some threads connect and call meanwhile, again and again.

    Yields what was served, which connects were refused, and which calls had no answer after all, as it grows.
    """
    enough = threading.Event()
    served, refused, cut = [], [], []

    def knock():
        while not enough.is_set():
            try:
                client = connect()
            except OSError as fault:
                refused.append(repr(fault))
                continue
            try:
                with client:
                    client.result("org.varlink.service.GetInfo")
                served.append(1)
            except Exception as fault:  # whatever it is
                cut.append(repr(fault))

    threads = [threading.Thread(target=knock) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield served, refused, cut
    finally:
        enough.set()
        for thread in threads:
            thread.join()
