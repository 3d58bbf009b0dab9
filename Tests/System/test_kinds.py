"""Kinds that are defined only by their rows, such as the gyroscope, from a device or a scenario to every output."""

import csv
import io
import math
import pathlib
import re

import pytest

from tools.commands import run, sensorctl
from tools.imu import FakeIiod
from tools.ports import free_port
from tools.administration import resources
from tools.programs import ROOT, SENSORCTL
from tools.stream import Stream, scans_of
from tools.waiting import until

SCALE = 0.009806650
GYROSCOPE = {"resource": "gyroscope", "intervalNanoseconds": 10_000_000}


@pytest.fixture
def iiod(closing):
    return closing(FakeIiod("--type", "anglvel")).port


def test_a_gyroscope_behind_an_iiod_is_found_and_served(start, iiod):
    daemon = start("--iio", f"ip:127.0.0.1:{iiod}", "--gpsd", f"localhost:{free_port()}")
    # A request makes the broker look for the accelerometer: there is none, but the existing device is announced.
    with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
        stream.until(lambda s: "gyroscope" in resources(daemon), "the gyroscope")
    told = resources(daemon)["gyroscope"]
    assert told["kind"] == "angularVelocity"
    assert told["channels"] == [{"name": name, "unit": "rad/s"} for name in "xyz"]
    with Stream(daemon.broker, GYROSCOPE) as stream:
        stream.until(lambda s: len(s.samples) >= 10, "readings")
    for _, _, (x, y, z) in stream.samples:
        assert x == -y and abs(z / SCALE - round(z / SCALE)) < 1e-6 and x == pytest.approx(round(z / SCALE) % 1000 * SCALE)


@pytest.fixture
def simulated(start, tmp_path):
    scenario = tmp_path / "turning.scenario"
    scenario.write_text("[Scenario]\nSpeed=max\n[gyroscope]\nRates=100Hz\nSamples=0.5 -1 90; 0.25 0 0\n[gyroscope:1]\n")
    return start(f"--mock={scenario}")


def test_a_simulated_gyroscope_is_shown_in_columns_with_its_unit(simulated):
    heading, *rows = sensorctl("watch", "gyroscope@10ms", "--count", "4", broker=simulated).splitlines()
    assert re.search(r"X rad/s +Y rad/s +Z rad/s", heading)
    assert {tuple(row.split()[-3:]) for row in rows if "gyroscope" in row} == {
        ("+0.5000", "-1.0000", "+90.0000"), ("+0.2500", "+0.0000", "+0.0000")}
    table = list(csv.DictReader(io.StringIO(sensorctl("watch", "gyroscope@10ms", "--count", "4", "--format", "csv", broker=simulated))))
    assert {tuple(float(row[axis]) for axis in "xyz") for row in table} == {(0.5, -1.0, 90.0), (0.25, 0.0, 0.0)}


def test_changes_below_the_minimum_in_the_kinds_unit_are_left_out(simulated):
    assert "rad/s" in run(SENSORCTL, "watch", "gyroscope", "--min-change", "5m", "--socket", simulated.broker).stderr
    rows = sensorctl("watch", "gyroscope@10ms", "--min-change", "30deg/s", "--count", "4", "--format", "csv", broker=simulated)
    steps = [float(row["z"]) for row in csv.DictReader(io.StringIO(rows))]
    assert steps in ([90.0, 0.0, 90.0, 0.0], [0.0, 90.0, 0.0, 90.0])


def test_its_readings_are_recorded_exported_imported_and_replayed(simulated, start, tmp_path):
    recording, table, again = tmp_path / "a.ndjson", tmp_path / "a.csv", tmp_path / "b.ndjson"
    sensorctl("record", "gyroscope", recording, "--count", "20", broker=simulated)
    sensorctl("export", recording, table)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 20 and {float(row["x"]) for row in rows} == {0.5, 0.25}
    sensorctl("import", table, again)
    assert '"resource":"gyroscope"' in pathlib.Path(again).read_text()
    simulated.stop()
    daemon = start("--replay", again, "--loop")
    assert resources(daemon)["gyroscope"]["kind"] == "angularVelocity"
    with Stream(daemon.broker, {"resource": "gyroscope", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 5, "readings")
    assert {values for _, _, values in stream.samples} <= {(0.5, -1.0, 90.0), (0.25, 0.0, 0.0)}


def test_a_gyroscope_that_is_part_of_an_imu_shares_its_scans_and_faults(start, tmp_path):
    scenario = tmp_path / "imu.scenario"
    scenario.write_text("[accelerometer]\nRates=50Hz 100Hz\nSamples=0 0 1; 0 0 2\n"
                        "[gyroscope]\nPartOf=accelerometer\nSamples=0 0 1; 0 0 2\n")
    daemon = start(f"--mock={scenario}")
    with Stream(daemon.broker, {**GYROSCOPE, "resource": "accelerometer"}, GYROSCOPE) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "readings")
        by_number = {}
        for stamp, number, values in stream.samples:
            by_number.setdefault(number, []).append((stamp, values))
        assert all(scan[0] == scan[-1] for scan in by_number.values()) and max(map(len, by_number.values())) == 2
        sensorctl("mock", "unplug", "gyroscope", broker=daemon)
        stream.until(lambda s: {name for name, state, _ in s.states if state == "unavailable"} >= {"accelerometer", "gyroscope"}, "the loss of both")


