"""Devices are kept warm, and closed under memory pressure as reported by a pipe, a socket and the kernel."""

import base64
import os
import pathlib
import socket

import pytest

from tools.administration import await_state, device
from tools.programs import PATIENCE
from tools.stream import Stream, boot_nanoseconds
from tools.waiting import until

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}
LOCATION = {"resource": "location", "intervalNanoseconds": 100_000_000}
ENDLESS = "[Accelerometer]\nWarmGraceSec=infinity\n[Location]\nWarmGraceSec=infinity\n"


@pytest.fixture
def configuration(tmp_path):
    path = tmp_path / "endless.conf"
    path.write_text(ENDLESS)
    return "--config", str(path)


@pytest.fixture
def pressure(tmp_path):
    """A pipe in place of the kernel's file."""
    path = tmp_path / "pressure"
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    yield path
    os.close(end)


def shorten(path):
    """Reports memory pressure."""
    end = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.write(end, b"!")
    os.close(end)


def use_once(daemon, *requests):
    with Stream(daemon.broker, *requests) as stream:
        stream.until(lambda s: len(s.samples) >= 3, "readings")


def watched(daemon):
    """The files in the daemon's epoll, by the names that the kernel has for open files."""
    numbers, names = [], {}
    for link in pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir():
        try:
            names[link.name] = os.readlink(link)
            lines = pathlib.Path(f"/proc/{daemon.pid}/fdinfo/{link.name}").read_text().splitlines()
        except FileNotFoundError:
            # Closed in the meantime.
            continue
        numbers += [line.split()[1] for line in lines if line.startswith("tfd:")]
    return [names[number] for number in numbers if number in names]


def watches(daemon, path):
    return str(path) in watched(daemon)


# Nobody closes a warm device because this host's own memory is short.
AMPLE = {"MEMORY_PRESSURE_WATCH": "/dev/null"}


def test_a_warm_device_is_reused(start, configuration):
    daemon = start("--mock", *configuration, environment=AMPLE)
    for number in range(1, 4):
        with Stream(daemon.broker, ACCELEROMETER) as stream:
            # Its thread may have measured three more before it learns that somebody reads, and would not notice a client that left then.
            stream.until(lambda s: len(s.samples) >= 3 and device(daemon)["reuses"] == number - 1, "readings of the device in use")
        await_state(daemon, "warm")
        now = device(daemon)
        assert (now["opens"], now["reuses"], now["evictions"]) == (1, number - 1, 0)


def test_a_warm_device_yields_nothing_older_than_a_new_clients_interval(start, configuration):
    daemon = start("--mock", *configuration, environment=AMPLE)
    # It may hold samples back for this long, and does when nobody asks any more.
    with Stream(daemon.broker, {**ACCELEROMETER, "batchNanoseconds": 2_000_000_000}) as stream:
        stream.until(lambda s: s.samples, "a batch")
    await_state(daemon, "warm")
    held = device(daemon)["samples"]
    until(lambda: device(daemon)["samples"] > held, "another batch that nobody wants")
    since = boot_nanoseconds()
    with Stream(daemon.broker, {**ACCELEROMETER, "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 5, "readings")
        assert stream.samples[0][0] >= since
        numbers = [number for _, number, _ in stream.samples]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) and stream.losses == []
        now = device(daemon)
        assert (now["opens"], now["reuses"]) == (1, 1)


def test_it_closes_after_its_grace_time(start, tmp_path):
    path = tmp_path / "short.conf"
    path.write_text("[Accelerometer]\nWarmGraceSec=0\n[Location]\nWarmGraceSec=300ms\n")
    daemon = start("--mock", "--config", str(path))
    use_once(daemon, ACCELEROMETER, LOCATION)
    await_state(daemon, "idle")
    await_state(daemon, "idle", "location")
    use_once(daemon, ACCELEROMETER)
    now = device(daemon)
    assert (now["opens"], now["reuses"], now["evictions"]) == (2, 0, 0)


def test_memory_pressure_closes_a_warm_device_and_not_one_in_use(start, configuration, pressure):
    daemon = start("--mock", *configuration, environment={"MEMORY_PRESSURE_WATCH": str(pressure)})
    assert watches(daemon, pressure)
    with Stream(daemon.broker, LOCATION) as stream:
        stream.until(lambda s: s.samples, "a reading")
        for number in range(1, 4):
            use_once(daemon, ACCELEROMETER)
            await_state(daemon, "warm")
            shorten(pressure)
            await_state(daemon, "idle")
            now = device(daemon)
            assert (now["opens"], now["reuses"], now["evictions"]) == (number, 0, number)
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 5, "readings in spite of it")
        assert stream.losses == [] and [state for _, state, _ in stream.states][-1] == "active"
        used = device(daemon, "location")
        assert (used["opens"], used["evictions"]) == (1, 0)
    assert daemon.output().count("memory is short: closing accelerometer") == 3


