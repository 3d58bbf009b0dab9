"""Each situation of situations.py on a host with systemd: what programs notice, and what `sensorctl doctor` says of it."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

import installed_proxy
from foreigner import Foreigner
from host import (
    ADMIN_SOCKET, BROKER_SOCKET, CONFIGURATION, SERVICE, SOCKETS, attempt, configure, eventually, findings, main_process, run, show,
)
from situations import SITUATIONS
from tools.continuity import go_on, restarts_told
from tools.stream import MILLISECOND, Stream
from tools.waiting import until

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 200 * MILLISECOND}


@pytest.fixture(autouse=True)
def service(broker, sensor):
    run("udevadm", "settle")
    run("sensorctl", "list")
    yield
    attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
    run("systemctl", "start", *SOCKETS)


@contextlib.contextmanager
def no_gpsd(_):
    yield


@contextlib.contextmanager
def hanging_gpsd(_):
    words = "gpsd", "-N", "-n", "-F", "/run/gpsd-of-tests.sock"
    gpsd = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: "has no receiver" in findings().get("gpsd", ("",))[0], "a gpsd that answers")
        gpsd.send_signal(signal.SIGSTOP)
        yield
        # As after a while: no more connections wait for it.
        until(lambda: "accepts no more connections" in reason("location"), lambda: f"a full queue; it is: {reason('location')}")
        assert "listens there and sends nothing" in findings()["gpsd"][0]
        gpsd.send_signal(signal.SIGCONT)
        until(lambda: "has no receiver" in reason("location"), lambda: f"gpsd to be found; it is: {reason('location')}")
    finally:
        gpsd.kill()
        gpsd.wait()


@contextlib.contextmanager
def no_membership(_):
    yield


@contextlib.contextmanager
def no_group(_):
    run("groupmod", "-n", "elsewhere", "sensorbroker")
    try:
        yield
    finally:
        run("groupmod", "-n", "sensorbroker", "elsewhere")


@contextlib.contextmanager
def wrong_rights(sensor):
    os.chown(f"/dev/{sensor.id}", 0, 0)
    yield
    run("udevadm", "trigger", "--settle", "-s", "iio")


@contextlib.contextmanager
def held(_):
    run("sensorctl", "release", "accelerometer")
    try:
        with Foreigner("accel_3d") as other:
            assert other.answer == "has it"
            run("sensorctl", "reacquire", "accelerometer")
            yield
    finally:
        attempt("sensorctl", "reacquire", "accelerometer")


@contextlib.contextmanager
def proxy_beside(_):
    with installed_proxy.files():
        # Whichever comes first.
        with installed_proxy.claim(), streaming(BROKER_SOCKET) as stream:
            go_on([stream])
        with streaming(BROKER_SOCKET) as stream:
            for _ in range(2):
                with installed_proxy.claim():
                    until(lambda: "Device or resource busy" in installed_proxy.log(), "iio-sensor-proxy to get nothing")
                    go_on([stream])
                go_on([stream])
            assert {gap["cause"] for gap in stream.gaps} <= {"slowClient"}, stream.gaps
        yield


@contextlib.contextmanager
def wrong_configuration(_):
    configure("[Nonsense]\n")
    attempt("systemctl", "restart", SERVICE)
    try:
        yield
    finally:
        os.remove(CONFIGURATION)
        os.rmdir(os.path.dirname(CONFIGURATION))


@contextlib.contextmanager
def closed_sockets(_):
    run("systemctl", "stop", *SOCKETS)
    yield


@contextlib.contextmanager
def stopped_process(_):
    process = main_process()
    os.kill(process, signal.SIGSTOP)
    yield
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


MAKE = {
    "there is no gpsd": no_gpsd,
    "gpsd hangs": hanging_gpsd,
    "a user is not in the group": no_membership,
    "there is no group": no_group,
    "the rights of a sensor are wrong": wrong_rights,
    "another program holds the sensor": held,
    "iio-sensor-proxy is installed": proxy_beside,
    "the configuration has an error": wrong_configuration,
    "its sockets do not listen": closed_sockets,
    "the process does not answer": stopped_process,
}


@pytest.mark.parametrize("row", [row for row in SITUATIONS if row.subject], ids=lambda row: row.name)
def test_doctor_says_what_is_wrong_and_what_to_do(row, sensor):
    subject = row.subject.format(sensor=sensor.id)

    def says():
        words, remedy = findings(row.user, row.verdict).get(subject, ("", ""))
        return row.words in words and row.remedy in (remedy or "")

    with MAKE[row.name](sensor):
        until(says, lambda: f"{row.name}: {findings(row.user, row.verdict)}")
        if row.resource:
            until(lambda: row.reason in reason(row.resource), lambda: f"the reason; it is: {reason(row.resource)}")
    if row.name not in ("there is no gpsd", "a user is not in the group"):
        attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
        run("systemctl", "start", *SOCKETS)
        eventually(lambda: not says(), f"{row.name}: health again")


def reason(resource):
    """Why a resource is unavailable, as its clients are told."""
    lines = [json.loads(line) for line in run("sensorctl", "list", "--format", "json").splitlines()]
    return next((line.get("reason", "") for line in lines if line["name"] == resource), "")


# What doctor has nothing to say of


@contextlib.contextmanager
def streaming(broker):
    with Stream(broker, ACCELEROMETER) as stream:
        stream.until(lambda s: len(s.samples) > 2, "readings")
        yield stream


def test_a_full_disk_ends_a_recording_and_no_stream(broker, sensor, tmp_path):
    run("mount", "-t", "tmpfs", "-o", "size=16k", "full", tmp_path)
    try:
        with streaming(broker) as stream:
            result = attempt("sensorctl", "record", "accelerometer@20ms", tmp_path / "motion.ndjson")
            assert result.returncode == 74 and "the disk is full: make room" in result.stderr
            before = len(stream.samples)
            stream.until(lambda s: len(s.samples) > before + 2, "readings as before")
            assert not stream.gaps
    finally:
        run("umount", tmp_path)


def test_a_clock_that_is_set_is_not_noticed(broker, sensor):
    with streaming(broker) as stream:
        for step in (86_400, -86_400):
            time.clock_settime(time.CLOCK_REALTIME, time.time() + step)
            before = len(stream.samples)
            stream.until(lambda s: len(s.samples) > before + 3, "readings as before")
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert not stream.gaps and stamps == sorted(stamps)
        assert max(later - earlier for earlier, later in zip(stamps, stamps[1:])) < 10_000 * MILLISECOND


def test_a_second_broker_names_the_first(broker, sensor):
    with streaming(broker) as stream:
        result = attempt("sensorbrokerd", user="sensorbroker")
        assert result.returncode == 69 and str(main_process()) in result.stderr
        before = len(stream.samples)
        stream.until(lambda s: len(s.samples) > before + 2, "readings as before")
        assert not stream.gaps


@pytest.mark.parametrize("end", ["SEGV", "oom"])
def test_a_stream_outlives_the_process(broker, sensor, end):
    with streaming(broker) as stream:
        process = main_process()
        # By then its client could continue after a crash.
        eventually(lambda: int(show("NFileDescriptorStore")) > 2, "the precautions")
        if end == "SEGV":
            run("systemctl", "kill", "-s", "SEGV", SERVICE)
        else:
            # The kernel ends it as it does where memory is wanting, and nothing else of the host.
            group = pathlib.Path("/sys/fs/cgroup" + show("ControlGroup"))
            limit = group / "memory.max"
            limit.write_text("0")
            # At once, for systemd 257 leaves the group to the next process as it is; others remove it meanwhile.
            eventually(lambda: not os.path.exists(f"/proc/{process}"), "its end")
            with contextlib.suppress(OSError):
                limit.write_text("max")
            eventually(lambda: main_process() not in (0, process), "another process")
        stream.until(lambda s: restarts_told(s), "the gap")
        before = len(stream.samples)
        stream.until(lambda s: len(s.samples) > before + 2, "readings again")
        # If it ended while it told the client something, what it had not told is a gap of its own.
        assert main_process() != process and 1 <= len(restarts_told(stream)) <= 2
    assert os.path.exists(ADMIN_SOCKET)
