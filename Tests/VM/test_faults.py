"""Faults in an order derived from a seed: in any case the readings are the sensor's, and they return."""

import os
import random
import signal

import pytest

from foreigner import Foreigner
from sensor import counters
from tools.stream import Stream

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 5_000_000}
FRESH_SEED = int(os.environ.get("VM_SEED", random.randrange(1 << 32)))


class Faults:
    def __init__(self, dice, sensor, daemon):
        self.dice, self.sensor, self.daemon = dice, sensor, daemon

    def happen(self):
        self.dice.choice((self.replug, self.stall, self.stop, self.mute, self.foreigner, self.others))()

    def replug(self, isDaemonAwake=True):
        self.sensor.unplug()
        if isDaemonAwake and self.dice.random() < 0.3:
            self.others()
        self.sensor.plug()

    def stall(self):
        self.sensor.tell("stall")
        if self.dice.random() < 0.5:
            self.replug()
        self.sensor.tell("resume")

    def stop(self):
        self.daemon.send_signal(signal.SIGSTOP)
        if self.dice.random() < 0.5:
            self.replug(isDaemonAwake=False)
        self.daemon.send_signal(signal.SIGCONT)

    def mute(self):
        self.sensor.tell("mute")
        with Stream(self.daemon.broker, {**REQUEST, "intervalNanoseconds": 2_000_000}):
            self.sensor.tell("talk")

    def foreigner(self):
        with Foreigner(self.sensor.id):
            pass

    def others(self):
        with Stream(self.daemon.broker, {**REQUEST, "intervalNanoseconds": self.dice.choice((1, 20, 500)) * 1_000_000}):
            pass


@pytest.mark.parametrize("seed", [1, 2, FRESH_SEED])
def test_the_stream_survives_all_faults(seed, sensor, daemon):
    dice = random.Random(seed)
    faults = Faults(dice, sensor, daemon)
    with Stream(daemon.broker, REQUEST) as stream:
        for _ in range(10):
            faults.happen()
            count = len(stream.samples)
            stream.until(lambda stream: len(stream.samples) > count + 20, "samples of the sensor that is back")
        stream.until(lambda stream: stream.states[-1][1] == "active", "the end of it")
        assert all(values[:2] == (0, 0) for _, _, values in stream.samples), "made up"
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert all(earlier < later for earlier, later in zip(stamps, stamps[1:])), "out of order"
        # The sensor counts anew whenever it is plugged in.
        losses = [gap for gap in stream.gaps if gap["cause"] == "deviceLost"]
        numbers = counters(stream.samples)
        for earlier, later, since, end in zip(numbers, numbers[1:], stamps, stamps[1:]):
            assert later != earlier or any(since <= gap["untilNanoseconds"] <= end for gap in losses), "doubled"
    assert daemon.process.poll() is None
