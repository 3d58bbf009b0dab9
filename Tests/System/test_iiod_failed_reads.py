"""Attributes that cannot be read while their device is opened: that is a state with the reason, never another meaning of the counts."""

import pytest

from tools.administration import resources
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import BROKER
from tools.stream import MILLISECOND, Stream, read_all
from tools.waiting import until
from tools.wire import Connection

SCALE = 0.009806650


def is_count(number):
    """Whether a number is a count of the fake device."""
    return abs(number - round(number)) < 1e-6


#: What the device is, its resource, the configuration, an attribute that decides what its counts mean, and whether a reading is true.
CASES = {
    "light": (("--type", "illuminance"), "light", "", "scale", lambda lux: is_count(lux / SCALE)),
    "a calibrated thermometer": (
        ("--type", "temp"), "temperature", "[Temperature]\nScale=1.0\n", "scale", lambda degrees: is_count(degrees / SCALE * 1000)),
    "an offset": (("--type", "temp"), "temperature", "", "offset", lambda degrees: is_count(degrees / SCALE * 1000)),
    "an accelerometer": (("--type", "accel"), "accelerometer", "", "scale", lambda x, y, z: is_count(x / SCALE) and x == -y),
    "a mount matrix": (
        ("--type", "accel", "--matrix", "0, 1, 0; 1, 0, 0; 0, 0, 1"), "accelerometer", "", "matrix", lambda x, y, z: x >= 0 >= z),
    "a level": (("--type", "proximity", "--near", "2000"), "proximity", "", "nearlevel", lambda near, raw: near == 0),
}


@pytest.fixture
def served(start, closing, tmp_path):
    """Starts a broker of a device, and awaits a resource."""
    def serve(options, resource, configuration=""):
        iiod = closing(Imu(*options))
        (tmp_path / "conf").write_text(configuration)
        daemon = start("--config", tmp_path / "conf", "--iio", f"ip:127.0.0.1:{iiod.port}", "--gpsd", f"localhost:{free_port()}")
        until(lambda: resource in resources(daemon), resource)
        return iiod, daemon
    return serve


def wish(resource):
    return {"resource": resource, "intervalNanoseconds": 20 * MILLISECOND, "minimumChange": 0}


def more(stream, count=10):
    seen = len(stream.samples)
    stream.until(lambda s: len(s.samples) >= seen + count and s.states[-1][1] == "active", "readings")


def more_of(*streams):
    marks = [len(stream.samples) for stream in streams]
    read_all(streams, lambda: all(len(s.samples) >= mark + 10 and s.states[-1][1] == "active" for s, mark in zip(streams, marks)), "readings")


@pytest.mark.parametrize("options, resource, configuration, attribute, is_true", CASES.values(), ids=CASES)
def test_an_attribute_that_cannot_be_read_is_a_state_until_it_can(served, options, resource, configuration, attribute, is_true):
    iiod, daemon = served(options, resource, configuration)
    with Stream(daemon.broker, wish(resource)) as stream:
        more(stream)
        iiod.order(f"bad {'mount_matrix' if attribute == 'matrix' else attribute}")
        iiod.order("drop")
        stream.until(lambda s: f"{attribute} of" in (s.states[-1][2] or "") and s.states[-1][1] == "unavailable", "the reason")
        assert "Input/output error" in stream.states[-1][2]
        iiod.order("bad none")
        more(stream)
    assert all(is_true(*values) for _, _, values in stream.samples), stream.samples[-3:]


def test_what_an_imu_cannot_say_for_a_moment_costs_a_moment(served):
    iiod, daemon = served((), "gyroscope")
    with Stream(daemon.broker, wish("accelerometer")) as one, Stream(daemon.broker, wish("gyroscope")) as other:
        more_of(one, other)
        for command in ("bad anglvel_scale", "drop"):
            iiod.order(command)
        other.until(lambda s: "scale of anglvel_x" in (s.states[-1][2] or ""), "the reason")
        iiod.order("bad none")
        more_of(one, other)


def test_what_nobody_wanted_is_there_for_who_comes_later(served):
    iiod, daemon = served((), "gyroscope")
    iiod.order("bad anglvel_scale")
    with Stream(daemon.broker, wish("accelerometer")) as one, Connection(daemon.broker) as caller:
        one.until(lambda s: "scale of anglvel_x" in (s.states[-1][2] or ""), "the reason")
        iiod.order("bad none")
        more(one)
        assert caller.result(f"{BROKER}.Read", {"resource": "gyroscope"})["reading"]["resource"] == "gyroscope"


def test_a_kind_whose_scale_stays_unreadable_leaves_the_other_alone_and_has_the_reason(served):
    iiod, daemon = served((), "gyroscope")
    iiod.order("bad anglvel_scale")
    with Stream(daemon.broker, wish("accelerometer")) as one:
        more(one)
        with Stream(daemon.broker, wish("gyroscope")) as other:
            more(one, 100)
            other.until(lambda s: s.states[-1][1] == "unavailable", "the reason")
            assert "scale of anglvel_x: Input/output error" in other.states[-1][2]
            assert other.samples == []
        iiod.order("bad none")
        # Nobody asks for it any more; whoever does so again has it read again.
        iiod.order("drop")
        more(one)
        with Stream(daemon.broker, wish("gyroscope")) as other:
            more_of(one, other)


def test_a_kind_is_asked_again_when_somebody_wants_it(served):
    iiod, daemon = served((), "gyroscope")
    iiod.order("bad anglvel_scale")
    with Stream(daemon.broker, wish("accelerometer")) as one:
        more(one)
        iiod.order("bad none")
        with Stream(daemon.broker, wish("gyroscope")) as other:
            more_of(one, other)


@pytest.mark.parametrize("commands, words", [
    (["bad anglvel_scale"], "scale of anglvel_x: Input/output error"),
    (["flat anglvel"], "no usable scale"),
    (["types accel"], "has no gyroscope"),
], ids=["unreadable", "without a scale", "missing"])
def test_a_kind_that_cannot_be_had_leaves_the_other_one_free_for_who_comes_later(served, commands, words):
    iiod, daemon = served((), "gyroscope")
    for command in commands:
        iiod.order(command)
    with Stream(daemon.broker, wish("gyroscope")) as one, Connection(daemon.broker) as caller:
        one.until(lambda s: words in (s.states[-1][2] or ""), "the reason")
        assert one.states[-1][1] == "unavailable"
        until(lambda: resources(daemon)["accelerometer"]["state"] == "idle", "the accelerometer to be free")
        # A probe tells the reason, too, before the openings have failed so often that the rest is served.
        read = until(
            lambda: caller.call(f"{BROKER}.Read", {"resource": "accelerometer"}).get("parameters", {}).get("reading"), "a reading")
        assert read["resource"] == "accelerometer"
        assert words in one.states[-1][2] and one.samples == []