# The values of kinds for which a number of their own is of interest; any other kind with one number has the last one.
VALUES = {
    "magnetometer": "20 -5.5 43", "heading": "359.5", "gravity": "0 0 9.81", "linearacceleration": "0.5 0 -1",
    "rotation": "0 0 0.6 0.8", "inclination": "0.1 -0.2 0", "light": "320.5", "proximity": "1 640", "pressure": "101325",
    "temperature": "-3.25", "current": "-0.25", "steps": "4711", None: "12.5",
}


def others():
    """Each kind of a scenario but the first two: its values, its name on the wire, and its channels, as the table has them."""
    table = (ROOT / "Sources/Ground/SensorValues/KindRow+Table.swift").read_text()
    rows = re.findall(r'KindRow\(\s*"(\w+)", resource: "(\w+)", channels: \[(.*?)\](.*?)(?=KindRow\(|\n    \])', table, re.DOTALL)
    kinds = {resource: (VALUES.get(resource, VALUES[None]), wire, re.findall(r'"(\w+)"', channels))
             for wire, resource, channels, row in rows if ".iio(" in row}
    del kinds["accelerometer"], kinds["gyroscope"]
    assert len(kinds) > 20 and set(VALUES) - {None} <= set(kinds)
    return kinds


OTHERS = others()
# A scenario has at most 16 devices.
PARTS = list(OTHERS)[list(OTHERS).index("current") + 1:]


@pytest.fixture
def all_kinds(start, tmp_path):
    scenario = tmp_path / "all.scenario"
    scenario.write_text("".join(f"[{name}]\n{'PartOf=current' if name in PARTS else 'Rates=50Hz'}\nSamples={values}\n"
                                for name, (values, _, _) in OTHERS.items()))
    return start(f"--mock={scenario}")


def test_each_of_a_scenario_goes_every_way_out(all_kinds, start, tmp_path):
    told = resources(all_kinds)
    listed = sensorctl("list", broker=all_kinds)
    for name, (values, kind, channels) in OTHERS.items():
        numbers = [float(word) for word in values.split()]
        assert told[name]["kind"] == kind and name in listed
        assert [item["name"] for item in told[name]["channels"]] == channels
        shown = sensorctl("get", name, broker=all_kinds)
        assert all(item["unit"] in shown for item in told[name]["channels"]), shown
        assert [float(word) for word in shown.splitlines()[-1].split()[-len(numbers):]] == pytest.approx(numbers, abs=0.01)
        [row] = csv.DictReader(io.StringIO(sensorctl("watch", f"{name}@20ms", "--count", "1", "--format", "csv", broker=all_kinds)))
        assert [float(row[channel]) for channel in channels] == numbers
        recording, table, again = (tmp_path / f"{name}.{end}" for end in ("ndjson", "csv", "again.ndjson"))
        sensorctl("record", name, recording, "--count", "1", broker=all_kinds)
        sensorctl("export", recording, table)
        sensorctl("import", table, again)
        assert f'"resource":"{name}"' in again.read_text()
        # A reply may hold more than one reading.
        rows = list(csv.DictReader(table.open()))
        assert rows and all([float(row[channel]) for channel in channels] == numbers for row in rows)
    all_kinds.stop()
    daemon = start("--replay", tmp_path / "rotation.ndjson", "--loop")
    with Stream(daemon.broker, {"resource": "rotation"}) as stream:
        stream.until(lambda s: s.samples, "a reading")
    assert stream.samples[0][2] == (0.0, 0.0, 0.6, 0.8)


