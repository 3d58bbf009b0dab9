"""A simulated HID accelerometer that the kernel accepts as real, and its state in the kernel."""

import os
import pathlib
import subprocess

from tools.programs import PATIENCE
from tools.rates import Witnesses
from tools.waiting import until

PROGRAM = os.environ["HID_ACCELEROMETER"]
DEVICES = pathlib.Path("/sys/bus/iio/devices")
# m/s² for one mg of the sensor: a HID sensor reports the opposite of its acceleration.
SCALE = -0.00980665
# Slightly less than the kernel's buffer holds, in nanoseconds.
RESERVE = 450_000_000


class Puppet:
    """A program that obeys commands, a line each."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(self, command):
        """Makes it obey a command, and returns its reply."""
        self.process.stdin.write(command + "\n")
        words = self.process.stdout.readline().split()
        assert words[:1] == ["ok"], (command, words)
        return {key: int(value) for key, value in (word.split("=") for word in words[1:])}

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)


class Sensor(Puppet):
    """One sensor, plugged in at once."""

    def __init__(self, serial=""):
        super().__init__(PROGRAM, serial)
        self.serial = serial
        self.plug()

    def plug(self):
        """Appears, and waits until the kernel has created a device."""
        before = devices()
        self.tell("plug")
        until(lambda: devices() - before, "the kernel has the sensor")
        [self.id] = devices() - before
        until(lambda: os.path.exists(f"/dev/{self.id}"), "its node is there")

    def unplug(self):
        """Disappears, and waits until the kernel has noticed."""
        self.tell("unplug")
        until(lambda: self.id not in devices(), "the kernel has let go of the sensor")

    def plug_anew(self):
        """Disappears and appears, with whichever number the kernel gives it now."""
        self.unplug()
        self.plug()

    def plug_again(self):
        """Appears, if it has disappeared."""
        if self.id not in devices():
            self.plug()

    def read(self, attribute):
        return (DEVICES / self.id / attribute).read_text().strip("\0\n")

    def write(self, attribute, text):
        (DEVICES / self.id / attribute).write_text(text)

    def close(self):
        self.end()
        until(lambda: self.id not in devices(), "the kernel has let go of the sensor")


def devices():
    return {path.name for path in DEVICES.iterdir() if path.name.startswith("iio:device")}


def counters(samples):
    """The sensor's counters in the samples of a stream."""
    return [round(values[2] / SCALE) for _, _, values in samples]


def missing(samples):
    """How many samples the sensor sent in between that are not among them."""
    return sum(holes(counters(samples)))


def device_gaps(stream):
    """The causes of gaps, except those of this test, which does not read while it does something else."""
    return [gap["cause"] for gap in stream.gaps if gap["cause"] != "slowClient"]


def check_overflows(stream):
    """Checks that the kernel's buffer, which holds half a second, overflowed only while a busy host let nobody read for
    as long.
    """
    witnesses = Witnesses([stream])
    for gap in stream.gaps:
        if gap["cause"] == "deviceOverflow":
            start = gap["fromNanoseconds"]
            assert witnesses.saw_newer_than(start - RESERVE) >= start, gap


def assert_all_told(stream):
    """Checks that everything that the sensor sent between the first and the last sample was delivered or reported as
    lost, with place and count.

    The count of a loss is unknown if the rate changed meanwhile; that there was a loss is known.
    """
    numbers = counters(stream.samples)
    assert all(later > earlier for earlier, later in zip(numbers, numbers[1:])), "doubled, or out of order"
    gaps = list(stream.gaps)
    for (before, *_), (after, *_), lost in zip(stream.samples, stream.samples[1:], holes(numbers)):
        here = [gap for gap in gaps if before <= gap["fromNanoseconds"] <= gap["untilNanoseconds"] <= after]
        gaps = [gap for gap in gaps if gap not in here]
        if lost or any(gap.get("count") for gap in here):
            told = [gap.get("count") for gap in here]
            assert told and (None in told or sum(told) == lost), (lost, before, after, here, stream.gaps)
    first, last = stream.samples[0][0], stream.samples[-1][0]
    elsewhere = [gap for gap in gaps if first <= gap["untilNanoseconds"] and gap["fromNanoseconds"] <= last]
    assert not elsewhere, "told, but nothing is missing there"


def holes(numbers):
    return [later - earlier - 1 for earlier, later in zip(numbers, numbers[1:])]
