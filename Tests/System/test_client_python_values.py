"""Values, errors and the wire of the Python package, without any broker."""

import base64
import copy
import dataclasses
import grp
import json
import os
import pathlib
import pickle
import random
import re
import struct
import tracemalloc

import pytest

from tools.programs import INTERFACES
from tools.pythonclient import SECOND

import sensorbroker
from sensorbroker import _backoff, _clock, _location_members, _members, _message, _stream, _wire, values


def test_the_fields_of_values_are_those_of_the_interface():
    text = (INTERFACES / "io.sensorbroker.Broker.varlink").read_text()

    def members(name):
        body = re.search(rf"type {name} \((.*?)\n\)", text, re.S).group(1)
        return set(re.findall(r"^  (\w+):", body, re.M))

    def fields(kind):
        renamed = {"_ns": "_nanoseconds"}
        names = set()
        for name in getattr(kind, "__dataclass_fields__", {}):
            for suffix, longer in renamed.items():
                name = name[: -len(suffix)] + longer if name.endswith(suffix) else name
            names.add(re.sub("_([a-z])", lambda match: match.group(1).upper(), name))
        return names

    for kind in (values.Location, values.Satellite, values.Resource, values.Channel, values.Gap, values.Grant, values.Aligned):
        assert fields(kind) == members(kind.__name__), kind
    assert fields(values.Request) - {"rate", "interval", "batch"} == members("Request") - {
        "intervalNanoseconds", "batchNanoseconds"}
    assert members("Reading") <= fields(values.Reading) | {"values"}


def test_requests_are_checked_before_they_are_sent():
    request = sensorbroker.Request("accelerometer", rate=60, batch=0.1, filter="mean", minimum_change=1, label="a")
    assert request.wire() == {
        "resource": "accelerometer", "label": "a", "intervalNanoseconds": 16_666_667, "batchNanoseconds": 100_000_000,
        "filter": "mean", "minimumChange": 1.0}
    assert sensorbroker.Request("accelerometer", rate=1000, batch=1).wire()["packed"] is True
    assert "packed" not in sensorbroker.Request("accelerometer", rate=1000, batch=1, packed=False).wire()
    assert dataclasses.replace(request, label="b").interval_ns == request.interval_ns
    assert dataclasses.replace(request, interval=2).interval_ns == 2 * SECOND
    assert dataclasses.replace(request, interval=None, rate=10).interval_ns == SECOND // 10
    wrong = (
        dict(rate=0), dict(rate=float("nan")), dict(interval=-1), dict(batch=float("inf")), dict(rate=1, interval=1),
        dict(filter="median"), dict(label="a b"), dict(minimum_change=float("nan")))
    for options in wrong:
        with pytest.raises(sensorbroker.InvalidRequest):
            sensorbroker.Request("accelerometer", **options)
    with pytest.raises(sensorbroker.InvalidRequest, match="different labels"):
        sensorbroker.Broker("/nowhere").subscribe("accelerometer", "accelerometer")
    with pytest.raises(sensorbroker.InvalidRequest, match="at least one"):
        sensorbroker.Broker("/nowhere").subscribe()


@pytest.mark.parametrize("ask", [
    lambda broker: broker.subscribe("light\ud800"), lambda broker: broker.read("light\udcff"),
    lambda broker: broker.subscribe(sensorbroker.Request("light", align_to="a\ud800")),
    lambda _: sensorbroker.Broker("/run/\ud800"), lambda _: sensorbroker.aio.Broker("/run/\ud800")])
def test_half_a_character_is_not_sent(ask):
    with pytest.raises(sensorbroker.InvalidRequest, match="half of a character"):
        ask(sensorbroker.Broker("/nowhere"))


def test_every_error_says_what_to_do():
    errors = [
        sensorbroker.BrokerMissing(["/a", "/b"]), sensorbroker.BrokerStopped("/a"), sensorbroker.NotPermitted("/a"),
        sensorbroker.NotPermitted(), sensorbroker.Disconnected(), sensorbroker.Ended("slowClient"), sensorbroker.Ended("shutdown"),
        sensorbroker.NoSuchResource("a"), sensorbroker.ResourceUnavailable("a", "b"), sensorbroker.TimedOut(),
        sensorbroker.TooManySubscriptions(), sensorbroker.TooManyRequests(), sensorbroker.Unintelligible("x"),
        sensorbroker.SystemRefused("x"), sensorbroker.NotPermitted(provided="a", reason="add a section [Feed a]"),
        sensorbroker.NameTaken("a", "b"), sensorbroker.NoSuchKind("a")]
    assert all(len(str(error)) > 30 for error in errors)
    assert len({error.word for error in errors}) == len(errors) - 3
    # As a pool of processes hands them on.
    for error in errors:
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)


