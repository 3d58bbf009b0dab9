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
from tools.continuity import untold
from tools.daemon import die_with_parent
from tools.descriptorstore import Service
from tools.processes import processor_seconds
from tools.programs import FEED, SENSORCTL
from tools.provider import Provider, feed_path
from tools.stream import MILLISECOND, SECOND, Stream, boot_nanoseconds, samples_of
from tools.users import ALICE, BOB, as_user, let_everybody_in, needs_root
from tools.waiting import until
from tools.wire import Closed, Connection, call

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
    """A daemon with simulated devices, and settings for programs."""

    def begin(settings=SETTINGS, *arguments):
        path = tmp_path / "sensorbrokerd.conf"
        path.write_text(settings)
        return start(*(arguments or ["--mock"]), "--config", str(path))

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


@pytest.mark.parametrize("resource, key", [("orientation", "orientation"), ("gravity", "values")])
def test_what_is_derived_from_programs_is_there_again_after_a_restart(directory, tmp_path, resource, key):
    """For the client that had it, on the same connection; even if there are devices that measure it."""
    (tmp_path / "conf").write_text("[Feed accelerometer]\n[Feed gyroscope]\n")
    (tmp_path / "barometer.scenario").write_text("[pressure]\n")
    service = Service(directory, "--config", str(tmp_path / "conf"), f"--mock={tmp_path / 'barometer.scenario'}")
    service.listening.append(("feed", Service.listen(f"{directory}/{FEED}")))
    names = ("accelerometer", "gyroscope")
    with contextlib.closing(service.start()):
        with Provider(service, *names) as chip, Stream(service.broker, {"resource": resource}) as stream:
            for _ in range(2):
                chip.until(wanted=True)
                count = len(stream.readings)
                while len(stream.readings) == count:
                    now = boot_nanoseconds()
                    chip.push(*({"resource": name, "timestampNanoseconds": now, "values": {"columns": {"x": [0], "y": [y], "z": [0]}}}
                                for name, y in zip(names, (9.8, 0))))
                    time.sleep(0.02)
                    stream.note_what_is_there()
                assert key in stream.readings[-1]
                service.restart()
                chip = Provider(service, *names)
        assert f"{resource} is available again" in service.output()


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
            assert successor.receive()["parameters"] == {"wanted": False}


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


def test_a_sensor_of_the_host_keeps_its_name_unless_the_settings_say_otherwise(daemon):
    with Provider(daemon, "accelerometer") as program:
        name, details = program.refusal()
        assert name == "NameTaken" and "Feed=prefer" in details["holder"]
    with Stream(daemon.broker, every_sample("location")) as stream:
        stream.until(lambda one: one.samples, "the host's own place")
        with Provider(daemon, "location") as phone:
            phone.until(wanted=True)
            stamp = boot_nanoseconds()
            phone.push({"resource": "location", "timestampNanoseconds": stamp,
                        "location": {"fix": "2d", "latitudeDegrees": 1.0, "longitudeDegrees": 2.0}})
            stream.until(lambda one: one.samples[-1][2].get("latitudeDegrees") == 1.0, "the program's")
            assert stream.samples[-1][0] == stamp
            assert not resources(daemon)["location"]["simulated"]
            count = len(stream.samples)
        stream.until(lambda one: len(one.samples) > count + 1, "the host's own again")
        assert stream.samples[-1][2]["latitudeDegrees"] > 50
        assert [gap["cause"] for gap in stream.losses] == ["reconfigured"] * 2


