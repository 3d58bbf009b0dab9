"""Names that move between a program and a sensor of the host, and what is derived from either."""

import contextlib
import time

import pytest

from tools.administration import admin, resources
from tools.descriptorstore import Service
from tools.feedhost import at_each_hundredth, daemon, every_sample, hold_upright, host  # noqa: F401  fixtures
from tools.programs import FEED
from tools.provider import Provider
from tools.stream import MILLISECOND, SECOND, Stream, boot_nanoseconds, samples_of
from tools.waiting import until
from tools.wire import Connection, call


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
def test_a_sensor_whose_device_stayed_open_is_read_again(host, also):
    """Its count goes on below the program's, and the device does not say again what it can do."""
    daemon = host("[Feed pressure]\nFeed=prefer\n", "[pressure]\nRates=5Hz 50Hz\n[temperature]\nPartOf=pressure\n")
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


def test_the_batch_that_a_programs_end_completes_is_the_programs(host):
    daemon = host("[Feed pressure]\nFeed=prefer\nMaxRate=5000\n", "[pressure]\nRates=50Hz\n[temperature]\nPartOf=pressure\n")
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


def test_what_a_sensor_measures_while_a_program_has_its_name_is_nobodys(host):
    daemon = host("[Feed pressure]\nFeed=prefer\n", "[pressure]\nRates=5Hz\n")
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


def test_times_go_on_when_a_name_moves_between_a_program_and_a_sensor(host):
    daemon = host("[Feed accelerometer]\nFeed=prefer\n", "[accelerometer]\nRates=100Hz\n[gyroscope]\nPartOf=accelerometer\n")
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
                # Who reads nothing for as long as a busy host needs has its connection ended.
                for one in (stream, other):
                    one.note_what_is_there()
                return len(other.samples) > 300

            until(measure, "two batches")
            end = program.measure((50, 0, 0))
        stream.until(lambda one: one.samples[-1][0] > end + SECOND, "the host's own again")
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert stamps == sorted(set(stamps))
        assert [gap["cause"] for gap in stream.gaps].count("reconfigured") == 2


def test_a_read_is_told_that_its_sensor_is_released_when_the_program_ends(host):
    daemon = host("[Feed pressure]\nFeed=prefer\n", "[pressure]\n[temperature]\nPartOf=pressure\n")
    with Provider(daemon, "pressure") as program, Connection(daemon.broker) as reader:
        admin(daemon, "Release", resource="temperature")
        reader.send(call("io.sensorbroker.Broker.Read", {"resource": "pressure", "timeoutNanoseconds": 600 * SECOND}))
        program.until(wanted=True)
        program.close()
        reply = reader.receive()
        assert reply["error"].endswith("ResourceUnavailable") and "released" in reply["parameters"]["reason"], reply


def test_what_no_program_provides_any_more_is_derived(host):
    """Also if others follow from the same sensors already, and if the program has counted far."""
    daemon = host("[Feed accelerometer]\n[Feed gyroscope]\n[Feed gravity]\n[Feed tilt]\n", "[pressure]\n")
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


def test_what_follows_from_a_sensor_goes_on_when_its_device_stayed_open(host):
    daemon = host("[Feed accelerometer]\nFeed=prefer\nMaxRate=5000\n", "[accelerometer]\nRates=200Hz\nMotion=still for 1s\n"
                  "Motion=rotate x by 90deg for 1s\n[gyroscope]\nPartOf=accelerometer\n")
    requests = ({"resource": name, "intervalNanoseconds": 50 * MILLISECOND} for name in ("attitude", "gyroscope"))
    with Stream(daemon.broker, *requests) as stream:

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


def test_what_follows_from_sensors_follows_from_programs(host):
    daemon = host("[Feed accelerometer]\n[Feed gyroscope]\n", "[light]\n")
    assert "attitude" not in resources(daemon)
    with Provider(daemon, "accelerometer", "gyroscope", intervalNanoseconds=10 * MILLISECOND) as chip:
        assert chip.receive() == {"wanted": False}
        assert {resources(daemon)[name]["state"] for name in ("attitude", "orientation", "gravity")} == {"idle"}
        with Stream(daemon.broker, every_sample("gravity"), {"resource": "orientation"}) as stream:
            chip.until(wanted=True)
            hold_upright(chip, stream, lambda: {"gravity", "orientation"} <= {one["resource"] for one in stream.readings})
            gravity = [one for one in stream.readings if one["resource"] == "gravity"][-1]["values"]["columns"]
            assert abs(gravity["y"][0] - 9.8) < 0.1 and abs(gravity["x"][0]) < 0.1


def test_a_name_that_is_derived_is_given_back(host):
    daemon = host("[Feed tilt]\n[Feed gravity]\n", "[accelerometer]\n")
    derived = resources(daemon)["tilt"]["description"]
    # A section alone takes nothing away.
    assert resources(daemon)["tilt"]["state"] == "idle" and "accelerometer" in derived
    with Provider(daemon, "tilt", description="a lid") as lid:
        assert lid.receive() == {"wanted": False}
        assert resources(daemon)["tilt"]["description"] == "a lid"
    until(lambda: resources(daemon)["tilt"]["description"] == derived, "what follows from the accelerometer")
    with Stream(daemon.broker, {"resource": "tilt"}) as stream:
        stream.until(lambda one: one.samples, "a tilt")