def test_a_device_that_is_used_again_in_the_meantime_is_not_evicted(start, configuration, pressure):
    """Repeated memory pressure at any moment while a stream comes and goes: no stream loses a reading."""
    daemon = start("--mock", *configuration, environment={"MEMORY_PRESSURE_WATCH": str(pressure)})
    for _ in range(15):
        with Stream(daemon.broker, {**ACCELEROMETER, "intervalNanoseconds": 0}) as stream:
            shorten(pressure)
            stream.until(lambda s: len(s.samples) >= 3, "readings")
            shorten(pressure)
            seen = len(stream.samples)
            stream.until(lambda s: len(s.samples) >= seen + 2, "readings")
            numbers = [number for _, number, _ in stream.samples]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            # A device that was being closed when a client came is opened again before the first reading.
            assert all(gap["untilNanoseconds"] <= stream.samples[0][0] for gap in stream.gaps)
        shorten(pressure)


def test_a_socket_as_source_is_connected_to_and_gets_the_trigger(start, configuration, directory):
    path = os.path.join(directory, "pressure")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen()
    listener.settimeout(PATIENCE)
    trigger = b"some 1000 2000000\0"
    daemon = start("--mock", *configuration, environment={
        "MEMORY_PRESSURE_WATCH": path, "MEMORY_PRESSURE_WRITE": base64.b64encode(trigger).decode()})
    source, _ = listener.accept()
    source.settimeout(PATIENCE)
    assert source.recv(100) == trigger
    use_once(daemon, ACCELEROMETER)
    await_state(daemon, "warm")
    source.send(b"!")
    await_state(daemon, "idle")
    assert device(daemon)["evictions"] == 1
    # Its end is not reported for ever.
    source.close()
    listener.close()
    until(lambda: "no longer reports memory pressure" in daemon.output(), "word of the end")
    # The two that listen, and no third one.
    until(lambda: len([name for name in watched(daemon) if name.startswith("socket:")]) == 3, "it to be left alone")


def test_the_service_manager_can_forbid_it(start, configuration):
    daemon = start("--mock", *configuration, environment=AMPLE)
    assert "memory" not in daemon.output()
    assert not watches(daemon, "/dev/null") and not watches(daemon, "/proc/pressure/memory")


@pytest.mark.parametrize("place", ["nothing", "directory", "file"])
def test_without_a_source_of_memory_pressure_it_serves_and_logs_that(start, configuration, tmp_path, place):
    path = tmp_path / place
    if place == "directory":
        path.mkdir()
    elif place == "file":
        path.write_text("")
    daemon = start("--mock", *configuration, environment={"MEMORY_PRESSURE_WATCH": str(path)})
    until(lambda: "cannot watch memory pressure" in daemon.output(), "that it says so")
    assert str(path) in daemon.output()
    use_once(daemon, ACCELEROMETER)


@pytest.mark.skipif(not os.path.exists("/proc/pressure/memory"), reason="this kernel tells no pressure: PSI was not tried")
def test_the_kernels_own_memory_pressure_is_watched(start, configuration):
    daemon = start("--mock", *configuration, environment={
        "MEMORY_PRESSURE_WATCH": "/proc/pressure/memory",
        "MEMORY_PRESSURE_WRITE": base64.b64encode(b"some 200000 2000000\0").decode()})
    if "Operation not permitted" in daemon.output() or "Permission denied" in daemon.output():
        pytest.skip("the kernel does not let this user listen: PSI was not tried")
    assert watches(daemon, "/proc/pressure/memory"), daemon.output()
