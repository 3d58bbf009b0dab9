"""The clock of all timestamps, CLOCK_BOOTTIME, beside the wall clock."""

from __future__ import annotations

import datetime
import time

#: To read three clocks takes less than this, unless something comes between.
_QUICK_NS = 20_000
_CLOCK_BOOTTIME: int = getattr(time, "CLOCK_BOOTTIME", 7)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def now_ns() -> int:
    """The present instant of CLOCK_BOOTTIME, the clock of all timestamps."""
    return time.clock_gettime_ns(_CLOCK_BOOTTIME)


def wall_clock_offset_ns() -> int:
    """What to add to a timestamp for the nanoseconds since 1970 (UTC), by the host's wall clock as it is set now."""
    # Whoever interrupts this between two clocks makes the offset wrong: of some tries the quickest counts.
    offset, shortest = 0, 1 << 62
    for _ in range(5):
        before = now_ns()
        wall = time.time_ns()
        took = now_ns() - before
        if took < shortest:
            offset, shortest = wall - (before + took // 2), took
        if shortest < _QUICK_NS:
            break
    return offset


def wall_time(timestamp_ns: int) -> datetime.datetime:
    return EPOCH + datetime.timedelta(microseconds=(timestamp_ns + wall_clock_offset_ns()) // 1000)
