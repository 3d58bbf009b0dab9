"""iio-sensor-proxy and the daemon beside each other: one accelerometer, the same positions and matrices, the same words.

Each wants the buffer for itself, so they take turns."""

import collections
import os
import pathlib

import pytest

import proxy
from registers import Registers
from sensor import DEVICES, devices
from tools.stream import Stream
from tools.waiting import until

pytestmark = pytest.mark.skipif(
    bool(proxy.MISSING), reason=f"NOT RUN: there is no {', '.join(proxy.MISSING)}: the orientation was not compared")

# In mg, as a HID sensor sends them: along each axis in both directions, and in between.
POSITIONS = [(0, 0, -1000), (0, -1000, 0), (1000, 0, 0), (0, 1000, 0), (0, 0, 1000), (-1000, 0, 0)]
SLANTED = [(700, -700, 100), (0, 500, -860), (-810, 30, 580), (30, 590, 800), (40, -570, 810), (-590, -10, 800), (10, 583, 813)]
DATABASE = pathlib.Path("/lib/udev/hwdb.d/60-sensor.hwdb")
# The matrices of two boards are neither rotations nor reflections: the daemon refuses them.
REFUSED = {"1, 0, 0; 0, -1, 0; 1, 0, 0", "0,1,0;-1,0,0;-1,0,0"}


def matrices():
    """The most frequent ones: ten are those of nine boards in ten."""
    lines = [line.strip() for line in DATABASE.read_text().splitlines() if line.startswith(" ACCEL_MOUNT_MATRIX=")]
    count = collections.Counter(line.partition("=")[2] for line in lines)
    return [matrix for matrix, _ in count.most_common() if matrix not in REFUSED][: int(os.environ["VM_MATRICES"])]


def rows(matrix):
    return [[float(word) for word in row.split(",")] for row in matrix.split(";")]


def determinant(matrix):
    (a, b, c), (d, e, f), (g, h, i) = rows(matrix)
    return round(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


class Chip:
    """A kxcj91008 on a bus of registers, which is no HID sensor; its driver says that it is mounted by the matrix 1, as it says of all
    chips of which the firmware says nothing."""

    def __init__(self):
        self.registers = Registers()
        self.bus = pathlib.Path(f"/sys/bus/i2c/devices/i2c-{self.registers.bus}")
        (self.bus / "new_device").write_text("kxcj91008 0x0f")
        until(devices, "the driver has the chip")
        [self.id] = devices()

    def read(self, attribute):
        return (DEVICES / self.id / attribute).read_text().strip()

    def move(self, position):
        self.registers.set(0x06, [value << 4 for value in position])

    def close(self):
        (self.bus / "delete_device").write_text("0x0f")
        until(lambda: not devices(), "the driver has let go of the chip")


class Hub:
    """A HID sensor, which reports the opposite of its acceleration."""

    def __init__(self, sensor):
        self.sensor, self.read = sensor, sensor.read

    def move(self, position):
        self.sensor.tell("still {} {} {}".format(*position))


def accelerations(position, matrix, is_hid):
    """What the daemon is to say, in counts: Android's signs, or of a chip without a matrix what it reports."""
    if not matrix:
        return [-value for value in position] if is_hid else list(position)
    x, y, z = (sum(factor * value for factor, value in zip(row, position)) for row in rows(matrix))
    return [round(value) for value in (-x, -y, determinant(matrix) * (-z if is_hid else z))]


def newest(stream, scale):
    """The newest five samples, in counts."""
    return [[round(value / scale) for value in values] for _, _, values in stream.samples[-5:]]


@pytest.fixture
def udev():
    udev = proxy.Udev()
    yield udev
    udev.close()


def words_of_proxy(sensor, positions):
    sensor.move(positions[0])
    other = proxy.Proxy()
    try:
        words = []
        for position in positions:
            sensor.move(position)
            words.append(other.orientation(position))
        return words
    finally:
        other.close()


def check_words_of_daemon(sensor, daemon, matrix, positions, words):
    sensor.move(positions[0])
    scale = float(sensor.read("in_accel_scale"))
    request = {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}
    with Stream(daemon.broker, request) as stream, Stream(daemon.broker, {"resource": "orientation"}) as other:
        def orientations():
            return [reading["orientation"] for reading in other.readings]

        for position, word in zip(positions, words):
            sensor.move(position)
            expected = accelerations(position, matrix, isinstance(sensor, Hub))
            stream.until(lambda stream: newest(stream, scale) == [expected] * 5, f"{expected}")
            other.until(lambda _: orientations()[-1:] == [word], f"{word} at {position} by {matrix}")
        # Nothing else comes in between.
        assert orientations() == [word for index, word in enumerate(words) if index == 0 or word != words[index - 1]]


def compare(sensor, udev, start, matrix, positions):
    udev.settle(sensor)
    words = words_of_proxy(sensor, positions)
    daemon = start("--gpsd", "localhost:1")
    check_words_of_daemon(sensor, daemon, matrix, positions, words)
    daemon.stop()


@pytest.mark.parametrize("matrix", [None, *matrices()])
def test_a_hid_sensor_is_called_the_same(plug, udev, start, matrix):
    udev.mount(matrix)
    compare(Hub(plug("A1")), udev, start, matrix, POSITIONS if matrix else POSITIONS + SLANTED)


@pytest.mark.parametrize("matrix", [None, *matrices()[:4]])
def test_another_chip_is_called_the_same(udev, start, matrix):
    udev.mount(matrix)
    chip = Chip()
    try:
        compare(chip, udev, start, matrix, POSITIONS)
    finally:
        chip.close()
