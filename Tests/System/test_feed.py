"""Programs that are sensors: what they send is what clients read, under the promises that hold for any sensor."""

import base64
import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import pytest

from tools import commands
from tools.administration import admin, await_state, device, resources
from tools.daemon import die_with_parent
from tools.feedhost import ARM, daemon, every_sample, host, wanted  # noqa: F401  fixtures
from tools.processes import processor_seconds
from tools.programs import FEED, SENSORCTL
from tools.provider import Provider, feed_path
from tools.stream import MILLISECOND, SECOND, Stream, boot_nanoseconds, samples_of
from tools.waiting import until
from tools.wire import Closed, Connection, call


def test_what_is_sent_is_what_is_read(daemon):
    with Provider(daemon, ARM, description="an arm", intervalNanoseconds=10 * MILLISECOND) as arm, wanted(daemon, arm) as stream:
        item = resources(daemon)[ARM]
        assert (item["kind"], item["description"], item["simulated"]) == ("acceleration", "an arm", False)
        sent = []
        for number in range(100):
            vector = (number / 8, -number / 4, 9.5)
            sent.append((arm.measure(vector), vector))
        stream.until(lambda one: len(one.samples) == 100, "a hundred samples")
        assert [(stamp, values) for stamp, _, values in stream.samples] == sent
        assert [sequence for _, sequence, _ in stream.samples] == list(range(100))
        assert not stream.losses and stream.states[-1] == (ARM, "active", None)


