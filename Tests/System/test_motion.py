"""What is derived from a gyroscope, an accelerometer and a magnetometer, beside the truth of a simulated host."""

import math

import pytest

from tools.administration import admin, resources
from tools.commands import run
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import SENSORCTL
from tools.stream import MILLISECOND, SECOND, Stream, samples_of
from tools.waiting import until

# `rotation` without noise is the truth; the sensors have what chips have.
HOST = """
[accelerometer]
Rates=100Hz
Noise=0.03
Motion=still for 2s
Motion=hand for 1min

[gyroscope]
PartOf=accelerometer
Noise=0.002
Bias=0.3deg/s -0.5deg/s 0.2deg/s

[magnetometer]
Rates=25Hz
Noise=0.3

[rotation]
Rates=100Hz
Noise=0
"""


class Readings(Stream):
    """The values of each reading, by resource and time."""

    def __init__(self, path, *names, interval=20 * MILLISECOND):
        self.by = {name: {} for name in names}
        super().__init__(path, *({"resource": name, "intervalNanoseconds": interval} for name in names))

    def note(self, reply):
        for reading in reply.get("parameters", {}).get("readings", []):
            self.by[reading["resource"]].update((stamp, values) for stamp, _, values in samples_of(reading))
        return super().note(reply)

    def seconds(self, name):
        times = self.by[name]
        return (max(times) - min(times)) / SECOND if times else 0


def up(quaternion):
    """Where the vertical is along the device's axes."""
    x, y, z, w = quaternion
    return 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


def degrees(one, other):
    cosine = sum(a * b for a, b in zip(one, other)) / math.hypot(*one) / math.hypot(*other)
    return math.degrees(math.acos(max(-1, min(1, cosine))))


@pytest.fixture
def host(start, tmp_path):
    (tmp_path / "host.scenario").write_text(HOST)
    return start(f"--mock={tmp_path}/host.scenario", "--speed", "10")


