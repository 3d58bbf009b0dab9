"""A daemon with simulated devices at which programs may provide what the settings name."""

import time

import pytest

from tools.stream import MILLISECOND, Stream, boot_nanoseconds

ARM = "accelerometer:arm"
SETTINGS = f"""
[Feed {ARM}]
MaxRate=2000
[Feed gyroscope:arm]
[Feed location:phone]
[Feed temperature:oven]
Kind=objectTemperature
MaxRate=10
[Feed accelerometer]
[Feed location]
Feed=prefer
[Accelerometer]
WarmGraceSec=0
"""


@pytest.fixture
def host(start, tmp_path):
    """A daemon with simulated devices, those of a scenario or the usual ones, and settings for programs."""

    def begin(settings=SETTINGS, scenario=None):
        (tmp_path / "sensorbrokerd.conf").write_text(settings)
        if scenario:
            (tmp_path / "test.scenario").write_text(scenario)
        mock = f"--mock={tmp_path / 'test.scenario'}" if scenario else "--mock"
        return start(mock, "--config", str(tmp_path / "sensorbrokerd.conf"))

    return begin


@pytest.fixture
def daemon(host):
    return host()


def every_sample(resource, **more):
    return {"resource": resource, "intervalNanoseconds": 0, **more}


def wanted(daemon, provider, *requests):
    """A stream of what is provided, which the program knows to be wanted."""
    assert provider.receive() == {"wanted": False}
    stream = Stream(daemon.broker, *(requests or [every_sample(provider.resources[0])]))
    provider.until(wanted=True)
    return stream


def at_each_hundredth(act, until, seconds=60):
    """Acts at each hundredth of a second, given its time, until something is so."""
    start = boot_nanoseconds()
    for number in range(100 * seconds):
        stamp = start + number * 10 * MILLISECOND
        while boot_nanoseconds() < stamp:
            time.sleep(0.001)
        act(stamp)
        if until():
            return
    raise AssertionError(f"it is not so after {seconds} s")


def hold_upright(chip, stream, until):
    """Measures an accelerometer and a gyroscope that are held upright, and notes what follows, until something is so."""

    def measure(stamp):
        chip.push({"resource": "accelerometer", "timestampNanoseconds": stamp, "values": {"columns": {"x": [0], "y": [9.8], "z": [0]}}},
                  {"resource": "gyroscope", "timestampNanoseconds": stamp, "values": {"columns": {"x": [0], "y": [0], "z": [0]}}})
        stream.note_what_is_there()

    at_each_hundredth(measure, until)
