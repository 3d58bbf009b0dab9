"""Somebody sets the host's clock while readings flow: a schedule that knows the wall clock would stop, or burst."""

import time

from sensor import counters, device_gaps
from stream import Stream, boot_nanoseconds

MILLISECOND = 1_000_000
HOUR = 3_600


def test_a_clock_that_is_set_by_an_hour_moves_no_reading(sensor, daemon):
    interval = 20 * MILLISECOND
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": interval}) as stream:
        stream.until(lambda s: len(s.samples) > 50, "samples")
        began = len(stream.samples)
        for step in (HOUR, -HOUR, -HOUR, HOUR):
            time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + step)
            count = len(stream.samples)
            stream.until(lambda s: len(s.samples) > count + 40, "samples after the step")
            assert abs(boot_nanoseconds() - stream.samples[-1][0]) < 30_000 * MILLISECOND, "stamped by the wall clock"
        stamps = [stamp for stamp, _, _ in stream.samples[began:]]
        drift = (stamps[-1] - stamps[0]) - (len(stamps) - 1) * interval
        assert abs(drift) <= 2 * interval, drift
        assert not device_gaps(stream)
        # What is left out between two of them is always alike: none came twice, none is missing.
        numbers = counters(stream.samples[began:])
        assert len({later - earlier for earlier, later in zip(numbers, numbers[1:])}) <= 2, numbers
