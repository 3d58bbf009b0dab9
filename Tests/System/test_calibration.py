"""Calibrations: measured by sensorctl in guided steps, stored by the daemon for the device, there again after a restart."""

import json
import math
import os
import pathlib
import stat
import subprocess

import pytest

from tools.administration import admin, refusal
from tools.commands import sensorctl
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import PATIENCE, SENSORCTL
from tools.provider import Provider
from tools.stream import MILLISECOND, Stream
from tools.waiting import until
from tools.wire import Connection

GYROSCOPE = """
[gyroscope]
Rates=50Hz
Samples=0.01 -0.02 0.005; 0.01 -0.02 0.005
Noise=0.002
"""
ACCELEROMETER = """
[accelerometer]
Rates=50Hz
Noise=0.01
""" + "".join(f"Motion=still for 2s\nMotion=rotate {axis} by {angle}deg for 1s\n"
              for axis, angle in [("x", 90), ("x", 90), ("x", 90), ("x", 90), ("y", 90), ("y", 180)]) \
    + "Motion=still for 3s\n"
OFFSET = (30.0, -12.0, 45.0)


def magnetometer(seconds=40, directions=1.0, offset=OFFSET, strength=49.0):
    """A device that is turned about evenly in so much of all directions, in a field beside iron of its own."""
    rows = []
    count = seconds * 25
    for index in range(count):
        up = math.sin(2 * math.pi * index / count * 3) * directions
        across, angle = math.sqrt(1 - up * up), 2 * math.pi * index / count * 17
        field = (across * math.cos(angle), across * math.sin(angle), up)
        rows.append(" ".join(f"{middle + strength * part:.4f}" for middle, part in zip(offset, field)))
    return "\n[magnetometer]\nRates=25Hz\nNoise=0.3\n" + "".join(f"Samples={row};\n" for row in rows)


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


@pytest.fixture
def calibrated(start, tmp_path, state):
    """Starts a daemon whose devices are these, and whose state outlives it."""
    def start_one(scenario, *arguments):
        path = tmp_path / "scenario"
        path.write_text(scenario)
        return start(f"--mock={path}", "--state-directory", state, *arguments)
    return start_one


def known(daemon):
    return admin(daemon, "GetCalibrations")["calibrations"]


def near(numbers, others, tolerance):
    return all(abs(one - other) <= tolerance for one, other in zip(numbers, others, strict=True))


def test_a_gyroscope_is_calibrated_and_stays_so_after_a_restart(calibrated, state):
    daemon = calibrated(GYROSCOPE)
    text = sensorctl("calibrate", "gyroscope", broker=daemon)
    assert "bias x 0.5" in text and text.endswith("gyroscope: stored\n"), text
    [one] = known(daemon)
    assert near(one["offset"], [0.01, -0.02, 0.005], 0.001) and 0 < one["error"] < 0.002, one
    assert one["resource"] == "gyroscope" and one["kind"] == "angularVelocity" and one["device"]
    assert one["matrix"] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    [file] = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(state.stat().st_mode) == 0o700
    daemon.stop()

    again = calibrated(GYROSCOPE)
    sensorctl("get", "gyroscope", broker=again)
    assert known(again) == [one]
    # Readings stay as they are.
    value = json.loads(sensorctl("get", "gyroscope", "--format", "json", broker=again))["values"]["columns"]
    assert near([value[axis][0] for axis in "xyz"], [0.01, -0.02, 0.005], 0.02), value
    assert "gyroscope" in sensorctl("calibrate", "--show", broker=again)
    assert sensorctl("calibrate", "gyroscope", "--forget", broker=again) == "gyroscope: forgotten\n"
    assert known(again) == [] and list(state.iterdir()) == []


def test_a_dry_run_stores_nothing_and_says_all_in_json(calibrated, state):
    daemon = calibrated(GYROSCOPE)
    answer = json.loads(sensorctl("calibrate", "gyroscope", "--dry-run", "--format", "json", broker=daemon))
    assert near(answer["offset"], [0.01, -0.02, 0.005], 0.001) and not answer["isStored"]
    assert known(daemon) == [] and not state.exists()


def test_a_gyroscope_that_turns_is_refused(calibrated):
    daemon = calibrated(GYROSCOPE.replace("0.01 -0.02 0.005; 0.01", "0.01 -0.02 0.005; 0.3"))
    error = sensorctl("calibrate", "gyroscope", "--for", "5s", broker=daemon, status=75)
    assert "did not rest long enough" in error and "it moved" in error
    assert known(daemon) == []