@pytest.mark.parametrize("also", [[], ["temperature"]], ids=["nobody else reads its device", "its device is read meanwhile"])
def test_a_sensor_whose_device_stayed_open_is_read_again(host, tmp_path, also):
    """Its count goes on below the program's, and the device does not say again what it can do."""
    scenario = tmp_path / "barometer.scenario"
    scenario.write_text("[pressure]\nRates=5Hz 50Hz\n[temperature]\nPartOf=pressure\n")
    daemon = host("[Feed pressure]\nFeed=prefer\n", f"--mock={scenario}")
    with Stream(daemon.broker, *(every_sample(name) for name in ["pressure", *also])) as stream:

        def pressures():
            return [sample for one in stream.readings if one["resource"] == "pressure" for sample in samples_of(one)]

        stream.until(lambda one: pressures(), "the host's own")
        with Provider(daemon, "pressure", intervalsNanoseconds=[10 * MILLISECOND]) as program:
            program.until(wanted=True)
            stamp = boot_nanoseconds()
            program.push({"resource": "pressure", "timestampNanoseconds": stamp, "values": {
                "columns": {"value": [50_000] * 500}, "timestampsNanoseconds": [stamp - place for place in reversed(range(500))]}})
            stream.until(lambda one: pressures()[-1][2][0] == 50_000, "the program's")
            stream.until(lambda one: one.grants["pressure"]["deviceIntervalNanoseconds"] == 10 * MILLISECOND, "its interval")
        count = len(pressures())
        stream.until(lambda one: len(pressures()) > count + 3, "the host's own again")
        assert all(one[2][0] > 90_000 for one in pressures()[count:])
        # By its count it would be silent for ten seconds, or a hundred.
        assert pressures()[count][0] - stamp < 5 * SECOND
        stream.until(lambda one: one.grants["pressure"]["deviceIntervalNanoseconds"] > 10 * MILLISECOND, "the interval of the host's own")
        assert [(gap["resource"], gap["cause"]) for gap in stream.losses] == [("pressure", "reconfigured")] * 2


def test_the_batch_that_a_programs_end_completes_is_the_programs(host, tmp_path):
    scenario = tmp_path / "barometer.scenario"
    scenario.write_text("[pressure]\nRates=50Hz\n[temperature]\nPartOf=pressure\n")
    daemon = host("[Feed pressure]\nFeed=prefer\nMaxRate=5000\n", f"--mock={scenario}")
    batch = {"resource": "pressure", "intervalNanoseconds": 100 * MILLISECOND, "batchNanoseconds": SECOND}
    with Stream(daemon.broker, every_sample("temperature")) as other, Stream(daemon.broker, batch) as stream:
        stream.until(lambda one: one.samples, "the host's own")
        with Provider(daemon, "pressure", intervalNanoseconds=20 * MILLISECOND) as program:
            program.until(wanted=True)
            for number in range(150):
                now = boot_nanoseconds()
                program.push({"resource": "pressure", "timestampNanoseconds": now, "values": {
                    "columns": {"value": [50_000] * 20}, "timestampsNanoseconds": [now - place for place in reversed(range(20))]}})
                time.sleep(0.01)
                other.note_what_is_there()
        end = boot_nanoseconds()
        stream.until(lambda one: one.samples[-1][2][0] > 90_000 and one.samples[-1][0] > end, "the host's own again")
        # By its count it would be silent for a minute.
        assert next(at for at, _, (value,) in stream.samples if at > end and value > 90_000) - end < 10 * SECOND


