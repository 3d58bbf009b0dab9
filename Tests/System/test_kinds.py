"""A kind that nothing but its row knows: the gyroscope, from a device or a scenario to every way out."""

import csv
import io
import pathlib
import re
import subprocess

import pytest

from daemon import die_with_parent
from programs import BROKER, PATIENCE, ROOT, SENSORCTL
from receiver import free_port
from stream import Stream
from wire import Connection

SCALE = 0.009806650
GYROSCOPE = {"resource": "gyroscope", "intervalNanoseconds": 10_000_000}


@pytest.fixture
def iiod():
    process = subprocess.Popen(["python3", str(ROOT / "Tests/Support/fakeiiod.py"), "--type", "anglvel"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    yield process.stdout.readline().rsplit(":", 1)[1].strip()
    process.kill()
    process.wait()


def sensorctl(daemon, *words):
    done = subprocess.run([str(SENSORCTL), *map(str, words), "--socket", str(daemon.broker)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE * 2, preexec_fn=die_with_parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def resources(daemon):
    with Connection(daemon.broker) as client:
        return {item["name"]: item for item in client.result(f"{BROKER}.ListResources")["resources"]}


def test_one_behind_an_iiod_is_found_and_served(start, iiod):
    daemon = start("--iio", f"ip:127.0.0.1:{iiod}", "--gpsd", f"localhost:{free_port()}")
    # Asked for, the accelerometer is looked for: there is none, but what there is is told of.
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


def test_one_of_a_scenario_is_watched_in_columns_with_its_unit(simulated):
    heading, *rows = sensorctl(simulated, "watch", "gyroscope@10ms", "--count", "4").splitlines()
    assert re.search(r"X rad/s +Y rad/s +Z rad/s", heading)
    assert {tuple(row.split()[-3:]) for row in rows if "gyroscope" in row} == {
        ("+0.5000", "-1.0000", "+90.0000"), ("+0.2500", "+0.0000", "+0.0000")}
    table = list(csv.DictReader(io.StringIO(sensorctl(simulated, "watch", "gyroscope@10ms", "--count", "4", "--format", "csv"))))
    assert {tuple(float(row[axis]) for axis in "xyz") for row in table} == {(0.5, -1.0, 90.0), (0.25, 0.0, 0.0)}


def test_a_smaller_change_than_asked_for_in_its_unit_is_left_out(simulated):
    assert "rad/s" in subprocess.run(
        [str(SENSORCTL), "watch", "gyroscope", "--min-change", "5m", "--socket", str(simulated.broker)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE).stderr
    rows = sensorctl(simulated, "watch", "gyroscope@10ms", "--min-change", "30deg/s", "--count", "4", "--format", "csv")
    steps = [float(row["z"]) for row in csv.DictReader(io.StringIO(rows))]
    assert steps in ([90.0, 0.0, 90.0, 0.0], [0.0, 90.0, 0.0, 90.0])


def test_it_is_recorded_exported_imported_and_played(simulated, start, tmp_path):
    recording, table, again = tmp_path / "a.ndjson", tmp_path / "a.csv", tmp_path / "b.ndjson"
    sensorctl(simulated, "record", "gyroscope", recording, "--count", "20")
    subprocess.run([str(SENSORCTL), "export", recording, table], check=True, timeout=PATIENCE)
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 20 and {float(row["x"]) for row in rows} == {0.5, 0.25}
    subprocess.run([str(SENSORCTL), "import", table, again], check=True, timeout=PATIENCE)
    assert '"resource":"gyroscope"' in pathlib.Path(again).read_text()
    simulated.stop()
    daemon = start("--replay", again, "--loop")
    assert resources(daemon)["gyroscope"]["kind"] == "angularVelocity"
    with Stream(daemon.broker, {"resource": "gyroscope", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 5, "readings")
    assert {values for _, _, values in stream.samples} <= {(0.5, -1.0, 90.0), (0.25, 0.0, 0.0)}


def test_one_that_is_part_of_another_device_shares_its_scans_and_its_faults(start, tmp_path):
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
        sensorctl(daemon, "mock", "unplug", "gyroscope")
        stream.until(lambda s: {name for name, state, _ in s.states if state == "unavailable"} >= {"accelerometer", "gyroscope"}, "the loss of both")