def test_whoever_may_not_use_a_socket_is_told_its_group(tmp_path):
    path = tmp_path / "socket"
    path.touch()
    path.chmod(0o660)
    group = grp.getgrgid(path.stat().st_gid).gr_name
    if os.geteuid() == 0:
        assert "owner's alone" in str(sensorbroker.NotPermitted(str(path)))
        os.chown(path, 0, 65533)
        group = "65533"
    assert f"usermod -aG {group} $USER" in str(sensorbroker.NotPermitted(str(path)))
    path.chmod(0o600)
    assert "owner's alone" in str(sensorbroker.NotPermitted(str(path)))
    assert "closed" in str(sensorbroker.NotPermitted(str(path / "x")))


def test_sockets_are_found_as_sensorctl_finds_them(monkeypatch):
    monkeypatch.delenv("SENSORBROKER_SOCKET", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    usual = ["/run/sensorbroker/io.sensorbroker.Broker", "/run/user/1/sensorbroker/io.sensorbroker.Broker"]
    assert sensorbroker.Broker()._paths == usual
    assert sensorbroker.Broker(instance="b")._paths == [path + ".b" for path in usual]
    monkeypatch.setenv("SENSORBROKER_SOCKET", "/tmp/x")
    assert sensorbroker.Broker()._paths == ["/tmp/x"]
    assert sensorbroker.Broker(pathlib.Path("/tmp/y"))._paths == ["/tmp/y"]
    with pytest.raises(sensorbroker.InvalidRequest):
        sensorbroker.Broker(instance="../x")


def test_the_wait_between_attempts_grows_to_two_seconds_with_jitter():
    backoff = _backoff.Backoff(random.Random(1))
    waits = [backoff.next_ns() / SECOND for _ in range(9)]
    assert 0.2 <= waits[0] <= 0.3 and all(1.6 <= wait <= 2.4 for wait in waits[4:]) and len(set(waits)) == 9
    backoff.reset()
    assert backoff.next_ns() <= 0.3 * SECOND


def test_a_message_in_any_pieces_is_the_same():
    chance = random.Random(3)
    messages = [bytes(chance.choices(b"abc{}", k=chance.choice((0, 1, 5, 70000)))) for _ in range(200)]
    data = b"".join(message + b"\0" for message in messages)
    framer, found, place = _message.Framer(), [], 0
    while place < len(data):
        size = chance.choice((1, 2, 7, 65536))
        found += framer.feed(data[place : place + size])
        place += size
    assert found == messages


def test_the_reader_refuses_or_reads_whatever_is_thrown_at_it():
    """Mutations of what a broker sends: nothing but an update or `Malformed` comes out, and what comes out can be used."""
    packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
    reading = {"resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 5}
    seeds = [json.dumps({"parameters": parameters, "continues": True}).encode() for parameters in (
        {"readings": [{**reading, "values": {"columns": {"x": [1.5, 2.5], "y": [0.5, 1.0]}, "periodNanoseconds": 10}}]},
        {"readings": [{**reading, "values": {"packed": {"x": packed}, "packedStepsNanoseconds": "AQAAAAIAAAA="}}]},
        {"readings": [{**reading, "location": {"fix": "3d", "latitudeDegrees": 1.0, "satellites": [{"prn": 1, "used": True}]}}]},
        {"readings": [{**reading, "orientation": "normal", "aligned": [
            {"resource": "a", "alignment": "exact", "columns": {"x": [1.0, None]}}]}]},
        {"gaps": [{"resource": "a", "cause": "b", "count": 3, "fromNanoseconds": 1, "untilNanoseconds": 2}], "ended": "c"},
        {"grants": [{"resource": "a", "intervalNanoseconds": 1, "batchNanoseconds": 0}], "revision": 1, "subscription": "s"},
    )]
    chance = random.Random(20)
    tokens = [b"null", b"true", b"-1", b"1e400", b"NaN", b'"x"', b"[]", b"{}", b"9" * 25, b"0.5", b",", b"]", b"}", b"\\u", b"\xff"]
    read = refused = 0
    for _ in range(30_000):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 3)):
            start = chance.randrange(len(data))
            end = min(len(data), start + chance.choice((0, 1, 1, 2, 8)))
            data[start:end] = chance.choice((chance.choice(tokens), bytes((chance.randrange(1, 256),)), b""))
        try:
            update = _wire.update(_message.reply(bytes(data)).parameters)
        except _members.Malformed:
            refused += 1
            continue
        read += 1
        for one in update.readings:
            stamps = list(one.timestamps_ns)
            assert len(stamps) == len(one) or not one.columns
            assert not stamps or stamps[-1] == one.last_timestamp_ns
            assert all(-(2**63) <= stamp < 2**63 for stamp in stamps)
            assert all(len(list(column)) == len(one) for column in one.columns.values())
            list(one.samples())
    assert read > 1000 and refused > 1000


