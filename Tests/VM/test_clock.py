"""The host's clock is set while readings flow: a schedule on the wall clock would stop, or burst."""

import time

from tools.rates import Witnesses, check_account
from sensor import counters, device_gaps
from tools.stream import Stream, boot_nanoseconds

MILLISECOND = 1_000_000
HOUR = 3_600


def test_setting_the_clock_by_an_hour_affects_no_reading(sensor, daemon):
    interval = 20 * MILLISECOND
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": interval}) as stream:
        stream.until(lambda s: len(s.samples) > 50, "samples")
        began = len(stream.samples)
        for step in (HOUR, -HOUR, -HOUR, HOUR):
            time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + step)
            count = len(stream.samples)
            stream.until(lambda s: len(s.samples) > count + 40, "samples after the step")
            assert abs(boot_nanoseconds() - stream.samples[-1][0]) < 600_000 * MILLISECOND, "stamped by the wall clock"
        samples = stream.samples[began:]
        assert not device_gaps(stream)
        # The sensor measures once per interval: no sample came twice, and none is missing.
        gaps = check_account(stream, began, Witnesses([stream]))
        drift = (samples[-1][0] - samples[0][0]) - (len(samples) - 1 + sum(gap["count"] for gap in gaps)) * interval
        assert abs(drift) <= 2 * interval, drift
        numbers = counters(samples)
        assert numbers[-1] - numbers[0] == samples[-1][1] - samples[0][1], numbers