def test_what_measures_nothing_is_not_the_persons_fault(calibrated):
    daemon = calibrated(GYROSCOPE)
    sensorctl("release", "gyroscope", broker=daemon)
    # At once: nobody puts a device down for two minutes.
    error = sensorctl("calibrate", "gyroscope", broker=daemon, status=69)
    assert "gyroscope was released" in error and "sudo sensorctl reacquire gyroscope" in error
    sensorctl("reacquire", "gyroscope", broker=daemon)
    sensorctl("mock", "stall", "gyroscope", broker=daemon)
    error = sensorctl("calibrate", "gyroscope", "--for", "3s", broker=daemon, status=75)
    assert "gyroscope is starting, and has not shown enough" in error
    assert known(daemon) == []


def test_a_magnetometer_is_calibrated_as_soon_as_enough_was_seen(calibrated):
    daemon = calibrated(magnetometer())
    answer = json.loads(sensorctl("calibrate", "magnetometer", "--format", "json", broker=daemon))
    assert near(answer["offset"], OFFSET, 1) and answer["headingErrorDegrees"] < 3, answer
    [one] = known(daemon)
    assert one["offset"] == answer["offset"] and one["matrix"] == answer["matrix"]


@pytest.mark.parametrize("scenario, words", [
    (magnetometer(10, directions=0.05), "not turned in enough directions"),
    (magnetometer(10, strength=200.0), "which the Earth's has nowhere")])
def test_a_magnetometer_that_shows_too_little_is_not_calibrated(calibrated, scenario, words):
    daemon = calibrated(scenario)
    assert words in sensorctl("calibrate", "magnetometer", "--for", "6s", broker=daemon, status=75)
    assert known(daemon) == []


def test_an_accelerometer_is_calibrated_on_its_six_sides(calibrated):
    daemon = calibrated(ACCELEROMETER)
    answer = json.loads(sensorctl("calibrate", "accelerometer", "--format", "json", broker=daemon))
    assert near(answer["offset"], [0, 0, 0], 0.02) and near(answer["matrix"], [1, 0, 0, 0, 1, 0, 0, 0, 1], 0.002), answer
    error = sensorctl("calibrate", "accelerometer", "--for", "1s", "--dry-run", broker=daemon, status=75)
    assert "did not look upwards" in error


def test_a_mounting_is_reported_as_a_matrix_that_makes_it_right(calibrated):
    # The chip's x axis looks to the bottom edge.
    motions = "Rates=50Hz\nMotion=still for 3s\nMotion=rotate x by 90deg for 1s\nMotion=still for 10s\n"
    daemon = calibrated("[accelerometer]\n" + motions)
    assert "there is nothing to set" in sensorctl("calibrate", "mounting", broker=daemon)
    daemon.stop()
    turned = "[accelerometer]\nSamples=" + "0 0 9.81; " * 150 + "-9.81 0 0; " * 500 + "\nRates=50Hz\nAtEnd=hold\n"
    daemon = calibrated(turned)
    answer = json.loads(sensorctl("calibrate", "mounting", "--format", "json", broker=daemon))
    assert answer == {"resource": "accelerometer", "mountMatrix": "0, 1, 0; -1, 0, 0; 0, 0, 1"}
    assert known(daemon) == []


def test_a_file_of_anybody_is_told_of_and_stays(calibrated, state):
    daemon = calibrated(GYROSCOPE)
    sensorctl("calibrate", "gyroscope", broker=daemon)
    daemon.stop()
    [good] = state.iterdir()
    (state / "bad.json").write_text('{"offset": [1e999, 0, 0]}')
    (state / "long.json").write_bytes(b"[" * 100_000)
    (state / "link.json").symlink_to("/etc/passwd")
    os.mkfifo(state / "pipe.json")
    (state / "folder.json").mkdir()
    (state / good.name.replace("gyroscope", "magnetometer")).write_bytes(good.read_bytes())
    (state / "notes.txt").write_text("of the administrator")
    again = calibrated(GYROSCOPE)
    sensorctl("get", "gyroscope", broker=again)
    assert len(known(again)) == 1
    output = again.output()
    # A later version may be able to use it.
    for name in ["bad.json", "long.json", "link.json", "pipe.json", "folder.json", good.name.replace("gyroscope", "magnetometer")]:
        assert f"/{name} is not used" in output and os.path.lexists(state / name), output
    assert (state / "notes.txt").exists() and pathlib.Path("/etc/passwd").exists()


