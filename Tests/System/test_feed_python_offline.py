"""Programs in Python that are sensors, without a daemon: what is checked before it is sent."""

import array
import asyncio
import json
import math

import pytest

import tools.pythonclient  # noqa: F401  finds the package

import sensorbroker
from sensorbroker import Broker, Demand, Location, Offer, RefusedSamples, _samples, _socket, aio


def encoded(offers, *measured, stamp=None):
    message = _samples.Encoder([one if isinstance(one, Offer) else Offer(one) for one in offers]).one(measured, stamp)
    assert message.endswith(b"\0")
    return json.loads(message[:-1])["parameters"]["samples"]


def test_the_forms_of_what_is_pushed():
    numpy = pytest.importorskip("numpy")
    assert encoded(["light"], 5) == [{"resource": "light", "values": {"columns": {"value": [5.0]}}}]
    assert encoded(["light"], numpy.float64(5), stamp=3) == [
        {"resource": "light", "timestampNanoseconds": 3, "values": {"columns": {"value": [5.0]}}}]
    three = {"columns": {"x": [0.1], "y": [2.0], "z": [3.0]}}
    for form in ((0.1, 2, 3), ([0.1, 2, 3],), (numpy.array([0.1, 2, 3]),), (numpy.float64(0.1), True, 3)):
        assert encoded(["gyroscope"], *form)[0]["values"]["columns"]["x"] == [0.1]
    assert encoded(["gyroscope"], 0.1, 2, 3)[0]["values"] == three
    name = 'light:%d@"{}'
    [light, place] = encoded([name, "location"], 7, Location("none"), stamp=9)
    assert light["resource"] == name and place["location"] == {"fix": "none"} and place["timestampNanoseconds"] == 9
    assert [one["resource"] for one in encoded([name, "gyroscope"], 7, (1, 2, 3), stamp=9)] == [name, "gyroscope"]
    assert encoded([Offer("x", channels=("%a", "b@"))], 1, 2, stamp=5)[0]["values"]["columns"] == {"%a": [1.0], "b@": [2.0]}
    assert list(encoded(["rotation"], 0, 0, 0, 1)[0]["values"]["columns"]) == ["x", "y", "z", "w"]
    wrong = [
        (["light"], float("nan")), (["light"], "bright"), (["gyroscope", "light"], 1), (["gyroscope"], 1, 2, 3, 4, 5),
        ([Offer("light", channels=("a", "b"))], 1), (["location"], Location("3d", latitude_degrees=float("inf")))]
    for offers, *measured in wrong:
        with pytest.raises(sensorbroker.InvalidRequest):
            encoded(offers, *measured)
    encoder = _samples.Encoder([Offer("gyroscope")])
    for batch, options in (
        ([[1, 2, 3]] * 2, {}), ({"x": [1], "y": [1, 2], "z": [1]}, {"period_ns": 1}), ([[1, 2, 3]], {"timestamps_ns": [1, 2]}),
        ([[1, 2, float("inf")]], {}), ({}, {}), (Location("none"), {}), ({"x": array.array("f", [float("nan")])}, {})):
        with pytest.raises(sensorbroker.InvalidRequest):
            encoder.batch([batch], options.get("timestamp_ns"), options.get("period_ns"), options.get("timestamps_ns"))


def test_provisions_are_checked_before_they_are_sent():
    nowhere = Broker("/nowhere/io.sensorbroker.Broker")
    wrong = [
        (), ("light", "light"), ("",), (Offer("light"), dict(rate=0)), ("light", dict(interval=-1)), ("light", dict(rate=1, interval=1)),
        ("light", dict(rest=float("nan"))), ("light", dict(intervals=[0.0]))]
    for offers in wrong:
        options = offers[-1] if offers and isinstance(offers[-1], dict) else {}
        with pytest.raises(sensorbroker.InvalidRequest):
            nowhere.provide(*[one for one in offers if not isinstance(one, dict)], **options)
    with pytest.raises(sensorbroker.InvalidRequest):
        Offer("light", channels=())
    with pytest.raises(sensorbroker.InvalidRequest, match="named"):
        Broker("/tmp/other").provide("light")
    with nowhere.provide("light") as light:
        assert isinstance(light.outage, sensorbroker.BrokerMissing) and not light.push(1)