def test_samples_may_come_together_and_in_every_form(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        now = boot_nanoseconds()
        arm.measure((1, 0, 0), (2, 0, 0), (3, 0, 0), at=now - 30_000, periodNanoseconds=10_000)
        arm.measure((4, 0, 0), (5, 0, 0), at=now - 9_000, timestampsNanoseconds=[now - 9_000, now - 2_000])
        packed = {name: base64.b64encode(struct.pack("<2f", *column)).decode() for name, column in
                  {"x": (6, 7), "y": (0, 0), "z": (0, 0)}.items()}
        steps = base64.b64encode(struct.pack("<I", 500)).decode()
        arm.push({"resource": ARM, "timestampNanoseconds": now - 1_000, "values": {"packed": packed, "packedStepsNanoseconds": steps}})
        stream.until(lambda one: len(one.samples) == 7, "seven samples")
        stamps = [now - 30_000, now - 20_000, now - 10_000, now - 9_000, now - 2_000, now - 1_000, now - 500]
        assert [(stamp, values[0]) for stamp, _, values in stream.samples] == list(zip(stamps, range(1, 8)))


def test_without_a_time_the_last_sample_was_measured_on_arrival(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        before = boot_nanoseconds()
        arm.push({"resource": ARM, "values": {"columns": {"x": [1, 2], "y": [0, 0], "z": [0, 0]}, "periodNanoseconds": 1_000}})
        stream.until(lambda one: len(one.samples) == 2, "both")
        (first, _, _), (second, _, _) = stream.samples
        assert second - first == 1_000 and before < second <= boot_nanoseconds()


def test_several_resources_of_one_program_share_time_and_number(daemon):
    with Provider(daemon, ARM, "gyroscope:arm") as arm, \
            wanted(daemon, arm, every_sample(ARM), every_sample("gyroscope:arm")) as stream:
        times = []
        for number in range(20):
            times.append(boot_nanoseconds())
            arm.push(*({"resource": name, "timestampNanoseconds": times[-1],
                        "values": {"columns": {"x": [number], "y": [sign], "z": [0]}}} for name, sign in ((ARM, 1), ("gyroscope:arm", -1))))
        stream.until(lambda one: len(one.samples) == 40, "all of both")
        for name, sign in ((ARM, 1), ("gyroscope:arm", -1)):
            samples = [sample for one in stream.readings if one["resource"] == name for sample in samples_of(one)]
            assert samples == [(stamp, number, (number, sign, 0)) for number, stamp in enumerate(times)]


def test_a_location_comes_whole(daemon):
    place = {
        "fix": "3d", "utcMicroseconds": 1_790_000_000_000_000, "latitudeDegrees": 48.1, "longitudeDegrees": 11.5, "altitudeMeters": 520.5,
        "horizontalErrorMeters": 3.5, "speedMetersPerSecond": 1.5, "trackDegrees": 90.0, "status": "dgps", "satellitesUsed": 7}
    with Provider(daemon, "location:phone") as phone, wanted(daemon, phone, every_sample("location:phone", satellites=True)) as stream:
        seen = [{"prn": 5, "system": "gps", "signalDecibelHertz": 41.0, "used": True}]
        phone.push({"resource": "location:phone", "location": {**place, "satellites": seen}})
        stream.until(lambda one: one.readings, "the place")
        assert stream.readings[0]["location"] == {**place, "satellites": seen}


def test_a_program_is_told_what_is_wanted_and_follows(daemon):
    with Provider(daemon, ARM, intervalsNanoseconds=[5 * MILLISECOND, 20 * MILLISECOND, 100 * MILLISECOND]) as arm:
        assert arm.receive() == {"wanted": False}
        with Stream(daemon.broker, {"resource": ARM, "intervalNanoseconds": 50 * MILLISECOND}) as stream:
            assert arm.receive() == {"wanted": True, "intervalNanoseconds": 20 * MILLISECOND, "latencyNanoseconds": 0}
            arm.measure((0, 0, 1))
            stream.until(lambda one: one.states[-1][1] == "active", "readings")
            with Connection(daemon.broker) as other:
                other.result("io.sensorbroker.Broker.Modify", {
                    "subscription": stream.subscription, "requests": [{"resource": ARM, "intervalNanoseconds": 7 * MILLISECOND}]})
            arm.until(wanted=True, intervalNanoseconds=5 * MILLISECOND)
            assert resources(daemon)[ARM]["deviceIntervalNanoseconds"] == 5 * MILLISECOND
        # There is no grace period here.
        arm.until(wanted=False)
        await_state(daemon, "idle", ARM)


def test_what_nobody_wants_is_dropped(daemon):
    with Provider(daemon, ARM) as arm:
        assert arm.receive() == {"wanted": False}
        for number in range(5_000):
            arm.measure((number, 0, 0))
        with Stream(daemon.broker, every_sample(ARM)) as stream:
            arm.until(wanted=True)
            stamp = arm.measure((-1, 0, 0))
            stream.until(lambda one: one.samples and one.samples[-1][0] == stamp, "the new one")
            assert stream.samples[-1][2][0] == -1


def test_clients_may_come_first(daemon):
    item = resources(daemon)[ARM]
    assert (item["kind"], item["state"]) == ("acceleration", "unavailable") and "no program provides it" in item["reason"]
    assert "unavailable" not in daemon.output()
    with Stream(daemon.broker, every_sample(ARM), every_sample("gyroscope:arm")) as stream:
        # Both are one device now, which they were not before.
        with Provider(daemon, ARM, "gyroscope:arm") as arm:
            arm.until(wanted=True)
            now = boot_nanoseconds()
            arm.push(*({"resource": name, "timestampNanoseconds": now, "values": {"columns": {"x": [1], "y": [0], "z": [0]}}}
                       for name in (ARM, "gyroscope:arm")))
            stream.until(lambda one: len(one.samples) == 2, "one of each")
            assert not stream.losses


def test_a_restart_of_the_daemon_ends_no_clients_hope(host, directory):
    first = host()
    with Provider(first, ARM) as arm, wanted(first, arm) as stream:
        arm.measure((1, 0, 0))
        stream.until(lambda one: one.samples, "a sample")
        first.stop()
        assert stream.read_to_end() == "shutdown"
        with pytest.raises(Closed):
            while True:
                arm.connection.receive()
    second = host()
    # In whichever order they come back.
    with Stream(second.broker, every_sample(ARM)) as stream, Provider(second, ARM) as arm:
        arm.until(wanted=True)
        arm.measure((2, 0, 0))
        stream.until(lambda one: one.samples, "a sample")


def test_one_program_has_a_name(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        with Provider(daemon, ARM) as other:
            name, details = other.refusal()
            assert name == "NameTaken" and details["resource"] == ARM and f"process {os.getpid()} " in details["holder"]
        arm.measure((1, 0, 0))
        stream.until(lambda one: len(one.samples) == 1, "the first program's sample")


def test_a_name_is_free_once_its_program_has_ended(daemon):
    """Even if the ends of so many others came with its own that the broker leaves it for the next turn."""
    with Provider(daemon, ARM) as arm, contextlib.ExitStack() as stack:
        others = [stack.enter_context(Stream(daemon.broker, *(
            {"resource": "accelerometer", "intervalNanoseconds": 3600 * SECOND, "label": str(label)} for label in range(50))))
            for _ in range(200)]
        daemon.process.send_signal(signal.SIGSTOP)
        arm.close()
        for other in others:
            other.close()
        with Connection(feed_path(daemon)) as successor:
            successor.send(call(f"{FEED}.Provide", {"resources": [{"name": ARM}]}, more=True))
            daemon.process.send_signal(signal.SIGCONT)
            assert successor.receive()["parameters"]["wanted"] is False


def test_the_death_of_a_program_is_one_gap_and_its_clients_live_on(daemon):
    script = """if True:
        import json, socket, sys, time
        feed = socket.socket(socket.AF_UNIX)
        feed.connect(sys.argv[1])
        def say(method, parameters, **flags):
            feed.sendall(json.dumps({"method": "io.sensorbroker.Feed." + method, "parameters": parameters, **flags}).encode() + b"\\0")
        say("Provide", {"resources": [{"name": sys.argv[2]}]}, more=True)
        number = 0
        while True:
            number += 1
            say("Push", {"samples": [{"resource": sys.argv[2], "values": {"columns": {"x": [number], "y": [0], "z": [0]}}}]}, oneway=True)
            time.sleep(0.005)
    """

    def begin():
        return subprocess.Popen([sys.executable, "-c", script, feed_path(daemon), ARM], preexec_fn=die_with_parent)

    program = begin()
    try:
        until(lambda: resources(daemon)[ARM]["state"] == "idle", "the program to provide")
        with Stream(daemon.broker, every_sample(ARM)) as stream:
            for death in (signal.SIGKILL, signal.SIGTERM):
                count = len(stream.samples)
                stream.until(lambda one: len(one.samples) > count + 20, "samples")
                gaps = len(stream.gaps)
                program.send_signal(death)
                program.wait()
                stream.until(lambda one: one.states[-1][1] == "unavailable", "the loss")
                assert "program" in stream.states[-1][2]
                last = stream.samples[-1][0]
                program = begin()
                stream.until(lambda one: len(one.gaps) > gaps and one.states[-1][1] == "active", "the gap")
                [gap] = stream.gaps[gaps:]
                assert gap["cause"] == "deviceLost" and gap["fromNanoseconds"] == last
    finally:
        program.kill()
        program.wait()


def test_a_program_that_stops_is_stale(daemon):
    with Provider(daemon, ARM, intervalNanoseconds=10 * MILLISECOND) as arm, wanted(daemon, arm) as stream:
        arm.measure((1, 0, 0))
        stream.until(lambda one: one.states[-1][1] == "stale", "the silence")
        arm.measure((2, 0, 0))
        stream.until(lambda one: one.states[-1][1] == "active", "its end")
    with Provider(daemon, "gyroscope:arm", restNanoseconds=3600 * SECOND) as rare, wanted(daemon, rare) as stream:
        rare.measure((1, 0, 0))
        stream.until(lambda one: one.samples, "a sample")
        # Longer than any other program may be silent.
        time.sleep(1.5)
        stream.note_what_is_there()
        assert stream.states[-1][1] == "active"


def test_times_that_cannot_be_true_are_refused(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        first = arm.measure((1, 0, 0))
        for lie, word in ((lambda: first, "not later"), (lambda: first - 1, "not later"), (lambda: -5, "before"),
                          (lambda: boot_nanoseconds() + SECOND, "future")):
            arm.measure((-1, 0, 0), at=lie())
            told = arm.receive()["refused"]
            assert told["count"] == 1 and word in told["reason"]
        arm.measure((2, 0, 0))
        stream.until(lambda one: len(one.samples) == 2, "the true ones")
        assert [values[0] for _, _, values in stream.samples] == [1, 2] and not stream.losses
        assert device(daemon, ARM)["refusedValues"] == 4


def test_impossible_values_are_gaps(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        arm.measure((1, 0, 0))
        arm.measure((1e9, 0, 0))
        infinite = base64.b64encode(struct.pack("<f", float("inf"))).decode()
        arm.push({"resource": ARM, "timestampNanoseconds": boot_nanoseconds(), "values": {"packed": dict.fromkeys("xyz", infinite)}})
        arm.measure((2, 0, 0))
        stream.until(lambda one: len(one.samples) == 2, "both")
        assert [values[0] for _, _, values in stream.samples] == [1, 2]
        assert sum(gap["count"] for gap in stream.gaps) == 2
        assert arm.receive()["refused"]["reason"] == "impossible values"


def test_impossible_parts_of_a_location_are_left_out_also_beside_others(host):
    daemon = host("[Feed location:phone]\n[Feed pressure:phone]\n")
    with Provider(daemon, "location:phone", "pressure:phone") as phone, wanted(daemon, phone) as stream:
        phone.push({"resource": "location:phone", "location": {"fix": "3d", "latitudeDegrees": 500, "longitudeDegrees": 11.5, "speedMetersPerSecond": 2}},
                   {"resource": "pressure:phone", "values": {"columns": {"value": [101_325]}}})
        stream.until(lambda one: one.samples, "the location")
        assert "latitudeDegrees" not in stream.samples[0][2] and stream.samples[0][2]["speedMetersPerSecond"] == 2
        assert phone.receive()["refused"]["reason"] == "impossible values"


def test_what_may_be_gathered_may_be_sent_at_once(daemon):
    batch = {"resource": "temperature:oven", "intervalNanoseconds": 0, "batchNanoseconds": 5 * SECOND}
    with Provider(daemon, "temperature:oven", intervalNanoseconds=100 * MILLISECOND) as oven, wanted(daemon, oven, batch) as stream:
        assert oven.told[-1]["latencyNanoseconds"] > SECOND
        now = boot_nanoseconds()
        while boot_nanoseconds() < now + 2 * SECOND:
            time.sleep(0.01)
        # At its rate of ten a second, in two calls.
        for part in range(2):
            times = [now + (part * 10 + place) * 100 * MILLISECOND for place in range(10)]
            oven.push({"resource": "temperature:oven", "timestampNanoseconds": times[0],
                       "values": {"columns": {"value": [20] * 10}, "timestampsNanoseconds": times}})
        stream.until(lambda one: len(one.samples) == 20, "all of them")
        assert not stream.losses


def test_what_was_sent_before_the_end_counts(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        start = boot_nanoseconds()
        values = [number / 8 for number in range(500)]
        for place, value in enumerate(values):
            arm.measure((value, 0, 0), at=start + place)
        arm.close()
        stream.until(lambda one: one.states[-1][1] == "unavailable", "the end")
        assert [x for _, _, (x, _, _) in stream.samples] == values and not stream.losses


def test_more_than_may_be_sent_is_a_gap(daemon):
    oven = "temperature:oven"
    with Provider(daemon, oven) as program, wanted(daemon, program) as stream:
        times = []
        for number in range(50):
            times.append(boot_nanoseconds())
            program.push({"resource": oven, "timestampNanoseconds": times[-1], "values": {"columns": {"value": [20 + number]}}})
        refused = 0
        while refused + len(stream.samples) < 50:
            refused += program.receive().get("refused", {}).get("count", 0)
            stream.note_what_is_there()
        # Ten in a second, and those of a second at once; a busy host takes longer to send them.
        seconds = (boot_nanoseconds() - times[0]) / SECOND
        assert 10 <= len(stream.samples) <= 11 + 10 * seconds
        time.sleep(0.3)
        last = boot_nanoseconds()
        program.push({"resource": oven, "timestampNanoseconds": last, "values": {"columns": {"value": [100]}}})
        stream.until(lambda one: one.samples[-1][0] == last, "one that may come")
        # Nothing is missing in silence: numbers and gaps account for all.
        sequences = [sequence for _, sequence, _ in stream.samples]
        missing = sequences[-1] + 1 - len(sequences)
        assert missing == refused == sum(gap["count"] for gap in stream.gaps)
        assert {gap["cause"] for gap in stream.losses} == {"deviceOverflow"}


def test_a_release_costs_nothing_afterwards(daemon):
    """Of what a program provides, and of what none does."""
    with Provider(daemon, ARM) as arm, wanted(daemon, arm):
        admin(daemon, "Release", all=True)
        arm.until(wanted=False)
        begin = processor_seconds(daemon.pid)
        time.sleep(1)
        assert processor_seconds(daemon.pid) - begin < 0.3
        admin(daemon, "Reacquire", all=True)
        arm.until(wanted=True)


def test_a_released_device_does_not_want_samples(daemon):
    with Provider(daemon, ARM) as arm, wanted(daemon, arm) as stream:
        arm.measure((1, 0, 0))
        stream.until(lambda one: one.samples, "a sample")
        admin(daemon, "Release", resource=ARM)
        arm.until(wanted=False)
        stream.until(lambda one: one.states[-1][1] == "released", "the release")
        admin(daemon, "Reacquire", resource=ARM)
        arm.until(wanted=True)
        arm.measure((2, 0, 0))
        stream.until(lambda one: len(one.samples) == 2, "the next sample")
        assert [gap["cause"] for gap in stream.losses] == ["released"]


def test_get_prints_one_reading_of_several_that_came_at_once(daemon):
    with Provider(daemon, ARM) as arm:
        get = commands.start(SENSORCTL, "get", ARM, "--wait", "--format", "json", broker=daemon)
        arm.until(wanted=True)
        time.sleep(1)  # so that all were measured meanwhile
        at = arm.measure((1, 0, 0), (2, 0, 0), (3, 0, 0), at=boot_nanoseconds() - SECOND // 2, periodNanoseconds=SECOND // 5)
        line, _ = get.communicate()
    reading = json.loads(line)
    assert reading["timestampNanoseconds"] == at and reading["values"] == {"columns": {"x": [1], "y": [0], "z": [0]}}


def test_it_is_recorded_replayed_and_counted_like_any_other(daemon, start, tmp_path):
    recording = tmp_path / "arm.ndjson"
    with Provider(daemon, ARM, intervalNanoseconds=20 * MILLISECOND) as arm:
        assert arm.receive() == {"wanted": False}
        record = commands.start(SENSORCTL, "record", ARM, recording, "--count", "50", broker=daemon)
        arm.until(wanted=True)
        sent = []
        while record.poll() is None:
            sent.append((arm.measure((len(sent) / 8, 0, 9.5)), (len(sent) / 8, 0, 9.5)))
            time.sleep(0.02)
        assert "50 readings, no gap" in record.communicate()[1] and record.returncode == 0
        assert device(daemon, ARM)["samples"] >= 50
        metrics = commands.run(SENSORCTL, "metrics", broker=daemon).stdout
        assert f'sensorbroker_device_samples_total{{device="{ARM}"}}' in metrics
        # Its name is cut to the column.
        assert re.search("^acceleromet\\S*… ", commands.run(SENSORCTL, "top", "--once", broker=daemon).stdout, re.MULTILINE)
    daemon.stop()
    with Stream(start("--replay", recording).broker, every_sample(ARM)) as stream:
        stream.until(lambda one: len(one.samples) == 50, "the recording")
        assert [values for _, _, values in stream.samples] == [values for _, values in sent[:50]]
