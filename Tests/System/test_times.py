"""Time spans are written in the same way everywhere, and have the same error messages."""

import pytest

from tools.commands import run, sensorctl
from tools.programs import SENSORBROKERD, SENSORCTL

TIMES = ["10s", "1min 30s", "10sec", "0.5", "2h", "1d", "250ms", "90"]
REFUSAL = "'soon' is not a time span: write it like 10s, 250ms, 1min 30s, or 0.5 for half a second"


def setting(folder, time):
    (folder / "one.conf").write_text(f"[Location]\nWarmGraceSec={time}\n")
    return run(SENSORBROKERD, "--check-config", "--config", folder / "one.conf")


def event(folder, time):
    (folder / "one.scenario").write_text(f"[Events]\nAt=1s no-fix for {time}\n")
    return run(SENSORBROKERD, f"--mock={folder / 'one.scenario'}", "--check")


def motion(folder, time):
    (folder / "one.scenario").write_text(f"[accelerometer]\nMotion=still for {time}\n")
    return run(SENSORBROKERD, f"--mock={folder / 'one.scenario'}", "--check")


def command(*words):
    """Its socket has no broker, which it notices only after it has parsed the command line."""
    def attempt(folder, time):
        result = run(SENSORCTL, broker="/nonexistent", *[word.replace("TIME", time) for word in words])
        if result.returncode == 69:
            result.returncode = 0
        return result
    return attempt


PLACES = {
    "setting": setting, "event": event, "motion": motion, "watch": command("watch", "location", "--for", "TIME"),
    "batch": command("watch", "location", "--batch", "TIME"), "record": command("record", "./x", "--for", "TIME"),
    "release": command("release", "--all", "--for", "TIME", "--socket", "/nonexistent/io.sensorbroker.Broker"),
    "timeout": command("list", "--timeout", "TIME"),
    "mock": command("mock", "no-fix", "--for", "TIME", "--socket", "/nonexistent/io.sensorbroker.Broker"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_time_span_is_accepted_everywhere(tmp_path, place):
    for time in TIMES:
        result = PLACES[place](tmp_path, time)
        assert result.returncode == 0, (time, result)


@pytest.mark.parametrize("place", PLACES)
def test_an_invalid_time_span_has_the_same_error_everywhere(tmp_path, place):
    result = PLACES[place](tmp_path, "soon")
    assert result.returncode in (64, 78), result
    assert REFUSAL in result.stdout + result.stderr


def test_an_interval_may_be_a_rate_and_a_bare_number_is_seconds(daemon):
    def granted(*words):
        return sensorctl("watch", *words, "--verbose", "--count", "1", "--format", "json", broker=daemon)

    assert '"intervalNanoseconds":500000000' in granted("accelerometer@0.5")
    assert '"intervalNanoseconds":500000000' in granted("accelerometer@2Hz")
    assert '"intervalNanoseconds":1500000000' in granted("accelerometer", "--interval", "1s 500ms")
    assert "not an interval" in sensorctl("watch", "accelerometer@soon", status=64)
