"""An IMU behind an iiod: one device whose accelerometer and gyroscope are shared by clients."""

import itertools
import json

import pytest

from tools.stream import MILLISECOND
from tools.waiting import until
from tools.administration import resources
from tools.continuity import untold
from tools.fakesysfs import run
from tools.imu import Imu
from tools.network import Proxy
from tools.ports import free_port
from tools.programs import BROKER, ROOT, SENSORCTL
from tools.stream import Stream, read_all, samples_of
from tools.wire import Connection

SCALE = 0.009806650
INTERVAL = 40 * MILLISECOND
FASTEST = 10 * MILLISECOND


@pytest.fixture(params=[("--available", "25 50 100"), ("--own-rates", "25 50 100,25 50 100 200")], ids=["one rate", "own rates"])
def imu(request):
    imu = Imu(*request.param)
    yield imu
    imu.close()


@pytest.fixture
def served(start, imu):
    daemon = start("--iio", f"ip:127.0.0.1:{imu.port}", "--gpsd", f"localhost:{free_port()}")
    until(lambda: "gyroscope" in resources(daemon), "the gyroscope")
    return daemon


def wish(resource, interval=INTERVAL):
    return {"resource": resource, "intervalNanoseconds": interval}


def scans(stream, resource):
    """A stream's readings of a resource: timestamp and values of each scan, by its number.

    On a busy host a reply has several samples, of which only the first has its number, and a client may be too slow for some.
    """
    gaps = [gap for gap in stream.gaps if gap["resource"] == resource]
    assert {gap["cause"] for gap in gaps} <= {"reconfigured", "slowClient"}, gaps
    firsts = [samples_of(reading)[0] for reading in stream.readings]
    return {number: (stamp, *(round(value / SCALE) for value in values)) for stamp, number, values in firsts}


def holes(stream):
    """Where a stream lacks readings that nobody told it of.

    On a busy host the device makes its samples late, and seems silent to the broker: a reading that is sent early for that stands for
    its due time, which is over when it comes (docs/delivery.md, *Silence*).
    """
    counts = {stamp: round(values[2] / SCALE) for stamp, _, values in stream.samples}
    came = {stamp: at for (stamp, *_), at in zip(stream.samples, stream.came)}
    # The device's period is at most as long as the interval, and kept within a few per cent.
    longest = 2 * INTERVAL + INTERVAL // 20
    return [(earlier, later, gaps) for earlier, later, gaps in untold(stream, longest)
            if counts[later] != counts[earlier] + 1 and later - came[earlier] > longest]


def check_shared(accelerations, turns):
    """Checks that each scan that both clients have is the same: one timestamp, and one sample of the device, whose
    gyroscope has x and y swapped.
    """
    common = accelerations.keys() & turns.keys()
    for number in common:
        stamp, x, y, z = accelerations[number]
        assert turns[number] == (stamp, y, x, z) and x == z % 1000 == -y
    return len(common)


