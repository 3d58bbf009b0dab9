"""One owner for one device, whatever other programs do."""

import errno
import os
import socket
import tempfile

import pytest

from tools import users
from tools.daemon import Daemon
from foreigner import Foreigner
from sensor import assert_all_told, device_gaps
from tools.stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


# With other run-time files, and the sensors seen through a mount of its own.
ELSEWHERE = ["unshare", "--mount", "sh", "-c", 'umount -l /sys && mount -t sysfs sys /sys && mount -t tmpfs run /run && exec "$0" "$@"']
STRANGER = ["setpriv", f"--reuid={users.ALICE}", f"--regid={users.ALICE}", "--clear-groups"]


@pytest.mark.parametrize("prefix, is_beside", [([], True), ([], False), (ELSEWHERE, False), (STRANGER, False),
                                               (ELSEWHERE + STRANGER, False)])
def test_a_second_broker_is_refused_and_disturbs_nothing(sensor, daemon, directory, prefix, is_beside):
    """Whatever its user, runtime directory and mounts; its user may open the sensor."""
    os.chmod(f"/dev/{sensor.id}", 0o666)
    place = directory if is_beside else tempfile.mkdtemp(prefix="sb-")
    if prefix[-3:] == STRANGER[-3:]:
        os.chown(place, users.ALICE, users.ALICE)
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        second = Daemon(place, *(["--instance", "second"] if is_beside else []), "--gpsd", "localhost:2", prefix=prefix)
        assert second.wait() == 69, second.output()
        assert f"pid {daemon.pid}" in second.output() and "IIO sensors" in second.output()
        second.close()
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 20, "further samples")
        assert not device_gaps(stream)
        assert_all_told(stream)


@pytest.mark.parametrize("mode, may_open", [(0o600, False), (0o660, False), (0o666, True)])
def test_only_a_user_who_may_open_the_sensor_can_lock_it(sensor, directory, mode, may_open):
    """Any user can take the name of the lock, but it counts only if that user may open the sensor."""
    os.chmod(f"/dev/{sensor.id}", mode)
    devices = os.stat("/sys/bus/iio/devices")
    with socket.socket(socket.AF_UNIX) as lock:
        with users.as_user(users.BOB):
            lock.bind(f"\0sensorbroker/iio/{devices.st_dev}.{devices.st_ino}")
            lock.listen()
        daemon = Daemon(directory, "--gpsd", "localhost:1")
        try:
            if may_open:
                assert daemon.wait() == 69, daemon.output()
            else:
                with Stream(daemon.await_ready().broker, REQUEST) as stream:
                    stream.until(lambda stream: len(stream.samples) > 20, "samples")
                    assert not device_gaps(stream)
                assert "so the lock is ignored; end that process" in daemon.output()
                daemon.stop()
            assert f"pid {os.getpid()} holds" in daemon.output() and f"user {users.BOB}" in daemon.output()
        finally:
            daemon.close()


def test_a_program_that_disables_the_buffer_is_noticed_and_capture_resumes(sensor, daemon):
    """However slow the sensor is; SilenceWatchTests tests the half second in which the buffer is checked."""
    for interval in (10_000_000, 1_000_000_000, 100_000_000):
        with Stream(daemon.broker, {**REQUEST, "intervalNanoseconds": interval}) as stream:
            # One that is opened anew, as it is when it slows down, is nobody's for a moment.
            stream.until(lambda stream: sensor.tell("stats")["interval"] == interval // 1_000_000 and sensor.read("buffer/enable") == "1",
                         "the sensor at that interval")
            stream.until(lambda stream: len(stream.samples) > 2, "some samples")
            with Foreigner(sensor.id) as foreigner:
                assert foreigner.answer == str(errno.EBUSY)
                stream.until(lambda stream: stream.states[-1][1] == "unavailable", "it to be told")
                assert "switched off" in stream.states[-1][2] and str(foreigner.process.pid) in stream.states[-1][2]
                count = len(stream.samples)
                stream.until(lambda stream: len(stream.samples) > count + 2, "further samples")
            assert stream.states[-1][1] == "active"
            # The device may still have run at the interval of the last round when this one began.
            assert [cause for cause in device_gaps(stream) if cause != "reconfigured"] == ["deviceLost"]
    assert "accelerometer is unavailable: another program" in daemon.output()


def test_a_program_that_opened_the_device_first_is_named_and_left_alone(sensor, start):
    with Foreigner(sensor.id) as foreigner:
        assert foreigner.answer == "has it"
        daemon = start("--gpsd", "localhost:1")
        with Stream(daemon.broker, REQUEST) as stream:
            stream.until(lambda stream: stream.states[-1][1] == "unavailable", "that it is in use")
            assert str(foreigner.process.pid) in stream.states[-1][2]
            assert sensor.read("buffer/enable") == "1" and sensor.read("buffer/length") == "16"
            foreigner.leave()
            stream.until(lambda stream: stream.samples, "a first sample")