def test_what_cannot_be_stored_is_refused_and_changes_nothing(calibrated, state):
    state.write_text("a file is in the way")
    daemon = calibrated(GYROSCOPE)
    name, details = set_offset(daemon, [0.01, 0.0, 0.0])
    assert name == "CalibrationRefused" and "cannot be stored" in details["reason"]
    assert known(daemon) == []


def set_offset(daemon, offset, **more):
    sensorctl("get", "gyroscope", broker=daemon)
    return refusal(daemon, "SetCalibration", resource="gyroscope", offset=offset, error=0.001, **more)


def test_impossible_calibrations_are_refused(calibrated):
    daemon = calibrated(GYROSCOPE + magnetometer(2))
    for offset, more in [([0.1, 0.2], {}), ([0.1, 0.2, 0.3, 0.4], {}), (["a", 0.0, 0.0], {}),
                         ([0.0, 0.0, 0.0], {"matrix": [1.0]})]:
        assert set_offset(daemon, offset, **more)[0] in ("InvalidParameter",), (offset, more)
    for offset, more in [([5.0, 0.0, 0.0], {}), ([0.0, 0.0, 0.0], {"matrix": [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]}),
                         ([0.0, 0.0, 0.0], {"temperatureCelsius": -500.0})]:
        assert set_offset(daemon, offset, **more)[0] == "CalibrationRefused", (offset, more)
    assert refusal(daemon, "SetCalibration", resource="nowhere", offset=[0.0, 0.0, 0.0], error=0.0)[0] == "NoSuchResource"
    assert known(daemon) == []


def test_what_is_stored_of_a_device_that_is_not_there_is_not_said_to_be_none(start, state):
    state.mkdir(mode=0o700)
    (state / "accelerometer-f28881910b44586f.json").write_text(json.dumps({
        "device": "chip", "kind": "acceleration", "offset": [0.01, 0.0, 0.0], "error": 0.001, "utcSeconds": 1_800_000_000}))
    daemon = start("--iio", f"ip:127.0.0.1:{free_port()}", "--gpsd", f"localhost:{free_port()}", "--state-directory", state)
    assert [one["device"] for one in known(daemon)] == ["chip"], daemon.output()
    error = sensorctl("calibrate", "accelerometer", "--forget", broker=daemon, status=69)
    assert "nothing identifies the device of accelerometer" in error
    assert len(known(daemon)) == 1


@pytest.mark.parametrize("seconds, shown", [
    (0, "1970-01-01 00:00:00Z"), (9_000_000_001, "2255-03-14 16:00:01Z"), (253_402_300_799, "9999-12-31 23:59:59Z")])
def test_one_of_a_clock_that_was_wrong_is_shown(start, state, seconds, shown):
    state.mkdir(mode=0o700)
    (state / "accelerometer-f28881910b44586f.json").write_text(json.dumps({
        "device": "chip", "kind": "acceleration", "offset": [0.01, 0.0, 0.0], "error": 0.001, "utcSeconds": seconds}))
    daemon = start("--mock", "--state-directory", state)
    assert shown in sensorctl("calibrate", "--show", broker=daemon)


def test_the_sensors_of_a_program_are_calibrated_by_their_names(calibrated, tmp_path, state):
    settings = tmp_path / "sensorbrokerd.conf"
    settings.write_text("[Feed magnetometer:arm]\n[Feed gyroscope:arm]\n")
    daemon = calibrated(GYROSCOPE, "--config", settings)
    new = {"resource": "magnetometer:arm", "offset": [1.0, 2.0, 3.0], "error": 0.1}
    assert refusal(daemon, "SetCalibration", **new)[0] == "CalibrationRefused", "no program provides it yet"
    with Provider(daemon, "magnetometer:arm", "gyroscope:arm"):
        assert admin(daemon, "SetCalibration", **new) == {"isKept": True}
        assert [one["resource"] for one in known(daemon)] == ["magnetometer:arm"]
    with Provider(daemon, "magnetometer:arm", simulated=True):
        assert ["resource" in one for one in known(daemon)] == [False], "it may be anything else"
    daemon.stop()
    daemon = calibrated(GYROSCOPE, "--config", settings)
    with Provider(daemon, "magnetometer:arm", "gyroscope:arm"):
        assert [one["offset"] for one in known(daemon) if one.get("resource") == "magnetometer:arm"] == [[1.0, 2.0, 3.0]]


