"""iio-sensor-proxy and sensorbroker-desktop beside each other, in the same situations on one hub.

Each wants the sensors for itself, so they take turns. What each does in which situation is a table of desktop_tables, and so of
docs/desktop.md. What the desktop's programs show is test_desktop_programs."""

import subprocess
import tempfile

import pytest

import proxy
from desktop_tables import SITUATIONS
from services import POSITIONS, Ours, Theirs, answered, caller, hub, orientations, refused, turn, udev  # noqa: F401
from tools import desktop
from tools.desktop import COMPASS, Bus

pytestmark = pytest.mark.skipif(
    bool(proxy.MISSING), reason=f"NOT RUN: there is no {', '.join(proxy.MISSING)}: the desktop's service was not compared")


@pytest.fixture(params=[Theirs, Ours], ids=["iio-sensor-proxy", "sensorbroker-desktop"])
def service(request, udev, hub):
    hub.tell(f"set accel {POSITIONS[-2][0]}")
    bus = Bus(tempfile.mkdtemp(prefix="bus-"))
    service = request.param(bus, udev)
    service.callers = []
    yield service
    for caller in service.callers:
        caller.close()
    service.close()
    bus.close()


def situations(service, hub):
    """What the service does in each situation, in words."""
    seen = {}
    first, quiet = caller(service), caller(service)
    answer = answered(first, "ClaimAccelerometer")
    seen["the first claim"] = f"{answer} {'after' if orientations(first, first.signals_before_reply) else 'before'} the first reading"
    turn(hub, first, "0 -1000 0", "normal")
    turn(hub, first, "1000 0 0", "left-up")
    quiet.process()
    seen["a program that listens, and has claimed nothing"] = "gets values of others" if orientations(quiet) else "gets no values"
    seen["a second claim by the same program"] = answered(first, "ClaimAccelerometer")
    seen["a release without a claim"] = answered(quiet, "ReleaseLight")
    seen["a claim of the compass"] = answered(first, "ClaimCompass", COMPASS)
    seen["the tilt"] = "a property" if "AccelerometerTilt" in service.bus.busctl(
        "introspect", desktop.NAME, *desktop.SENSORS).stdout else "not there"
    seen["a method that is not there"] = refused(service, f"{desktop.NAME}.ClaimCompass")
    seen["a property that is not there"] = refused(service, "org.freedesktop.DBus.Properties.Get", desktop.NAME, "CompassHeading")
    seen["a property is set"] = refused(
        service, "org.freedesktop.DBus.Properties.Set", desktop.NAME, "ProximityNear", "<true>")
    hub.unplug()
    first.until(lambda c: any(signal.get("HasAccelerometer") is False for signal in c.signals), "the loss")
    quiet.until(lambda c: any(signal.get("HasAccelerometer") is False for signal in c.signals), "the loss")
    seen["a sensor goes"] = "all are informed"
    try:
        service.program.process.wait(10)
        seen["the last sensor has gone"] = "the service ends, and udev starts it with the next sensor"
        seen["it comes back"] = "programs claim anew"
        return seen
    except subprocess.TimeoutExpired:
        seen["the last sensor has gone"] = "the service goes on"
    hub.plug()
    turn(hub, first, "0 -1000 0", "normal")
    seen["it comes back"] = "claims still hold"
    return seen


def test_each_situation(service, hub):
    (_, *names), *rows = SITUATIONS
    answers = {situation: answers[names.index(service.name)] for situation, *answers in rows}
    assert situations(service, hub) == answers