def test_what_is_sent_on_change_comes_at_once_and_when_it_has_changed(start, tmp_path):
    scenario = tmp_path / "dusk.scenario"
    steps = [320] * 20 + [320.5] * 20 + [321.5] * 20
    scenario.write_text("[light]\nRates=100Hz\nSamples=" + "; ".join(map(str, steps)) + "\n")
    daemon = start(f"--mock={scenario}")
    with Stream(daemon.broker, {"resource": "light", "intervalNanoseconds": 10_000_000}) as stream:
        stream.until(lambda s: len(s.samples) >= 6, "changes")
        with Stream(daemon.broker, {"resource": "light", "intervalNanoseconds": 10_000_000_000}) as other:
            other.until(lambda s: s.samples, "a reading at once")
    # After 320, 321.5 is the first change, and after that 320 is the next one.
    lux = [values[0] for _, _, values in stream.samples]
    assert {(one, two) for one, two in zip(lux, lux[1:])} <= {(320, 321.5), (320.5, 321.5), (321.5, 320)}
    with Stream(daemon.broker, {"resource": "light", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 100, "every sample")
    assert 320.5 in {values[0] for _, _, values in stream.samples}


@pytest.mark.parametrize("change, words", [("5deg", None), ("5lx", "rad")])
def test_a_rotation_is_left_out_by_an_angle(start, tmp_path, change, words):
    scenario = tmp_path / "turn.scenario"
    # 0, 2, 4 degrees and so on about z.
    halves = [math.radians(step) for step in range(60)]
    scenario.write_text("[rotation]\nRates=100Hz\nAtEnd=hold\nSamples="
                        + "; ".join(f"0 0 {math.sin(half):.9f} {math.cos(half):.9f}" for half in halves) + "\n")
    daemon = start(f"--mock={scenario}")
    done = run(
        SENSORCTL, "watch", "rotation@10ms", "--min-change", change, "--count", "10", "--format", "csv", "--socket",
        daemon.broker)
    if words:
        assert done.returncode == 64 and words in done.stderr
        return
    angles = [2 * math.degrees(math.atan2(float(row["z"]), float(row["w"]))) for row in csv.DictReader(io.StringIO(done.stdout))]
    # 5 degrees are exceeded at 6.
    assert [two - one for one, two in zip(angles, angles[1:])] == pytest.approx([6] * 9, abs=0.05)


@pytest.fixture
def other_iiod(request, closing):
    return closing(FakeIiod(*request.param)).port


@pytest.mark.parametrize("other_iiod", [["--type", "accel,anglvel,temp,magn", "--hz", "1000"]], indirect=True)
def test_what_an_imu_measures_beside_two_kinds_is_served_from_the_same_scans(start, other_iiod):
    daemon = start("--iio", f"ip:127.0.0.1:{other_iiod}", "--gpsd", f"localhost:{free_port()}")
    names = ["accelerometer", "gyroscope", "temperature", "magnetometer"]
    with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
        stream.until(lambda s: set(names) <= set(resources(daemon)), "all kinds")
    with Stream(daemon.broker, *({"resource": name, "intervalNanoseconds": 1_000_000} for name in names)) as stream:
        stream.until(lambda s: len(s.samples) >= 4_000, "readings")
    whole = [scan for scan in scans_of(stream).values() if len(scan) == 4]
    assert len(whole) > 500 and all(len({stamp for stamp, _ in scan.values()}) == 1 for scan in whole)
    for scan in whole:
        count = round(scan["accelerometer"][1][0] / SCALE)
        assert scan["temperature"][1][0] == pytest.approx(count * SCALE / 1_000)


@pytest.mark.parametrize("other_iiod", [["--type", "accel,temp", "--hwmon"]], indirect=True)
def test_what_hwmon_measures_is_not_taken_for_a_sensors(start, other_iiod):
    """Some iiods list it, and its power is in another unit than that of IIO."""
    daemon = start("--iio", f"ip:127.0.0.1:{other_iiod}", "--gpsd", f"localhost:{free_port()}")
    until(lambda: "temperature" in resources(daemon), "the temperature")
    assert "power" not in resources(daemon)


@pytest.mark.parametrize("other_iiod", [["--type", "illuminance", "--unscaled"]], indirect=True)
def test_a_scale_of_the_configuration_makes_a_sensor_usable_and_a_reload_changes_it(start, tmp_path, other_iiod):
    file = tmp_path / "sensorbrokerd.conf"
    file.write_text("[Light]\nScale=0.5\n")
    daemon = start("--config", file, "--iio", f"ip:127.0.0.1:{other_iiod}", "--gpsd", f"localhost:{free_port()}")
    with Stream(daemon.broker, {"resource": "accelerometer"}) as stream:
        stream.until(lambda s: "light" in resources(daemon), "the light sensor")
    with Stream(daemon.broker, {"resource": "light", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "readings")
        assert {values[0] % 1 for _, _, values in stream.samples} == {0.0, 0.5}
        file.write_text("[Light]\nScale=0.25\nOffset=7.125\n")
        sensorctl("reload", broker=daemon)
        stream.until(lambda s: len(s.samples) > 4 and {v[0] % 0.25 for _, _, v in s.samples[-4:]} == {0.125}, "the new scale")