def test_an_interruption_between_two_clocks_makes_no_time_wrong(monkeypatch):
    boot = iter((100, 50_000_100, 50_000_200, 50_000_300))
    wall = iter((7_000_150, 57_000_250))
    monkeypatch.setattr(_clock, "now_ns", lambda: next(boot))
    monkeypatch.setattr(_clock.time, "time_ns", lambda: next(wall))
    assert sensorbroker.wall_clock_offset_ns() == 7_000_000


def test_a_location_from_the_wire_is_like_any_other():
    read = _location_members.read_location({"fix": "3d", "latitudeDegrees": 1.5, "leapSeconds": 18, "status": "dgps", "satellites": [{"prn": 3, "used": True}]})
    made = sensorbroker.Location(
        "3d", latitude_degrees=1.5, leap_seconds=18, status="dgps", satellites=(sensorbroker.Satellite(3, True),))
    assert read == made and repr(read) == repr(made) and hash(read) == hash(made) and read.altitude_meters is None
    assert dataclasses.asdict(read) == dataclasses.asdict(made)
    assert pickle.loads(pickle.dumps(read)) == copy.deepcopy(read) == made
    with pytest.raises(dataclasses.FrozenInstanceError):
        read.fix = "2d"


def test_readings_are_pickled_and_copied_also_packed_ones():
    packed = base64.b64encode(struct.pack("<3f", 1, 2, 3)).decode()
    more = {"aligned": [{"resource": "b", "alignment": "exact", "columns": {"x": [1.0, None, 2.0]}}], "label": "l"}
    for values in (
        {"packed": {"x": packed}, "packedStepsNanoseconds": "AQAAAAIAAAA="}, {"packed": {"x": packed}, "periodNanoseconds": 5},
        {"columns": {"x": [1.0, 2.0, 3.0]}, "timestampsNanoseconds": [5, 7, 8]},
    ):
        reading = _wire._reading({"resource": "a", "sequence": 1, "timestampNanoseconds": 5, "values": values, **more})
        reading.gaps = (sensorbroker.Gap("a", "l", "slowClient", 3, 1, 5),)
        for again in (*(pickle.loads(pickle.dumps(reading, protocol)) for protocol in range(6)), copy.copy(reading), copy.deepcopy(reading)):
            assert again == reading and list(again.timestamps_ns) == list(reading.timestamps_ns)
            assert type(again.columns["x"]) is type(reading.columns["x"]) and again.numpy()[1]["x"].dtype == reading.numpy()[1]["x"].dtype


def test_packed_readings_leave_no_memory_behind():
    """What an hour at 32 kHz allocates is gone with the readings."""
    text = base64.b64encode(struct.pack("<3200f", *range(3200))).decode()
    reply = json.dumps({"parameters": {"readings": [{
        "resource": "accelerometer", "sequence": 1, "timestampNanoseconds": 5,
        "values": {"packed": {"x": text}, "periodNanoseconds": 31_250}}]}, "continues": True}).encode() + b"\0"
    first = json.dumps({"parameters": {"subscription": "s", "grants": [{
        "resource": "accelerometer", "intervalNanoseconds": 31_250, "batchNanoseconds": 100_000_000}]}, "continues": True}).encode() + b"\0"
    stream = _stream.Stream([values.Request("accelerometer", rate=32_000, batch=0.1)], 0)
    stream.received("stream", first, 0)

    def run(count):
        total = 0
        for number in range(count):
            # In pieces, as from a socket.
            for place in range(0, len(reply), 65_536):
                stream.received("stream", reply[place : place + 65_536], number)
            while stream.events:
                event = stream.events.popleft()
                total += len(event) if isinstance(event, values.Reading) else 0
        return total

    run(100)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    assert run(3000) == 3000 * 3200
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000 and peak - before < 2_000_000, (before, after, peak)