def test_what_a_sensor_measures_while_a_program_has_its_name_is_nobodys(host, tmp_path):
    scenario = tmp_path / "barometer.scenario"
    scenario.write_text("[pressure]\nRates=5Hz\n")
    daemon = host("[Feed pressure]\nFeed=prefer\n", f"--mock={scenario}")
    with Stream(daemon.broker, every_sample("pressure")) as stream:
        stream.until(lambda one: len(one.samples) > 5, "the host's own")
        with Provider(daemon, "pressure", intervalNanoseconds=100 * MILLISECOND) as program:
            program.until(wanted=True)
            begin = boot_nanoseconds()
            # Long enough for its device to measure some within its grace period.
            while boot_nanoseconds() < begin + 2 * SECOND:
                program.push({"resource": "pressure", "values": {"columns": {"value": [50_000]}}})
                time.sleep(0.1)
                stream.note_what_is_there()
        end = boot_nanoseconds()
        stream.until(lambda one: one.samples[-1][0] > end, "the host's own again")
        # One or two may be under way.
        meanwhile = [at for at, _, (value,) in stream.samples if value > 90_000 and begin + SECOND // 2 < at < end]
        assert len(meanwhile) <= 2, f"{len(meanwhile)} readings of the time in which the program had the name"


def test_times_go_on_when_a_name_moves_between_a_program_and_a_sensor(host, tmp_path):
    scenario = tmp_path / "imu.scenario"
    scenario.write_text("[accelerometer]\nRates=100Hz\n[gyroscope]\nPartOf=accelerometer\n")
    daemon = host("[Feed accelerometer]\nFeed=prefer\n", f"--mock={scenario}")
    # While the program has the name, the device may gather samples, also of what it measures under that name.
    with Stream(daemon.broker, every_sample("gyroscope", batchNanoseconds=2 * SECOND)) as other, \
            Stream(daemon.broker, every_sample("accelerometer")) as stream:
        stream.until(lambda one: len(one.samples) > 50, "the host's own")
        with Provider(daemon, "accelerometer") as program:
            program.until(wanted=True)
            # Measured before it had the name.
            program.measure((50, 0, 0), at=stream.samples[-20][0] + 1)

            def measure():
                program.measure((50, 0, 0))
                other.note_what_is_there()
                return len(other.samples) > 300

            until(measure, "two batches")
            end = program.measure((50, 0, 0))
        stream.until(lambda one: one.samples[-1][0] > end + SECOND, "the host's own again")
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert stamps == sorted(set(stamps))
        assert [gap["cause"] for gap in stream.gaps].count("reconfigured") == 2


def test_a_read_is_told_that_its_sensor_is_released_when_the_program_ends(host, tmp_path):
    scenario = tmp_path / "barometer.scenario"
    scenario.write_text("[pressure]\n[temperature]\nPartOf=pressure\n")
    daemon = host("[Feed pressure]\nFeed=prefer\n", f"--mock={scenario}")
    with Provider(daemon, "pressure") as program, Connection(daemon.broker) as reader:
        admin(daemon, "Release", resource="temperature")
        reader.send(call("io.sensorbroker.Broker.Read", {"resource": "pressure", "timeoutNanoseconds": 600 * SECOND}))
        program.until(wanted=True)
        program.close()
        reply = reader.receive()
        assert reply["error"].endswith("ResourceUnavailable") and "released" in reply["parameters"]["reason"], reply


def test_what_no_program_provides_any_more_is_derived(host, tmp_path):
    """Also if others follow from the same sensors already, and if the program has counted far."""
    scenario = tmp_path / "barometer.scenario"
    scenario.write_text("[pressure]\n")
    daemon = host("[Feed accelerometer]\n[Feed gyroscope]\n[Feed gravity]\n[Feed tilt]\n", f"--mock={scenario}")
    with Stream(daemon.broker, every_sample("gravity")) as stream:
        with Provider(daemon, "gravity") as gravity, Provider(daemon, "tilt"):
            gravity.until(wanted=True)
            now = boot_nanoseconds()
            gravity.push({"resource": "gravity", "timestampNanoseconds": now, "values": {
                "columns": {"x": [0] * 500, "y": [0] * 500, "z": [9.9] * 500},
                "timestampsNanoseconds": [now - place for place in reversed(range(500))]}})
            stream.until(lambda one: one.samples and one.samples[-1][0] == now, "the program's")
            chip = Provider(daemon, "accelerometer", "gyroscope", intervalNanoseconds=10 * MILLISECOND)
            assert chip.receive() == {"wanted": False}
            other = Stream(daemon.broker, every_sample("linearacceleration"))
            chip.until(wanted=True)
        until(lambda: "accelerometer" in resources(daemon)["tilt"].get("description", ""), "a tilt that is derived")
        count = len(stream.samples)
        hold_upright(chip, stream, lambda: len(stream.samples) > count)
        assert abs(stream.samples[-1][2][1] - 9.8) < 0.1
        chip.close()
        other.close()


def test_what_follows_from_a_sensor_goes_on_when_its_device_stayed_open(host, tmp_path):
    scenario = tmp_path / "turning.scenario"
    scenario.write_text("[accelerometer]\nRates=200Hz\nMotion=still for 1s\nMotion=rotate x by 90deg for 1s\n[gyroscope]\nPartOf=accelerometer\n")
    daemon = host("[Feed accelerometer]\nFeed=prefer\nMaxRate=5000\n", f"--mock={scenario}")
    with Stream(daemon.broker, *({"resource": name, "intervalNanoseconds": 50 * MILLISECOND} for name in ("attitude", "gyroscope"))) as stream:

        def attitudes(since):
            return [one for one in stream.readings if one["resource"] == "attitude" and one["timestampNanoseconds"] > since]

        stream.until(lambda one: attitudes(0), "an attitude")
        with Provider(daemon, "accelerometer", intervalNanoseconds=10 * MILLISECOND) as program:
            program.until(wanted=True)
            leaves = boot_nanoseconds() + 2 * SECOND

            def measure(_):
                program.push({"resource": "accelerometer", "values": {"columns": {"x": [0.01], "y": [0.01], "z": [9.81]}}})
                stream.note_what_is_there()

            at_each_hundredth(measure, lambda: boot_nanoseconds() > leaves)
        end = boot_nanoseconds()
        # It may settle first.
        stream.until(lambda one: len(attitudes(end)) > 20, "attitudes")
        assert attitudes(end)[-1]["timestampNanoseconds"] - end < 10 * SECOND


def test_what_follows_from_sensors_follows_from_programs(host, tmp_path):
    scenario = tmp_path / "light.scenario"
    scenario.write_text("[light]\n")
    daemon = host("[Feed accelerometer]\n[Feed gyroscope]\n", f"--mock={scenario}")
    assert "attitude" not in resources(daemon)
    with Provider(daemon, "accelerometer", "gyroscope", intervalNanoseconds=10 * MILLISECOND) as chip:
        assert chip.receive() == {"wanted": False}
        assert {resources(daemon)[name]["state"] for name in ("attitude", "orientation", "gravity")} == {"idle"}
        with Stream(daemon.broker, every_sample("gravity"), {"resource": "orientation"}) as stream:
            chip.until(wanted=True)
            hold_upright(chip, stream, lambda: {"gravity", "orientation"} <= {one["resource"] for one in stream.readings})
            gravity = [one for one in stream.readings if one["resource"] == "gravity"][-1]["values"]["columns"]
            assert abs(gravity["y"][0] - 9.8) < 0.1 and abs(gravity["x"][0]) < 0.1


def test_a_name_that_is_derived_is_given_back(host, tmp_path):
    scenario = tmp_path / "phone.scenario"
    scenario.write_text("[accelerometer]\n")
    daemon = host("[Feed tilt]\n[Feed gravity]\n", f"--mock={scenario}")
    derived = resources(daemon)["tilt"]["description"]
    # A section alone takes nothing away.
    assert resources(daemon)["tilt"]["state"] == "idle" and "accelerometer" in derived
    with Provider(daemon, "tilt", description="a lid") as lid:
        assert lid.receive() == {"wanted": False}
        assert resources(daemon)["tilt"]["description"] == "a lid"
    until(lambda: resources(daemon)["tilt"]["description"] == derived, "what follows from the accelerometer")
    with Stream(daemon.broker, {"resource": "tilt"}) as stream:
        stream.until(lambda one: one.samples, "a tilt")


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


# Who may.

def test_what_no_section_names_may_not_be_provided(daemon):
    with Provider(daemon, "accelerometer:leg") as program:
        name, details = program.refusal()
        assert name == "NotAllowed" and "[Feed accelerometer:leg]" in details["reason"]
    # No section can help these.
    advice = {"orientation": "accelerometer: provide that", "orientation:arm": "accelerometer: provide that", "arm": "name it after its kind"}
    for nothing, words in advice.items():
        with Provider(daemon, nothing) as program:
            name, details = program.refusal()
            assert name == "NotAllowed" and words in details["reason"]
    with Provider(daemon, ARM, resources=[{"name": ARM, "kind": "light"}]) as program:
        assert program.refusal()[0] == "NoSuchKind"
    with Provider(daemon, ARM, resources=[{"name": ARM, "kind": "illuminance"}]) as program:
        name, details = program.refusal()
        assert name == "NotAllowed" and "acceleration" in details["reason"]
    assert resources(daemon)[ARM]["state"] == "unavailable"


@needs_root
def test_users_and_groups_may_provide_what_the_settings_say(host):
    daemon = host(f"[Feed {ARM}]\nUsers={ALICE}\n[Feed gyroscope:arm]\nGroups=61500\n[Feed location:phone]\n")
    let_everybody_in(daemon)
    os.chmod(feed_path(daemon), 0o666)

    def attempt(user, resource, groups=()):
        with as_user(user, groups):
            provider = Provider(daemon, resource)
        with provider:
            reply = provider.reply()
            return reply.get("error", "").rsplit(".", 1)[-1]

    assert attempt(ALICE, ARM) == "" and attempt(BOB, ARM) == "NotAllowed"
    assert attempt(BOB, "gyroscope:arm", [61500]) == "" and attempt(ALICE, "gyroscope:arm") == "NotAllowed"
    assert attempt(ALICE, "location:phone") == "NotAllowed"


@needs_root
def test_a_right_that_is_taken_away_ends_the_provision(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\nUsers={ALICE}\n")
    let_everybody_in(daemon)
    os.chmod(feed_path(daemon), 0o666)
    with as_user(ALICE):
        provider = Provider(daemon, ARM)
    with provider:
        assert provider.receive() == {"wanted": False}
        (tmp_path / "sensorbrokerd.conf").write_text(f"[Feed {ARM}]\nUsers={BOB}\n")
        admin(daemon, "Reload")
        assert provider.refusal()[0] == "NotAllowed"
        until(lambda: resources(daemon)[ARM]["state"] == "unavailable", "its end")


def test_other_settings_hold_for_programs_that_are_connected(host, tmp_path):
    daemon = host("[Feed temperature:oven]\nMaxRate=1\n[Feed location]\nFeed=prefer\n")
    settings = tmp_path / "sensorbrokerd.conf"
    with Provider(daemon, "temperature:oven") as oven, wanted(daemon, oven) as stream, Provider(daemon, "location") as phone:
        settings.write_text("[Feed temperature:oven]\nMaxRate=1000\n[Feed location]\n")
        admin(daemon, "Reload")
        name, details = phone.refusal()
        assert name == "NotAllowed" and "has changed" in details["reason"]
        for number in range(50):
            oven.push({"resource": "temperature:oven", "values": {"columns": {"value": [number]}}})
        stream.until(lambda one: len(one.samples) == 50, "as many as may be sent now")
        until(lambda: resources(daemon)["location"]["simulated"], "the host's own place")


def test_grants_follow_the_rate_that_a_connected_program_may_have(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\nMaxRate=10\n")
    settings = tmp_path / "sensorbrokerd.conf"

    def is_granted(stream, interval):
        stream.note_what_is_there()
        return stream.grants[ARM]["intervalNanoseconds"] == interval == resources(daemon)[ARM]["minimumIntervalNanoseconds"]

    with Provider(daemon, ARM) as arm, wanted(daemon, arm, {"resource": ARM, "intervalNanoseconds": MILLISECOND}) as stream:
        assert is_granted(stream, 100 * MILLISECOND)
        for rate in (1000, 20):
            settings.write_text(f"[Feed {ARM}]\nMaxRate={rate}\n")
            admin(daemon, "Reload")
            until(lambda rate=rate: is_granted(stream, SECOND // rate), "the grant of the new rate")
        assert not stream.losses
    # What nobody wants as well.
    with Provider(daemon, ARM):
        settings.write_text(f"[Feed {ARM}]\nMaxRate=500\n")
        admin(daemon, "Reload")
        until(lambda: resources(daemon)[ARM]["minimumIntervalNanoseconds"] == 2 * MILLISECOND, "the new rate in the list")


def test_sections_beyond_what_is_served_are_told(host):
    daemon = host("".join(f"[Feed temperature:r{number:03}]\n" for number in range(520)))
    served = sum(name.startswith("temperature:") for name in resources(daemon))
    assert served < 512
    assert f"[Feed temperature:r{served}] and {519 - served} further ones are not served: there are 512 resources already" in daemon.output()


def test_a_full_list_says_what_makes_room(host, tmp_path):
    daemon = host("".join(f"[Feed temperature:r{number:03}]\n" for number in range(300)))
    (tmp_path / "sensorbrokerd.conf").write_text("".join(f"[Feed humidity:r{number:03}]\n" for number in range(300)))
    admin(daemon, "Reload")
    words = "not served: there are 512 resources already, 300 of them of sections that are gone: a restart, which ends no stream, makes room"
    assert words in daemon.output()


def test_a_section_with_a_kind_that_its_resource_cannot_have_is_told(host, tmp_path):
    oven, kind = "temperature:oven", "[Feed accelerometer]\nKind=gravity\nFeed=prefer\n"
    daemon = host(f"[Feed {oven}]\n{kind}")
    own = "a sensor of this host has that name, and measures acceleration"
    assert f"[Feed accelerometer] is not served: {own}" in daemon.output()
    (tmp_path / "sensorbrokerd.conf").write_text(f"[Feed {oven}]\nKind=objectTemperature\n{kind}")
    admin(daemon, "Reload")
    former = "it is of the kind temperature until the broker is restarted"
    assert f"[Feed {oven}] is not served: {former}" in daemon.output()
    for name, reason in (("accelerometer", own), (oven, former)):
        with Provider(daemon, name) as program:
            assert program.refusal() == ("NotAllowed", {"resource": name, "reason": reason})


def test_what_no_section_names_any_more_says_so(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\n[Feed gyroscope:arm]\n")
    settings = tmp_path / "sensorbrokerd.conf"

    def reasons():
        return [resources(daemon)[name]["reason"] for name in (ARM, "gyroscope:arm")]

    free = "no program provides it at present; see sensorctl feed"
    assert reasons() == [free, free]
    settings.write_text(f"[Feed {ARM}]\n")
    admin(daemon, "Reload")
    until(lambda: reasons() == [free, "the configuration has no section [Feed gyroscope:arm] any more"], "the reason")
    settings.write_text(f"[Feed {ARM}]\n[Feed gyroscope:arm]\n")
    admin(daemon, "Reload")
    until(lambda: reasons() == [free, free], "the reason as before")


def test_a_name_that_a_missing_sensor_has_is_refused_with_its_state(start, tmp_path):
    path = tmp_path / "sensorbrokerd.conf"
    path.write_text("[Feed location]\n")
    daemon = start("--gpsd", "127.0.0.1:9", "--iio", "local:", "--config", str(path))
    until(lambda: resources(daemon)["location"]["state"] == "unavailable", "word of a missing gpsd")
    with Provider(daemon, "location") as phone:
        name, details = phone.refusal()
        assert name == "NameTaken" and re.fullmatch(
            r"a sensor of this host, which is unavailable \(no gpsd .*\); to take its place, set Feed=prefer in .*", details["holder"])


# Hostile programs.

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
