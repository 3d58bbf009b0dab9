"""One owner for one device, whatever other programs do."""

import errno
import subprocess
import sys
import time

from daemon import Daemon
from stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


# What any other program with libiio does to a device that is in use; then it lives on for a while.
FOREIGN = """
import ctypes, sys
iio = ctypes.CDLL("libiio.so.0", use_errno=True)
for name in ("iio_create_local_context", "iio_context_find_device", "iio_device_find_channel", "iio_device_create_buffer"):
    getattr(iio, name).restype = ctypes.c_void_p
device = ctypes.c_void_p(iio.iio_context_find_device(ctypes.c_void_p(iio.iio_create_local_context()), sys.argv[1].encode()))
iio.iio_channel_enable(ctypes.c_void_p(iio.iio_device_find_channel(device, b"accel_x", False)))
buffer = iio.iio_device_create_buffer(device, ctypes.c_size_t(4), False)
print("has it" if buffer else ctypes.get_errno(), flush=True)
sys.stdin.read()
"""


class Foreigner:
    """A program that opens a device as if it were alone; `answer` is the error that it gets, or that it has it."""

    def __init__(self, device):
        self.process = subprocess.Popen(
            [sys.executable, "-c", FOREIGN, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate("")


def test_a_second_broker_is_refused_and_disturbs_nothing(daemon, directory):
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        second = Daemon(directory, "--instance", "second", "--gpsd", "localhost:2")
        assert second.wait() == 69
        assert str(daemon.pid) in second.output()
        second.close()
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 20, "further samples")
        assert not stream.gaps


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
            assert [gap["cause"] for gap in stream.gaps] == ["deviceLost"]
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
            foreigner.process.communicate("")
            stream.until(lambda stream: stream.samples, "a first sample")
