"""The accelerometer in the display turns the screen, and no other: devices of a fake sysfs, with what udev says of them."""

import json

import pytest

from tools.fakesysfs import run
from tools.programs import SENSORCTL

# Counts that are milli-g, and which edge is up according to iio-sensor-proxy, of a chip without a mount matrix.
NORMAL, BOTTOM_UP, RIGHT_UP = (0, -1000, 0), (0, 1000, 0), (-1000, 0, 0)


def accelerometer(counts, udev=None, **files):
    raw = {f"in_accel_{axis}_raw": str(count) for axis, count in zip("xyz", counts)}
    return {"files": {"name": "kxcj1013", "in_accel_scale": "0.009806650", **raw, **files}, "udev": udev or {}}


def told(directory, devices, resource, **options):
    """A reading as sensorctl tells it: the orientation, or the values; None if there is none."""
    result = run(directory, devices, SENSORCTL, "get", resource, "--format", "json", **options)
    if result.returncode:
        return None
    reading = json.loads(result.stdout)
    return reading.get("orientation") or [column[0] for column in reading["values"]["columns"].values()]


CASES = {
    "the display's, which udev names, is not the first": (
        [accelerometer(NORMAL, {"ACCEL_LOCATION": "base"}), accelerometer(RIGHT_UP, {"ACCEL_LOCATION": "display"})], "right-up", 1),
    "only one, in the base": ([accelerometer(NORMAL, {"ACCEL_LOCATION": "base"})], None, 0),
    "by its label": ([accelerometer(NORMAL, label="accel-base"), accelerometer(RIGHT_UP, label="accel-display")], "right-up", 1),
    "only one, in the base by its label": ([accelerometer(NORMAL, label="accel-base")], None, 0),
    "udev before the label": ([accelerometer(NORMAL, {"ACCEL_LOCATION": "display"}, label="accel-base")], "normal", 0),
    "by its older attribute": ([accelerometer(NORMAL, location="base"), accelerometer(BOTTOM_UP, location="lid")], "bottom-up", 1),
    "nobody says anything: the first": ([accelerometer(NORMAL), accelerometer(RIGHT_UP)], "normal", 0),
    "the first in the display, even if it is not said to be there": (
        [accelerometer(NORMAL), accelerometer(RIGHT_UP, {"ACCEL_LOCATION": "display"})], "normal", 1),
    "a word that nobody knows": ([accelerometer(NORMAL, {"ACCEL_LOCATION": "lap"})], "normal", 0),
}


@pytest.mark.parametrize("case", CASES)
def test_the_orientation_is_that_of_the_display_as_for_iio_sensor_proxy(directory, case):
    devices, orientation, first = CASES[case]
    assert told(directory, devices, "orientation") == orientation
    counts = [int(devices[first]["files"][f"in_accel_{axis}_raw"]) for axis in "xyz"]
    assert told(directory, devices, "accelerometer") == pytest.approx([count * 0.009806650 for count in counts])


def test_the_one_in_the_base_can_be_the_accelerometer_and_turns_no_screen(directory):
    devices = [accelerometer(NORMAL, {"ACCEL_LOCATION": "base"}), accelerometer(RIGHT_UP, {"ACCEL_LOCATION": "display"})]
    chosen = {"configuration": "[Accelerometer]\nDefault=base\n"}
    assert told(directory, devices, "accelerometer", **chosen) == pytest.approx([0, -9.80665, 0])
    assert told(directory, devices, "orientation", **chosen) == "right-up"
    assert told(directory, devices, "tilt", **chosen) == pytest.approx([0])


def test_an_accelerometer_without_a_scale_turns_the_screen_and_gives_no_numbers(directory):
    device = accelerometer(NORMAL)
    del device["files"]["in_accel_scale"]
    assert told(directory, [device], "orientation") == "normal"
    assert told(directory, [device], "tilt") == pytest.approx([0])
    refused = run(directory, [device], SENSORCTL, "get", "accelerometer")
    assert refused.returncode == 69 and "no usable scale" in refused.stderr
    calibrated = {"configuration": "[Accelerometer]\nScale=0.01\n"}
    assert told(directory, [device], "accelerometer", **calibrated) == pytest.approx([0, -10, 0])
    assert told(directory, [device], "orientation", **calibrated) == "normal"


def test_that_there_is_none_in_the_display_is_said_and_is_no_fault(directory):
    devices = [accelerometer(NORMAL, {"ACCEL_LOCATION": "base"})]
    refused = run(directory, devices, SENSORCTL, "get", "orientation")
    assert refused.returncode == 69 and "accelerometer is in the base, by udev's ACCEL_LOCATION" in refused.stderr
    findings = run(directory, devices, SENSORCTL, "doctor").stdout.splitlines()
    assert [line.split()[0] for line in findings if line.split()[1:2] in (["orientation"], ["tilt"])] == ["note", "note"]


# Of chips whose axes are the device's.
MOUNTED = {"ACCEL_MOUNT_MATRIX": "-1, 0, 0; 0, -1, 0; 0, 0, 1"}


def test_the_hinge_is_that_of_lid_and_base_whichever_comes_first(directory):
    """The base lies on a desk, and the lid is upright."""
    lid = accelerometer((0, 1000, 0), MOUNTED, label="accel-display")
    for base in (accelerometer((0, 0, 1000), MOUNTED, label="accel-base"), accelerometer((0, 0, 1000), MOUNTED | {"ACCEL_LOCATION": "base"})):
        assert told(directory, [base, lid], "hinge") == pytest.approx([90], abs=0.1)
    assert told(directory, [lid, accelerometer((0, 1000, 0), MOUNTED)], "hinge") is None


def test_the_hinge_is_not_made_up(directory):
    lid, base = accelerometer((0, 1000, 0), MOUNTED, label="accel-display"), accelerometer((0, 0, 1000), label="accel-base")
    refused = run(directory, [lid, base], SENSORCTL, "get", "hinge")
    assert refused.returncode == 69 and "mount matrix" in refused.stderr
    upright = [accelerometer((1000, 0, 0), MOUNTED, label=f"accel-{place}") for place in ("display", "base")]
    refused = run(directory, upright, SENSORCTL, "get", "hinge")
    assert refused.returncode == 69 and "upright" in refused.stderr
