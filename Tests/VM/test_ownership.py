"""One owner for one device, whatever other programs do."""

import errno
import time

from daemon import Daemon
from foreigner import Foreigner
from sensor import device_gaps
from stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def test_a_second_broker_is_refused_and_disturbs_nothing(daemon, directory):
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        second = Daemon(directory, "--instance", "second", "--gpsd", "localhost:2")
        assert second.wait() == 69
        assert str(daemon.pid) in second.output()
        second.close()
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 20, "further samples")
        assert not device_gaps(stream)


def test_a_program_that_switches_the_buffer_off_is_noticed_within_a_second_and_capture_taken_back(sensor, daemon):
    told = []
    for interval in (10_000_000, 1_000_000_000, 100_000_000):
        with Stream(daemon.broker, {**REQUEST, "intervalNanoseconds": interval}) as stream:
            stream.until(lambda stream: len(stream.samples) > 2, "some samples")
            with Foreigner(sensor.id) as foreigner:
                began = time.monotonic()
                assert foreigner.answer == str(errno.EBUSY)
                stream.until(lambda stream: stream.states[-1][1] == "unavailable", "it to be told")
                told.append(time.monotonic() - began)
                assert "switched off" in stream.states[-1][2] and str(foreigner.process.pid) in stream.states[-1][2]
                count = len(stream.samples)
                stream.until(lambda stream: len(stream.samples) > count + 2, "further samples")
            assert stream.states[-1][1] == "active"
            assert device_gaps(stream) == ["deviceLost"]
    # What is promised, of most of them: the machine may have been busy with something else.
    assert sorted(told)[1] < 1, told
    assert "accelerometer is unavailable: another program" in daemon.output()


def test_a_program_that_had_the_device_first_is_named_and_left_alone(sensor, start):
    with Foreigner(sensor.id) as foreigner:
        assert foreigner.answer == "has it"
        daemon = start("--gpsd", "localhost:1")
        with Stream(daemon.broker, REQUEST) as stream:
            stream.until(lambda stream: stream.states[-1][1] == "unavailable", "that it is in use")
            assert str(foreigner.process.pid) in stream.states[-1][2]
            assert sensor.read("buffer/enable") == "1" and sensor.read("buffer/length") == "16"
            foreigner.leave()
            stream.until(lambda stream: stream.samples, "a first sample")
