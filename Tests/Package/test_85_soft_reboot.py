"""A soft-reboot: all of the host but its kernel is started anew. systemd 254, of which Debian 12 has none."""

import contextlib
import os
import pathlib

import pytest

from host import SERVICE, SOCKETS, attempt, eventually, main_process, run, show
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Closed

TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
VERSION = int(run("systemctl", "--version").split()[1])


@contextlib.contextmanager
def mounts_kept():
    """What init has mounted is in use, so that it stays mounted."""
    with open("/proc/self/mounts") as file:
        points = [line.split()[1] for line in file]
    files = [os.open(point, os.O_RDONLY) for point in points if pathlib.Path(point).is_dir()]
    try:
        yield
    finally:
        for file in files:
            os.close(file)


def soft_reboots():
    return int(attempt("systemctl", "show", "--property", "SoftRebootsCount", "--value").stdout.strip() or -1)


@pytest.mark.skipif(VERSION < 256, reason=f"NOT RUN: systemd {VERSION} has no soft-reboot, or does not count them")
def test_a_soft_reboot_ends_streams_and_the_next_client_is_served(broker, sensor):
    before, former = soft_reboots(), main_process()
    with mounts_kept(), Stream(broker, TAP) as stream:
        stream.until(lambda stream: stream.samples, "readings before")
        run("systemctl", "soft-reboot")
        with contextlib.suppress(Closed):
            stream.read_to_end()
        assert stream.ended in (None, "shutdown") and not stream.gaps
        until(lambda: soft_reboots() == before + 1, "the host to come back")
    # What the boot of a host without tests starts.
    run("systemctl", "start", "sockets.target")
    eventually(lambda: all(show("ActiveState", socket) == "active" for socket in SOCKETS), "the sockets")
    with Stream(broker, TAP) as stream:
        stream.until(lambda stream: stream.samples, "readings after")
        assert not stream.gaps
    assert main_process() not in (0, former) and show("NRestarts", SERVICE) == "0"