def test_the_vertical_is_right_and_gravity_points_there(host):
    with Readings(host.broker, "attitude", "rotation", "gravity") as stream:
        stream.until(lambda s: s.seconds("attitude") > 20, "20 s of motion")
    truth = stream.by["rotation"]
    near = lambda time: truth[min(truth, key=lambda other: abs(other - time))]
    errors = sorted(degrees(up(attitude), up(near(time))) for time, attitude in list(stream.by["attitude"].items())[::25])
    assert errors[len(errors) * 95 // 100] < 4, errors
    gravity = stream.by["gravity"]
    assert gravity.keys() & stream.by["attitude"].keys()
    for time in gravity.keys() & stream.by["attitude"].keys():
        vector = gravity[time]
        assert abs(math.hypot(*vector) - 9.81) < 0.2 and degrees(vector, up(stream.by["attitude"][time])) < 0.1


def test_what_was_reported_of_a_hand_that_moves_from_the_start_on_is_not_taken_back(start, tmp_path):
    (tmp_path / "host.scenario").write_text(HOST.replace("Motion=still for 2s\n", ""))
    daemon = start(f"--mock={tmp_path}/host.scenario", "--speed", "10")
    with Readings(daemon.broker, "attitude") as stream:
        stream.until(lambda s: s.seconds("attitude") > 10, "10 s of motion")
    # Its clock is ten times as fast, and a test on a busy host may be too slow for it.
    assert {gap["cause"] for gap in stream.gaps} <= {"slowClient"} and len(stream.by["attitude"]) > 100


def test_what_is_derived_is_listed_with_its_sources(host):
    lines = run(SENSORCTL, "list", broker=host).stdout.splitlines()
    listed = {line.split()[0]: line for line in lines if line.strip()}
    assert "from gyroscope and accelerometer, north from magnetometer" in listed["attitude"]
    # The host measures its rotation itself.
    assert "from" not in listed["rotation"] and "from" in listed["heading"]


def test_the_bias_is_learnt_and_rest_is_reported(host):
    with Readings(host.broker, "gyroscopebias", "rest", "attitudeerror") as stream:
        stream.until(lambda s: s.seconds("gyroscopebias") > 0.5 and any(one[0] == 1 for one in s.by["rest"].values()),
                     "rest and a bias")
    newest = stream.by["gyroscopebias"][max(stream.by["gyroscopebias"])]
    for shown, bias in zip(newest, (0.3, -0.5, 0.2)):
        assert math.degrees(shown) == pytest.approx(bias, abs=0.2)
    assert all(0 < error[0] < 10 for error in stream.by["attitudeerror"].values())


@pytest.fixture
def imu(closing):
    return closing(Imu("--type", "accel,anglvel,magn", "--available", "25 50 100"))


def test_there_is_no_north_before_the_magnetometer_is_calibrated(start, tmp_path, imu):
    daemon = start("--iio", f"ip:127.0.0.1:{imu.port}", "--gpsd", f"localhost:{free_port()}", "--state-directory", tmp_path)
    until(lambda: "heading" in resources(daemon), "the heading")
    # What identifies its device, the daemon knows once it has been looked at.
    until(lambda: resources(daemon)["magnetometer"].get("description"), "the magnetometer's device")
    assert resources(daemon)["heading"]["reason"] == "the magnetometer is not calibrated: sensorctl calibrate magnetometer"
    assert resources(daemon)["attitude"]["state"] == "idle"
    admin(daemon, "SetCalibration", resource="magnetometer", offset=[1.0, 2.0, 3.0], error=0.5)
    until(lambda: resources(daemon)["heading"]["state"] == "idle", "a heading that could be had")
    admin(daemon, "ForgetCalibration", resource="magnetometer")
    until(lambda: resources(daemon)["heading"]["state"] == "unavailable", "no north")


def bias_of(start, tmp_path, state, motions, seconds):
    """The bias as clients see it first and last in so many seconds of a motion, and the daemon."""
    (tmp_path / "host.scenario").write_text(HOST.replace("Motion=still for 2s\nMotion=hand for 1min\n", motions))
    daemon = start(f"--mock={tmp_path}/host.scenario", "--speed", "10", "--state-directory", state)
    with Readings(daemon.broker, "gyroscopebias", "attitude") as stream:
        stream.until(lambda s: s.seconds("attitude") > seconds and s.by["gyroscopebias"], f"{seconds} s of motion")
    biases = [values for _, values in sorted(stream.by["gyroscopebias"].items())]
    return biases[0], biases[-1], daemon


def is_bias(values):
    return all(abs(math.degrees(shown) - bias) < 0.15 for shown, bias in zip(values, (0.3, -0.5, 0.2)))


def test_a_bias_outlives_the_daemon_and_is_known_from_the_start(start, tmp_path):
    state = tmp_path / "state"
    first, last, daemon = bias_of(start, tmp_path, state, "Motion=still for 2min\n", 40)
    assert is_bias(last) and admin(daemon, "GetCalibrations")["calibrations"] == []
    daemon.stop()
    [file] = state.iterdir()
    assert file.name.startswith("learnt-gyroscope-")
    written = file.stat().st_mtime_ns

    # This one never rests.
    first, last, daemon = bias_of(start, tmp_path, state, "Motion=hand for 1min\n", 20)
    assert is_bias(first) and is_bias(last), (first, last)
    [listed] = admin(daemon, "GetCalibrations")["calibrations"]
    assert listed["isLearnt"] and listed["resource"] == "gyroscope" and is_bias(listed["offset"])
    assert "the broker" in run(SENSORCTL, "calibrate", "--show", broker=daemon).stdout
    daemon.stop()
    assert file.stat().st_mtime_ns == written, "nothing new was learnt"

    first, last, daemon = bias_of(start, tmp_path, state, "Motion=hand for 1min\n", 5)
    assert admin(daemon, "ForgetCalibration", resource="gyroscope") == {"wasKnown": True}
    assert admin(daemon, "GetCalibrations")["calibrations"] == []
    daemon.stop()
    assert list(state.iterdir()) == []


RECEIVER = """
[Scenario]
Start=2026-05-01T12:00:00Z

[location]
Rates=1Hz
Position=52.52, 13.405, 34m
"""


def test_true_north_follows_from_the_receivers_place(start, tmp_path, host):
    assert "trueheading" not in resources(host), "there is no receiver"
    host.stop()
    (tmp_path / "berlin.scenario").write_text(RECEIVER + HOST)
    daemon = start(f"--mock={tmp_path}/berlin.scenario", "--speed", "10")
    assert resources(daemon)["trueheading"]["description"].endswith(", north from magnetometer, place from location")
    assert resources(daemon)["location"]["state"] == "idle"
    with Readings(daemon.broker, "heading", "trueheading") as stream:
        stream.until(lambda s: s.seconds("trueheading") > 3, "true headings")
        assert resources(daemon)["location"]["state"] == "active"
    both = stream.by["heading"].keys() & stream.by["trueheading"].keys()
    assert both
    for time in both:
        declination = (stream.by["trueheading"][time][0] - stream.by["heading"][time][0]) % 360
        assert declination == pytest.approx(5.1, abs=0.15), "what the model says of Berlin"
    until(lambda: resources(daemon)["location"]["state"] != "active", "a receiver that nobody asks")


def test_without_a_place_there_is_no_true_north(start, tmp_path):
    (tmp_path / "nowhere.scenario").write_text(RECEIVER + HOST + "\n[Events]\nAt=0s no-fix for 1h\n")
    daemon = start(f"--mock={tmp_path}/nowhere.scenario", "--speed", "10")
    with Readings(daemon.broker, "heading", "trueheading") as stream:
        stream.until(lambda s: s.seconds("heading") > 3 and any(
            name == "trueheading" and state == "unavailable" for name, state, _ in s.states), "no true north")
    assert not stream.by["trueheading"]
    reasons = {reason for name, state, reason in stream.states if name == "trueheading" and state == "unavailable"}
    assert "no place is known: location has no position" in reasons, reasons


def test_the_hinge_of_a_laptop_is_reported_as_it_is_folded(start):
    """The scenario opens the lid to 110°, and later folds it round; an angle that is passed fast is not told."""
    daemon = start("--mock=laptop", "--speed", "4")
    with Readings(daemon.broker, "hinge", interval=100 * MILLISECOND) as stream:
        angles = lambda: [values[0] for _, values in sorted(stream.by["hinge"].items())]
        stream.until(lambda _: angles() and angles()[-1] > 355, "a lid that is folded round")
    near = [abs(angle - 110) < 3 for angle in angles()]
    assert any(near) and near.index(True) < angles().index(max(angles())) and min(angles()) > 60, angles()