def test_a_name_that_moves_to_another_device_ends_it(calibrated, tmp_path):
    settings = tmp_path / "sensorbrokerd.conf"
    settings.write_text("[Feed magnetometer]\nFeed=prefer\n")
    daemon = calibrated(magnetometer(), "--config", settings)
    words = [SENSORCTL, "--socket", daemon.broker, "calibrate", "magnetometer", "--for", "20s"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: any(one["resources"] for one in admin(daemon, "GetStatus")["clients"]), "its stream")
        with Stream(daemon.broker, {"resource": "magnetometer"}) as stream:
            stream.until(lambda s: len(s.samples) > 2, "readings, also for it")
        with Provider(daemon, "magnetometer", description="of the arm") as arm:
            arm.until(wanted=True)
            arm.measure((20, 0, 40))
            _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 69 and "has its name only now" in errors
    assert known(daemon) == []


def test_a_reload_that_turns_the_axes_ends_it(request, start, tmp_path):
    iiod = Imu("--type", "accel")
    request.addfinalizer(iiod.close)
    settings = tmp_path / "sensorbrokerd.conf"

    def turn(matrix):
        settings.write_text(f"[Accelerometer]\nContext=ip:127.0.0.1:{iiod.port}\nMountMatrix={matrix}\n")

    turn("0, 1, 0; -1, 0, 0; 0, 0, 1")
    daemon = start("--config", settings, "--gpsd", f"localhost:{free_port()}")
    words = [SENSORCTL, "--socket", daemon.broker, "calibrate", "accelerometer", "--for", "20s"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: any(one["resources"] for one in admin(daemon, "GetStatus")["clients"]), "its stream")
        # Another client's interval is none of its business, nor are words of what is known once the device is open.
        with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 5 * MILLISECOND}) as stream:
            stream.until(lambda s: len(s.samples) > 20, "readings")
        assert process.poll() is None, process.communicate()
        turn("0, -1, 0; 1, 0, 0; 0, 0, 1")
        admin(daemon, "Reload")
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 69 and "was opened anew" in errors


def test_without_a_state_directory_it_counts_until_the_end(start, tmp_path):
    path = tmp_path / "scenario"
    path.write_text(GYROSCOPE)
    daemon = start(f"--mock={path}")
    assert "in use until the broker ends" in sensorctl("calibrate", "gyroscope", broker=daemon)
    assert len(known(daemon)) == 1


def test_many_orders_at_once_are_carried_out_in_their_order(calibrated, state):
    daemon = calibrated(GYROSCOPE)
    sensorctl("get", "gyroscope", broker=daemon)
    with Connection(daemon.admin) as connection:
        for number in range(1, 101):
            answer = connection.result("io.sensorbroker.Admin.SetCalibration",
                                       {"resource": "gyroscope", "offset": [number / 1000, 0.0, 0.0], "error": 0.001})
            assert answer == {"isKept": True}
    assert known(daemon)[0]["offset"] == [0.1, 0.0, 0.0]
    [file] = state.iterdir()
    assert json.loads(file.read_text())["offset"] == [0.1, 0.0, 0.0]


def test_only_the_administrator_may_use_it(calibrated):
    daemon = calibrated(GYROSCOPE)
    with Connection(daemon.broker) as client:
        name, _ = client.error("io.sensorbroker.Admin.GetCalibrations", {})
    assert name.endswith("InterfaceNotFound")
    assert stat.S_IMODE(os.stat(daemon.admin).st_mode) == 0o600


def test_a_command_line_that_means_nothing_is_refused(calibrated):
    daemon = calibrated(GYROSCOPE)
    for words in (["calibrate"], ["calibrate", "barometer"], ["calibrate", "mounting", "--forget"],
                  ["calibrate", "gyroscope", "--show"], ["calibrate", "gyroscope", "--forget", "--dry-run"]):
        sensorctl(*words, broker=daemon, status=64)
    for option in ("--dry-run", "--forget"):
        assert "is no magnetometer" in sensorctl("calibrate", "magnetometer", "gyroscope", option, broker=daemon, status=64)
