"""One owner for one device, whatever other programs do."""

import ctypes
import errno
import time

import pytest

from daemon import Daemon
from stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def open_as_libiio_does(device):
    """What any other program with libiio does to a device that is in use; returns the error that it gets."""
    iio = ctypes.CDLL("libiio.so.0", use_errno=True)
    for name in ("iio_create_local_context", "iio_context_find_device", "iio_device_find_channel",
                 "iio_device_create_buffer"):
        getattr(iio, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(iio.iio_create_local_context())
    found = ctypes.c_void_p(iio.iio_context_find_device(context, device.encode()))
    channel = ctypes.c_void_p(iio.iio_device_find_channel(found, b"accel_x", False))
    iio.iio_channel_enable(channel)
    buffer = iio.iio_device_create_buffer(found, ctypes.c_size_t(4), False)
    error = ctypes.get_errno()
    assert buffer is None
    iio.iio_context_destroy(context)
    return error


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
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: len(stream.samples) > 20, "some samples")
        began = time.monotonic()
        assert open_as_libiio_does(sensor.id) == errno.EBUSY
        stream.until(lambda stream: any(state == "unavailable" for _, state, _ in stream.states), "it to be told")
        assert time.monotonic() - began < 1.5
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 20, "further samples")
        assert stream.states[-1][1] == "active"
        assert [gap["cause"] for gap in stream.gaps] == ["deviceLost"]
    assert "another program" in daemon.output()
