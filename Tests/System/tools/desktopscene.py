"""A scene for the service of the desktop: a bus, a daemon with a scenario, the service, and programs that call it."""

import pathlib

import pytest

from tools import desktop
from tools.administration import device
from tools.commands import run
from tools.desktop import Bus, Caller, Desktop

# What the device does: it is turned once around, while light and proximity change.
TURNS = """
[accelerometer]
Rates=10Hz 50Hz
Motion=still for 500ms
Motion=rotate x by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 10min
[light]
Rates=5Hz
Samples=100; 100; 100; 250.5; 250.5; 250.5; 250.5; 250.5; 250.5; 7
AtEnd=hold
[proximity]
Rates=5Hz
Samples=0 0; 0 0; 0 0; 0 0; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 0 0; 0 0
AtEnd=hold
[heading]
Rates=5Hz
Samples=10; 20; 42
AtEnd=hold
[location]
Rates=1Hz
Position=48.117300, 11.516667, 545m
Noise=2m
"""
ORIENTATIONS = ["normal", "right-up", "bottom-up", "left-up"]
# It never stops turning, so that something changes whenever a test looks.
WHEEL = """
[accelerometer]
Rates=10Hz 50Hz
Motion=rotate x by 90deg for 200ms
""" + 400 * "Motion=rotate z by 90deg for 200ms\nMotion=still for 300ms\n" + """
[light]
Rates=5Hz
Samples=5; 5; 5; 6; 6; 6
AtEnd=repeat
"""


@pytest.fixture(scope="session")
def clients():
    """Debian's programs."""
    reason = desktop.fetch()
    if not reason and run("unshare", "-m", "true").returncode:
        reason = "only root can show them their files: unshare -m"
    if reason:
        pytest.skip(f"NOT RUN: {reason}: the programs of the desktop were not tried")


@pytest.fixture
def bus(directory):
    bus = Bus(directory)
    yield bus
    bus.close()


@pytest.fixture
def scene(directory, start, bus):
    """Starts a daemon with a scenario and the desktop's service."""
    started = []

    def begin(text, *arguments):
        path = pathlib.Path(directory, "test.scenario")
        path.write_text(text)
        daemon = start(f"--mock={path}", *arguments)
        started.append(Desktop(bus, daemon.broker).serving())
        return daemon, started[0]

    yield begin
    for program in started:
        assert program.process.poll() is None, program.lines
        program.end()
        assert program.process.returncode == 0, program.lines


@pytest.fixture
def caller(bus):
    """Makes connections to the bus."""
    made = []

    def connect():
        made.append(Caller(bus.address))
        return made[-1]

    yield connect
    for each in made:
        each.close()


def values(caller, name):
    return [signal[name] for signal in caller.signals if name in signal]


def distinct(words):
    """Without repetitions."""
    return [word for index, word in enumerate(words) if index == 0 or word != words[index - 1]]


def state(daemon, resource):
    return device(daemon, resource)["state"]
