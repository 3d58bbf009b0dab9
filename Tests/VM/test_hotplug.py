"""A device that goes and comes back."""

import time

from sensor import assert_all_told, counters
from stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def test_unplugged_and_plugged_again_twenty_times_under_load(sensor, daemon):
    with Stream(daemon.broker, REQUEST) as stream:
        told, back = [], []
        for _ in range(20):
            stream.until(lambda stream: stream.states[-1][1] == "active", "the sensor")
            sensor.unplug()
            began = time.monotonic()
            stream.until(lambda stream: stream.states[-1][1] == "unavailable", "the loss")
            told.append(time.monotonic() - began)
            sensor.plug()
            began, count = time.monotonic(), len(stream.samples)
            stream.until(lambda stream: len(stream.samples) > count, "a sample of the sensor that is back")
            back.append(time.monotonic() - began)
        print("told after", sorted(told)[10], max(told), "back after", sorted(back)[10], max(back))
        assert max(told) < 1.5 and max(back) < 3
        assert {gap["cause"] for gap in stream.gaps} == {"deviceLost"} and len(stream.gaps) == 20
