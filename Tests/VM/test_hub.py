"""Eleven kinds of sensors in one hub, each a device of the kernel's: all served at once, with what the hub was told."""

import math

import pytest

from hub import COUNT, Hub
from tools.programs import BROKER
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection

DEGREE = math.pi / 180
HALF = math.sqrt(0.5)
GRAVITY = 9.80665

# For each resource: its kind at the hub, the interval that is asked for in ms, what it reads of what the hub is told first,
# what the hub is told then, and what it reads of that.
RESOURCES = {
    "accelerometer": ("accel", 10, (0, 0, GRAVITY), "500 0 -250", (GRAVITY / 2, 0, GRAVITY / 4)),
    "gyroscope": ("gyro", 20, (DEGREE, 2 * DEGREE, 90 * DEGREE), "0 5000 0", (0, 5 * DEGREE, 0)),
    "magnetometer": ("magn", 50, (20, 3, 45), "100 0 -300 270", (10, 0, 30)),
    "heading": ("magn", 100, (123,), None, (270,)),
    "light": ("als", 100, (123.45,), "50", (0.5,)),
    "proximity": ("prox", 100, (1, 1), "0", (0, 0)),
    "pressure": ("press", 200, (101_320,), "9987", (99_870,)),
    "temperature": ("temp", 200, (21.5,), "-325", (-3.25,)),
    "inclination": ("incl", 100, (45 * DEGREE, -90 * DEGREE, 0), "0 1000 0", (0, 10 * DEGREE, 0)),
    "rotation": ("rot", 25, (0, 0, HALF, HALF), "600000 0 0 800000", (0.6, 0, 0, 0.8)),
    "rotation:1": ("relrot", 50, (0, 0, 0, 1), "0 1000000 0 0", (0, 1, 0, 0)),
    "gravity": ("gravity", 40, (0, 0, GRAVITY), "0 1000 0", (0, GRAVITY, 0)),
}
# Another test covers the mounting of their axes.
MOUNTED = {"accelerometer", "gyroscope", "magnetometer", "gravity"}
ON_CHANGE = {"light", "proximity"}


@pytest.fixture
def hub():
    hub = Hub()
    yield hub
    hub.close()


class Watch(Stream):
    """A stream of all of them, whose values are kept by resource."""

    def __init__(self, daemon):
        self.by = {name: [] for name in RESOURCES}
        super().__init__(daemon.broker, *(
            {"resource": name, "intervalNanoseconds": interval * 1_000_000} for name, (_, interval, *_) in RESOURCES.items()))

    def note(self, reply):
        parameters = super().note(reply)
        for reading in parameters.get("readings", []):
            self.by[reading["resource"]].append([column[-1] for column in reading["values"]["columns"].values()])
        return parameters

    def newest_is(self, name, wanted):
        if not self.by[name]:
            return False
        values = self.by[name][-1]
        if name in MOUNTED:
            values = list(map(abs, values))
        # Drivers write scales with six to nine digits.
        return len(values) == len(wanted) and values == pytest.approx(wanted, rel=1e-3, abs=1e-6)


def served(daemon):
    with Connection(daemon.broker) as client:
        return {item["name"]: item for item in client.result(f"{BROKER}.ListResources")["resources"]}


def test_all_are_served_at_once_and_come_back(hub, start):
    daemon = start("--gpsd", "localhost:1")
    until(lambda: set(RESOURCES) <= set(served(daemon)), "all of them are listed")
    with Watch(daemon) as stream:
        for name, (_, _, first, _, _) in RESOURCES.items():
            stream.until(lambda s: s.newest_is(name, first), f"{name} to be {first}; it is {stream.by[name][-1:]}")
        assert all("buffered" in item["description"] for name, item in served(daemon).items() if name in RESOURCES)
        # An input that its driver names is described by that, before its device.
        devices = {name: served(daemon)[name]["description"].rpartition(" of ")[2] for name in RESOURCES}
        assert devices["heading"] == devices["magnetometer"] and len(set(devices.values())) == COUNT
        # Each device runs as fast as its kinds are requested, and no faster.
        wanted = {}
        for kind, interval, *_ in RESOURCES.values():
            wanted[kind] = min(interval, wanted.get(kind, interval))
        assert hub.tell("stats") == wanted
        for kind, _, _, told, _ in RESOURCES.values():
            if told:
                hub.tell(f"set {kind} {told}")
        for name, (_, _, _, _, second) in RESOURCES.items():
            stream.until(lambda s: s.newest_is(name, second), f"{name} to be {second}; it is {stream.by[name][-1:]}")
        # Kinds that are sent on change were sent twice: at once, and when they changed.
        assert all(len(stream.by[name]) == 2 for name in ON_CHANGE)

        hub.unplug()
        stream.until(lambda s: {name for name, state, _ in s.states if state == "unavailable"} >= set(RESOURCES), "the loss of all")
        stream.by = {name: [] for name in RESOURCES}
        hub.plug()
        for name, (_, _, _, _, second) in RESOURCES.items():
            if name not in ON_CHANGE:
                stream.until(lambda s: s.newest_is(name, second), f"{name} to be back")
        lost = {gap["resource"] for gap in stream.gaps if gap["cause"] == "deviceLost"}
        assert lost >= set(RESOURCES) - ON_CHANGE
    until(lambda: not any(served(daemon)[name]["state"] == "unavailable" for name in RESOURCES), "all are back")


def test_one_reading_of_each_is_right_while_nobody_streams(hub, start):
    daemon = start("--gpsd", "localhost:1")
    until(lambda: set(RESOURCES) <= set(served(daemon)), "all of them are listed")
    with Connection(daemon.broker) as client:
        for name, (_, _, first, _, _) in RESOURCES.items():
            columns = client.result(f"{BROKER}.Read", {"resource": name})["reading"]["values"]["columns"]
            values = [abs(column[0]) if name in MOUNTED else column[0] for column in columns.values()]
            assert values == pytest.approx(first, rel=1e-3, abs=1e-6), name