@pytest.mark.parametrize("say", [
    lambda: Offer("light:\ud800"), lambda: Offer("light", kind="\udcff"), lambda: Offer("light", channels=("\ud800",)),
    lambda: Broker("/nowhere/io.sensorbroker.Broker").provide("light", description="a\ud800"),
    lambda: _samples.Encoder([Offer("light")]).batch([{"\ud800": [1]}], None, None, None),
    lambda: _samples.Encoder([Offer("location")]).one((Location("none", status="\ud800"),), None)])
def test_half_a_character_is_not_sent(say):
    with pytest.raises(sensorbroker.InvalidRequest, match="half of a character"):
        say()


def test_the_socket_of_providers_is_beside_the_brokers():
    assert _socket.feed_paths(["/run/sensorbroker/io.sensorbroker.Broker.drone", "io.sensorbroker.Broker", "/a/io.sensorbroker.Feed"]) == [
        "/run/sensorbroker/io.sensorbroker.Feed.drone", "io.sensorbroker.Feed", "/a/io.sensorbroker.Feed"]
    for path in ("/a/broker", "/a/io.sensorbroker.Brokers", "/io.sensorbroker.Broker/x"):
        with pytest.raises(sensorbroker.InvalidRequest):
            _socket.feed_paths([path])


def test_what_is_wanted_in_words():
    assert str(Demand(False)) == "nobody wants samples" and str(Demand(True)) == "wanted"
    assert str(Demand(True, 10_000_000, 100_000_000)) == "wanted every 0.01 s, gathered for 0.1 s"
    assert str(RefusedSamples(1, "late")).endswith("1 sample: late") and "2 samples" in str(RefusedSamples(2, "late"))


@pytest.mark.parametrize("call", [
    lambda it: it.list(timeout=math.nan), lambda it: it.read("light", timeout=math.nan), lambda it: it.read("light", maximum_age=math.nan),
    lambda it: it.subscribe("light", patience=math.nan), lambda it: it.subscribe("light").next_event(math.nan),
    lambda it: it.provide("light").next_event(math.nan), lambda it: it.provide("light").wait(math.nan),
    lambda it: it.provide("light", interval=math.inf), lambda it: it.provide("light", rest=math.nan),
    lambda it: it.subscribe("light", interval=math.inf), lambda it: it.subscribe("light", rate=math.nan),
    lambda it: it.subscribe("light", batch=math.nan)])
def test_a_time_that_is_none_is_refused_by_the_call_that_has_it(call):
    with pytest.raises(sensorbroker.InvalidRequest, match="seconds|Hz"):
        call(Broker("/nonexistent/io.sensorbroker.Broker"))

    async def run():
        result = call(aio.Broker("/nonexistent/io.sensorbroker.Broker"))
        if asyncio.iscoroutine(result):
            await result

    with pytest.raises(sensorbroker.InvalidRequest, match="seconds|Hz"):
        asyncio.run(run())


@pytest.mark.parametrize("call", [
    lambda it: it.provide("light", description="d" * 70_000), lambda it: it.provide("light:" + "n" * 70_000),
    lambda it: it.subscribe("light:" + "n" * 300), lambda it: it.subscribe(sensorbroker.Request("light", label="l" * 33)),
    lambda it: it.read("light:" + "n" * 70_000)])
def test_what_is_too_long_for_a_broker_is_refused_with_the_limit(call):
    with pytest.raises(sensorbroker.InvalidRequest, match="65,536|255 bytes|1 to 32"):
        call(Broker("/nonexistent/io.sensorbroker.Broker"))
