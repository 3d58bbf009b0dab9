"""Hostile programs: what they send ends with an error, and disturbs nobody."""

import subprocess
import sys

import pytest

from tools.administration import resources
from tools.continuity import untold
from tools.daemon import die_with_parent
from tools.feedhost import ARM, SETTINGS, daemon, every_sample, host, wanted  # noqa: F401  fixtures
from tools.programs import FEED
from tools.provider import Provider, feed_path
from tools.stream import MILLISECOND, Stream
from tools.waiting import until
from tools.wire import Closed, Connection, call

GOOD = {"resource": ARM, "values": {"columns": {"x": [1], "y": [2], "z": [3]}}}
BAD_PUSHES = [
    {}, {"samples": []}, {"samples": [GOOD, GOOD]}, {"samples": "x"}, {"samples": [1]}, {"samples": [{**GOOD, "more": 1}]},
    {"samples": [{**GOOD, "resource": "gyroscope:arm"}]}, {"samples": [{**GOOD, "timestampNanoseconds": 1.5}]},
    {"samples": [{"resource": ARM}]}, {"samples": [{"resource": ARM, "location": {"fix": "3d"}}]},
    {"samples": [{**GOOD, "location": {"fix": "3d"}}]}, {"samples": [GOOD], "missing": -1}, {"samples": [GOOD], "missing": "1"},
    {"samples": [{"resource": ARM, "values": {"columns": {"x": [1], "y": [2]}}}]},
    {"samples": [{"resource": ARM, "values": {"columns": {"x": [1], "y": [2], "z": []}}}]},
    {"samples": [{"resource": ARM, "values": {"columns": {"x": [], "y": [], "z": []}}}]},
    {"samples": [{"resource": ARM, "values": {"columns": {"x": [1], "y": [2], "z": ["3"]}}}]},
    {"samples": [{"resource": ARM, "values": {"columns": {"x": [1], "y": [2], "z": [3], "w": [4]}}}]},
    {"samples": [{"resource": ARM, "values": {"packed": {"x": "!", "y": "!", "z": "!"}}}]},
    {"samples": [{"resource": ARM, "values": {**GOOD["values"], "timestampsNanoseconds": [1, 2]}}]},
    {"samples": [{"resource": ARM, "values": {**GOOD["values"], "packedStepsNanoseconds": "AAAA"}}]},
]


def test_a_mistaken_call_ends_with_an_error_and_disturbs_nobody(daemon):
    with Stream(daemon.broker, every_sample("gyroscope") if "gyroscope" in resources(daemon) else every_sample("accelerometer")) as bystander:
        for parameters in BAD_PUSHES:
            with Provider(daemon, ARM) as arm, wanted(daemon, arm):
                arm.connection.send(call(f"{FEED}.Push", parameters, oneway=True))
                assert arm.refusal()[0] == "InvalidParameter", parameters
                with pytest.raises(Closed):
                    arm.reply()
        for method, flags, error in (("Provide", {"more": True}, "AlreadyProviding"), ("Push", {}, "InvalidParameter"),
                                     ("Nothing", {}, "MethodNotFound")):
            with Provider(daemon, ARM) as arm, wanted(daemon, arm):
                arm.connection.send(call(f"{FEED}.{method}", {"samples": [GOOD]}, **flags))
                assert arm.refusal()[0] == error
        for bytes in (b"{\0", b"\xff\0", b"[]\0", b"x" * 100_000):
            with Provider(daemon, ARM) as arm, wanted(daemon, arm):
                arm.connection.socket.sendall(bytes)
                with pytest.raises(Closed):
                    while True:
                        arm.reply()
        bystander.note_what_is_there()
        assert not bystander.losses
    assert daemon.process.poll() is None


@pytest.mark.parametrize("offer", [
    {"resources": []}, {"resources": [{"name": ARM}, {"name": ARM}]}, {"resources": [{"name": "a b"}]}, {"resources": [{}]},
    {"resources": [{"name": ARM}] * 17}, {"intervalsNanoseconds": []}, {"intervalsNanoseconds": [2_000, 1_000]},
    {"intervalsNanoseconds": [-1]}, {"shortestNanoseconds": 5_000}, {"longestNanoseconds": 5_000},
    {"shortestNanoseconds": 5_000, "longestNanoseconds": 4_000}, {"intervalNanoseconds": 0}, {"restNanoseconds": 1e30},
    {"description": 5}, {"simulated": "yes"}, {"other": 1}], ids=str)
def test_a_mistaken_offer_is_refused(daemon, offer):
    with Provider(daemon, ARM, **offer) as program:
        assert program.refusal()[0] == "InvalidParameter"


def test_calls_before_and_without_provide_are_answered(daemon):
    with Connection(feed_path(daemon)) as client:
        assert client.error(f"{FEED}.Push", {"samples": []})[0] == f"{FEED}.NotProviding"
        assert client.error(f"{FEED}.Provide", {"resources": [{"name": ARM}]})[0] == "org.varlink.service.ExpectedMore"
        assert client.error("io.sensorbroker.Broker.ListResources")[0] == "org.varlink.service.InterfaceNotFound"
        assert FEED in client.result("org.varlink.service.GetInfo")["interfaces"]


def test_a_flood_is_its_own_programs_loss(host):
    """Neither the samples of others nor calls suffer while a program sends without a pause."""
    # So few that it is a flood on a host of any speed.
    daemon = host(SETTINGS.replace("MaxRate=2000", "MaxRate=50"))
    script = """if True:
        import json, socket, sys
        feed = socket.socket(socket.AF_UNIX)
        feed.connect(sys.argv[1])
        feed.sendall(json.dumps({"method": "io.sensorbroker.Feed.Provide", "parameters": {"resources": [{"name": sys.argv[2]}]},
                                 "more": True}).encode() + b"\\0")
        push = json.dumps({"method": "io.sensorbroker.Feed.Push", "parameters": {"samples": [
            {"resource": sys.argv[2], "values": {"columns": {"x": [1], "y": [0], "z": [0]}}}]}, "oneway": True}).encode() + b"\\0"
        while True:
            feed.sendall(push * 100)
    """
    program = subprocess.Popen([sys.executable, "-c", script, feed_path(daemon), ARM], preexec_fn=die_with_parent)
    try:
        until(lambda: resources(daemon)[ARM]["state"] == "idle", "the flood")
        with Stream(daemon.broker, every_sample(ARM)) as flooded, \
                Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 20 * MILLISECOND}) as bystander:
            # Who looks at what floods might itself be too slow for the other.
            bystander.until(lambda one: len(one.samples) >= 100, "the other's samples")
            assert resources(daemon)
            bystander.until(lambda one: len(one.samples) >= 150, "more of them")
            assert not bystander.losses and not untold(bystander, 20 * MILLISECOND)
            stamps = [stamp for stamp, _, _ in bystander.samples]
            assert all((second - first) % (20 * MILLISECOND) == 0 for first, second in zip(stamps, stamps[1:]))
            flooded.until(lambda one: one.gaps, "what was too much")
            assert {gap["cause"] for gap in flooded.gaps} <= {"deviceOverflow", "slowClient"}
    finally:
        program.kill()
        program.wait()
