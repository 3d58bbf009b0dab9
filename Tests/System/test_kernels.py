"""Old kernels: the oldest one is enough, and an older one is refused with words."""

import json
import platform
import re
import sys

import pytest

from tools import commands
from tools.programs import ROOT, SENSORBROKER_DESKTOP, SENSORBROKERD, SENSORCTL

OLDEST = "5.4"
LAUNCHER = [sys.executable, str(ROOT / "Tests/System/tools/oldkernel.py")]


@pytest.fixture(params=["ENOSYS", "EPERM"])
def old(request):
    """What makes a program run as on the oldest kernel."""
    return [*LAUNCHER, request.param]


def watched(old, broker, *words):
    """The readings that sensorctl writes there."""
    result = commands.run(*old, SENSORCTL, "watch", *words, "--format", "json", broker=broker)
    assert result.returncode == 0, result.stderr
    return [line for line in map(json.loads, result.stdout.splitlines()) if line.get("sequence") is not None]


def interval(readings):
    """The mean interval of a resource's readings, whatever their form: a message may have several."""
    first, last = readings[0], readings[-1]
    return (last["timestampNanoseconds"] - first["timestampNanoseconds"]) / (last["sequence"] - first["sequence"])


def test_a_watch_on_the_oldest_kernel(start, old):
    daemon = start("--mock", prefix=old)
    readings = watched(old, daemon, "accelerometer@10ms", "location@1s", "--count", "30")
    assert {"accelerometer", "location"} == {line["resource"] for line in readings}
    assert interval([line for line in readings if line["resource"] == "accelerometer"]) == pytest.approx(10e6, rel=0.1)
    assert "accelerometer" in commands.must(*old, SENSORCTL, "list", broker=daemon)


def test_a_batch_comes_when_it_is_due(start, old):
    daemon = start("--mock", prefix=old)
    batches = watched(old, daemon, "accelerometer@10ms", "--batch", "200ms", "--count", "60")
    assert sum(len(batch["values"]["columns"]["x"]) for batch in batches) == 60


def test_simulated_time_passes(start, old):
    """The loop itself waits for its deadline there."""
    daemon = start("--mock", "--speed", "20", prefix=old)
    assert interval(watched(old, daemon, "accelerometer@100ms", "--count", "30")) == pytest.approx(100e6, rel=0.05)


def test_a_client_that_waits_for_a_deadline(start, old, directory, tmp_path):
    """The desktop's NMEA, which has no timer but its loop's own."""
    daemon = start("--mock", prefix=old)
    path = f"{directory}/nmea"
    service = commands.start(
        *old, SENSORBROKER_DESKTOP, "--nmea", "--socket", daemon.broker, "--listen", path)
    try:
        lines = commands.start("socat", "-u", f"UNIX-CONNECT:{path},retry=100,interval=0.1", "-")
        try:
            assert lines.stdout.readline().startswith("$G")
        finally:
            lines.kill()
            lines.wait()
    finally:
        service.terminate()
        assert service.wait() == 0, service.stderr.read()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="setarch can name an older kernel elsewhere, but not so: not tried")
def test_an_older_kernel_is_refused(directory):
    # The kernel then says that it is 2.6.
    old = ["setarch", "x86_64", "--uname-2.6"]
    result = commands.run(*old, SENSORBROKERD, "--mock", "--runtime-directory", directory)
    assert result.returncode == 69
    assert re.search(rf"Linux 2\.6 is too old: {re.escape(OLDEST)} or later is needed", result.stderr)
    # What needs no kernel works.
    commands.must(*old, SENSORBROKERD, "--version")
    commands.must(*old, SENSORBROKERD, "--check-config", "--config", "/dev/null")


def test_pages_name_the_oldest_kernel():
    source = (ROOT / "Sources/Ground/Platform/KernelVersion.swift").read_text()
    assert f"Self(major: {OLDEST.replace('.', ', minor: ')})" in source
    for page in ("README.md", "debian/control", "docs/hardware.md", "docs/man/sensorbrokerd.8"):
        assert re.search(rf"Linux[ ~]{re.escape(OLDEST)}\b", (ROOT / page).read_text()), page