def test_clients_of_either_kind_share_it_while_a_third_changes_rates(served):
    with Stream(served.broker, wish("accelerometer")) as one, Connection(served.broker) as caller:
        one.until(lambda s: len(s.samples) >= 20, "accelerations")
        assert resources(served)["gyroscope"]["state"] == "idle" and one.losses == []
        with Stream(served.broker, wish("gyroscope")) as other, Stream(served.broker, wish("accelerometer", 2 * INTERVAL)) as third:
            everybody = [one, other, third]
            read_all(everybody, lambda: check_shared(scans(one, "accelerometer"), scans(other, "gyroscope")) >= 15, "common scans")
            # The one reported gap for the others when another kind is requested, and nothing for the newcomer.
            assert [gap["cause"] for gap in one.losses] == ["reconfigured"] and other.losses == []
            for interval in (FASTEST, INTERVAL // 2, 3 * INTERVAL, FASTEST, INTERVAL):
                caller.result(f"{BROKER}.Modify", {"subscription": third.subscription, "requests": [wish("accelerometer", interval)]})
                marks = [len(stream.samples) for stream in everybody]
                read_all(everybody, lambda: all(len(s.samples) >= mark + 20 for s, mark in zip(everybody, marks)), "readings")
            read_all(everybody, lambda: check_shared(scans(one, "accelerometer"), scans(other, "gyroscope")) >= 100
                     and check_shared(scans(third, "accelerometer"), scans(other, "gyroscope")) >= 20, "common scans")
            for stream in (one, other):
                assert holes(stream) == []
            losses = len(one.losses)
        # The gyroscope's client goes, and comes back: that costs nobody anything.
        until(lambda: resources(served)["gyroscope"]["state"] == "idle", "a gyroscope for nobody")
        with Stream(served.broker, wish("gyroscope")) as back:
            read_all([one, back], lambda: len(back.samples) >= 10, "angular velocities again")
            assert len(one.losses) == losses and holes(one) == []


def test_one_stream_has_both_kinds_and_each_scan_one_timestamp(served):
    with Stream(served.broker, wish("accelerometer"), wish("gyroscope")) as stream:
        stream.until(lambda s: len(s.samples) >= 60, "readings")
    by_stamp, numbers = {}, {}
    for stamp, _, values in stream.samples:
        by_stamp.setdefault(stamp, []).append(values)
    # On a busy host a reading has several samples, of which only the first has its number.
    for reading in stream.readings:
        numbers.setdefault(reading["timestampNanoseconds"], set()).add(reading["sequence"])
    whole = [parts for parts in by_stamp.values() if len(parts) == 2]
    # The end of the test may cut the last scan in two, and so may both ends of a gap where the test itself was held up.
    assert len(whole) >= len(by_stamp) - 1 - 2 * len(stream.gaps) and stream.losses == []
    assert all(one[2] == other[2] for one, other in whole)
    assert all(len(known) == 1 for known in numbers.values())
    assert all(one < other for one, other in itertools.pairwise(number for number, in numbers.values()))


def test_loss_and_return_apply_to_both_kinds_and_a_successor_may_lack_one(served, imu):
    with Stream(served.broker, wish("accelerometer")) as one, Stream(served.broker, wish("gyroscope")) as other:
        read_all([one, other], lambda: len(one.samples) >= 10 and len(other.samples) >= 10, "readings")
        imu.order("unplug")
        for stream in (one, other):
            stream.until(lambda s: s.states[-1][1] == "unavailable", "the loss")
        imu.order("plug")
        for stream in (one, other):
            stream.until(lambda s: s.states[-1][1] == "active", "the return")
            stream.until(lambda s: "deviceLost" in {gap["cause"] for gap in s.gaps}, "word of what was lost meanwhile")
        imu.order("types accel")
        imu.order("drop")
        other.until(lambda s: "no gyroscope" in (s.states[-1][2] or ""), "word of what is missing")
        seen = len(one.samples)
        one.until(lambda s: len(s.samples) >= seen + 20 and s.states[-1][1] == "active", "accelerations without it")
        imu.order("types accel,anglvel")
        imu.order("drop")
        seen = len(other.samples)
        other.until(lambda s: len(s.samples) >= seen + 20 and s.states[-1][1] == "active", "the gyroscope")


def test_the_brokers_own_host_takes_no_names_from_the_other(directory):
    """A laptop whose accelerometer and gyroscope are two devices serves the IMU of a robot, which is one."""
    own = [{"name": name} | {f"in_{kind}_{axis}_raw": "1" for axis in "xyz"} for name, kind in (
        ("accel_3d", "accel"), ("gyro_3d", "anglvel"), ("accel_3d", "accel"))]
    script = (f"ip link set lo up; sleep infinity | python3 {ROOT}/Tests/Support/fakeiiod.py --type accel,anglvel --port 30431 >/dev/null & "
              f"until {SENSORCTL} get gyroscope --format json; do sleep 0.1; done; {SENSORCTL} list --format json")
    result = run(directory, [{"files": files} for files in own], "sh", "-c", script,
                 configuration="[Accelerometer]\nContext=ip:127.0.0.1\n")
    assert result.returncode == 0, result.stderr
    reading, *listed = map(json.loads, result.stdout.splitlines())
    assert reading["resource"] == "gyroscope" and reading["values"]["columns"]
    assert "accelerometer:1" not in {resource["name"] for resource in listed}


def test_readings_of_a_far_iiod_do_not_come_later_and_later(start, closing):
    """An answer takes 100 ms, in which more than two samples are measured."""
    proxy = closing(Proxy(closing(Imu("--available", "25 50 100")).port, delay=0.05))
    daemon = start("--iio", f"ip:127.0.0.1:{proxy.port}", "--gpsd", f"localhost:{free_port()}")
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 40 * MILLISECOND}) as stream:
        # One sample an answer would come at two fifths of this pace, of which a host that stood still makes more for a while.
        def keeps_pace(s):
            return s.came[-1] - s.came[-50] < 1.5 * (s.samples[-1][0] - s.samples[-50][0])

        stream.until(lambda s: len(s.samples) >= 100 and keeps_pace(s), "readings as they are measured")
    # Nor is the clock of a host that is ever later taken for one that was set.
    assert not stream.losses
