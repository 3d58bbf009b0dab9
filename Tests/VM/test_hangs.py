"""A sensor that leaves the kernel waiting, and with it whoever writes an attribute."""

import time

from sensor import device_gaps
from stream import Stream
from wire import Connection

BROKER = "io.sensorbroker.Broker"
REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def test_a_driver_that_hangs_takes_nothing_with_it_but_its_own_resource(plug, start):
    """Each write to the second sensor takes the kernel five seconds, and several are needed to open it."""
    first, second = plug("A1"), plug("B2")
    daemon = start("--gpsd", "localhost:1")
    with Stream(daemon.broker, REQUEST) as healthy:
        healthy.until(lambda stream: len(stream.samples) > 10, "samples of the healthy sensor")
        second.tell("mute")
        with Stream(daemon.broker, {**REQUEST, "resource": "accelerometer:1"}) as stuck:
            connection = Connection(daemon.broker)
            deadline = time.monotonic() + 30
            longest = 0
            while stuck.states[-1][1] != "unavailable":
                assert time.monotonic() < deadline, stuck.states
                began = time.monotonic()
                connection.result(f"{BROKER}.ListResources")
                longest = max(longest, time.monotonic() - began)
                count = len(healthy.samples)
                healthy.until(lambda stream: len(stream.samples) > count + 10, "further samples meanwhile")
                stuck.note_what_is_there()
            assert longest < 4, "as long as a write that hangs"
            assert not stuck.samples, "made up"
            second.tell("talk")
            stuck.until(lambda stream: len(stream.samples) > 10, "samples of the sensor that answers again")
            assert stuck.states[-1][1] == "active"
            connection.close()
        assert not device_gaps(healthy)
    second.tell("mute")
    with Stream(daemon.broker, {**REQUEST, "resource": "accelerometer:1", "intervalNanoseconds": 5_000_000}):
        began = time.monotonic()
        daemon.stop()
        assert time.monotonic() - began < 3
    second.tell("talk")
