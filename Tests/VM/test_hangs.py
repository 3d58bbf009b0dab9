"""A sensor that blocks the kernel, and with it every process that writes an attribute."""

import collections

from sensor import device_gaps
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection

BROKER = "io.sensorbroker.Broker"
REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def test_a_driver_that_hangs_affects_only_its_own_resource(plug, start):
    """Each write to the second sensor takes the kernel five seconds, and several are needed to open it."""
    first, second = plug("A1"), plug("B2")
    daemon = start("--gpsd", "localhost:1")
    with Stream(daemon.broker, REQUEST) as healthy:
        healthy.until(lambda stream: len(stream.samples) > 10, "samples of the healthy sensor")
        second.tell("mute")
        with Stream(daemon.broker, {**REQUEST, "resource": "accelerometer:1"}) as stuck:
            connection = Connection(daemon.broker)
            # How many times the daemon answered while one write hung.
            answered = collections.Counter()
            while stuck.states[-1][1] != "unavailable":
                write = second.tell("stats")["unanswered"]
                connection.result(f"{BROKER}.ListResources")
                count = len(healthy.samples)
                healthy.until(lambda stream: len(stream.samples) > count + 10, "further samples meanwhile")
                if write > 0 and second.tell("stats")["unanswered"] == write:
                    answered[write] += 1
                stuck.note_what_is_there()
            assert max(answered.values(), default=0) >= 3, "who calls waits as long as a write hangs"
            assert not stuck.samples, "made up"
            second.tell("talk")
            stuck.until(lambda stream: len(stream.samples) > 10, "samples of the sensor that answers again")
            assert stuck.states[-1][1] == "active"
            connection.close()
        assert not device_gaps(healthy)


def test_the_exit_does_not_wait_for_a_write_that_hangs(sensor, start):
    """It waits half a second for the driver, and logs that; a write hangs for five seconds.

    On a busy host the write may have ended before the daemon checks, so the test tries again.
    """
    while True:
        daemon = start("--gpsd", "localhost:1")
        sensor.tell("mute")
        with Stream(daemon.broker, REQUEST):
            before = sensor.tell("stats")["unanswered"]
            until(lambda: sensor.tell("stats")["unanswered"] > before, "a write hangs")
            daemon.stop()
        sensor.tell("talk")
        if "did not return in time" in daemon.output():
            return
