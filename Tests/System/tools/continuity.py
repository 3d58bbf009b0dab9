"""Checks that streams continue across a restart: what they missed, and what was reported to them."""

import contextlib
import select
import threading

from tools.account import STEADY, Account
from tools.administration import device
from tools.stream import boot_nanoseconds, read_all


def restarts_told(stream, resource="accelerometer"):
    """Gaps with the cause `restarted`; a reader that is slow for other reasons may get such a gap as well."""
    return [gap for gap in stream.gaps if gap["resource"] == resource and gap["cause"] == "restarted"]


def untold(stream, step):
    """Places where readings are further apart than a step without a gap that covers it: from when to when, and the gaps
    nearby.
    """
    return untold_between([stamp for stamp, _, _ in stream.samples], stream.gaps, step)


def untold_between(stamps, gaps, step):
    assert stamps == sorted(set(stamps)), "twice, or out of order"
    holes = []
    for earlier, later in zip(stamps, stamps[1:]):
        near = sorted((max(gap["fromNanoseconds"], earlier), gap["untilNanoseconds"], gap["cause"]) for gap in gaps
                      if gap["fromNanoseconds"] <= later and gap["untilNanoseconds"] >= earlier)
        reached = earlier
        for start, end, _ in near:
            if start <= reached + step:
                reached = max(reached, end)
        if reached < later - step:
            holes.append((earlier, later, near))
    return holes


def go_on(streams):
    """Waits until each stream has two readings from after now: the first one after a hole may be late, and off its
    grid.
    """
    now = boot_nanoseconds()
    read_all(streams, lambda: all(len(stream.samples) > 1 and stream.samples[-2][0] > now for stream in streams),
             "further readings")


def settle(daemon, streams, period):
    """Waits until the device runs at its final rate, and discards earlier readings, which were measured at another
    rate.
    """
    while device(daemon).get("deviceIntervalNanoseconds") != period:
        go_on(streams)
    go_on(streams)
    for stream in streams:
        del stream.samples[:-1], stream.came[:-1]


def has_rhythm(stream, interval, since):
    """Whether the latest readings are from after an instant, and one interval apart."""
    latest = [stamp for stamp, _, _ in stream.samples[-STEADY:]]
    return len(latest) == STEADY and latest[0] > since and Account(latest, stream.gaps[-4:], interval).is_steady


def go_on_steadily(counted, beside=()):
    """Waits until each of some streams, given with its interval, has regular readings from after now; reads others as
    well.
    """
    now = boot_nanoseconds()
    streams = dict.fromkeys([*(stream for stream, _ in counted), *beside])
    read_all(streams, lambda: all(has_rhythm(*pair, now) for pair in counted), "a rhythm")


def begin_steadily(counted, beside=()):
    """Goes on steadily, and discards what came before each rhythm, when the test itself may have been held up."""
    go_on_steadily(counted, beside)
    for stream, _ in counted:
        del stream.samples[:-STEADY], stream.came[:-STEADY]
        stream.gaps[:] = [gap for gap in stream.gaps if gap["untilNanoseconds"] > stream.samples[0][0]]


def misaccounted(counted, beside=()):
    """Places where due times of some streams, given with their intervals, were not delivered or reported exactly once;
    reads until that can be judged.
    """
    go_on_steadily(counted, beside)
    accounts = [Account.of(*pair) for pair in counted]
    for account in accounts:
        assert all(account.runs[0].stamps[0] < gap["untilNanoseconds"] for gap in account.gaps), "no rhythm before"
    return [str(stretch) for account in accounts for stretch in account.wrong]


@contextlib.contextmanager
def reading(streams):
    """Reads all streams in a thread meanwhile; an exception in it is raised at the end."""
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
    """Connects and calls repeatedly in some threads meanwhile.

    Yields the numbers of served connections, refused connections and unanswered calls, which grow.
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
