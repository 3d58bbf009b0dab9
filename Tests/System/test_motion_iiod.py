"""What is derived from the raw samples of chips behind an iiod, at their own times and with what is missing, beside the truth."""

import random

import pytest

from tools import handmotion
from tools.administration import admin, resources
from tools.imu import Played
from tools.ports import free_port
from tools.stream import MILLISECOND, SECOND, Stream, samples_of
from tools.waiting import until

BIAS = (0.009, -0.009, 0.009)
#: Nothing is measured from and until then.
GAP = 13.0, 14.2
END = 20.0


class Chip:
    """Its hertz, what it measures, and how its intervals vary."""

    def __init__(self, hertz, *kinds, jitter=0.0):
        self.hertz, self.kinds, self.jitter = hertz, kinds, jitter

    def times(self):
        dice, seconds = random.Random(self.hertz), 0.0
        while seconds < END:
            seconds += (1 + dice.gauss(0, self.jitter)) / self.hertz
            if not GAP[0] < seconds < GAP[1]:
                yield seconds

    def rows(self):
        for seconds in self.times():
            rate, acceleration, field = handmotion.measured(seconds)
            vectors = dict(zip(Played.KINDS, ([one + bias for one, bias in zip(rate, BIAS)], acceleration, field)))
            yield (seconds, *(vectors[kind] for kind in self.kinds))


CHIPS = {
    "one device": [Chip(100, "anglvel", "accel", "magn")],
    "at 50 Hz, and a magnetometer of its own": [Chip(50, "anglvel", "accel"), Chip(25, "magn")],
    "a device each, at rates of their own, with jitter": [Chip(100, "anglvel", jitter=0.1), Chip(62.5, "accel", jitter=0.1), Chip(25, "magn", jitter=0.1)],
}


class Motion(Stream):
    """The readings of each resource by their seconds since the iiod began."""

    NAMES = ("gyroscope", "attitude", "rotation", "heading", "attitudeerror")

    def __init__(self, path, iiod):
        self.read = {name: [] for name in self.NAMES}
        super().__init__(path, *({"resource": name, "intervalNanoseconds": 10 * MILLISECOND} for name in self.NAMES))
        self.start = iiod.began()

    def note(self, reply):
        for reading in reply.get("parameters", {}).get("readings", []):
            self.read[reading["resource"]] += [(stamp, values) for stamp, _, values in samples_of(reading)]
        return super().note(reply)

    def all_of(self, name):
        return [((stamp - self.start) / SECOND, values) for stamp, values in self.read[name]]

    def holes(self, name, hertz):
        """From and until when something is missing that this client itself was not too slow for."""
        late = [(gap["fromNanoseconds"] - self.start) / SECOND for gap in self.gaps if gap["resource"] == name and gap["cause"] == "slowClient"]
        times = [seconds for seconds, _ in self.all_of(name)]
        return [(begin, end) for begin, end in zip(times, times[1:])
                if end - begin > 1.7 / hertz and not any(begin < missed < end for missed in late)]


@pytest.fixture(params=CHIPS.values(), ids=CHIPS)
def chips(request):
    return request.param


@pytest.fixture
def played(closing, tmp_path, chips):
    return closing(Played(tmp_path, *((chip.hertz, chip.kinds, chip.rows()) for chip in chips)))


@pytest.fixture
def daemon(start, tmp_path, played):
    daemon = start("--iio", f"ip:127.0.0.1:{played.port}", "--gpsd", f"localhost:{free_port()}", "--state-directory", tmp_path / "state")
    # What identifies a device, the daemon knows once it has been looked at.
    until(lambda: "heading" in resources(daemon) and resources(daemon)["magnetometer"].get("description"), "the heading")
    return daemon


def test_a_client_gets_the_truth_and_all_of_it(daemon, played, chips):
    admin(daemon, "SetCalibration", resource="magnetometer", offset=[0.0, 0.0, 0.0], error=0.5)
    with Motion(daemon.broker, played) as stream:
        # A busy host may hold an accelerometer of its own up: then it is not known what is upright, before the gap or at the end.
        ends = {"gyroscope": END - 0.3, "attitude": GAP[1] + 3 if len(chips) == 3 else END - 0.3}
        stream.until(lambda s: all(s.read[name] and s.all_of(name)[-1][0] > end for name, end in ends.items()), "the end of the motion")
    hertz = chips[0].hertz
    # Each rate is there, but for those that nobody measured; and with each, the attitude, once that is known.
    [hole] = stream.holes("gyroscope", hertz)
    # At the start the device may already have been open at another rate.
    [told] = [gap for gap in stream.gaps if gap["resource"] == "gyroscope" and gap["cause"] not in ("slowClient", "reconfigured")]
    assert [(told[key] - stream.start) / SECOND for key in ("fromNanoseconds", "untilNanoseconds")] == pytest.approx(hole, abs=0.05)
    # Its buffer is opened again in the silence, which takes a busy host so long that more is missed.
    assert hole[0] == pytest.approx(GAP[0], abs=0.05) and GAP[1] - 0.05 <= hole[1] < GAP[1] + 3
    assert stream.all_of("gyroscope")[0][0] < 0.2
    assert stream.all_of("attitude")[0][0] < 0.5
    [hole] = stream.holes("attitude", hertz)
    assert hole[0] == pytest.approx(GAP[0], abs=0.05) or len(chips) == 3 and hole[0] < GAP[0]
    assert GAP[1] - 0.05 <= hole[1] < GAP[1] + 3
    [told] = [gap for gap in stream.gaps if gap["resource"] == "attitude" and gap["cause"] != "slowClient"]
    assert (told["fromNanoseconds"] - stream.start) / SECOND == pytest.approx(hole[0], abs=0.05)
    errors = [error for _, error in stream.all_of("attitudeerror")]
    assert all(0 < tilt < 20 for tilt, _ in errors)
    tilts = sorted(handmotion.degrees_apart(values, handmotion.attitude(seconds))[1] for seconds, values in stream.all_of("attitude"))
    assert tilts[len(tilts) * 95 // 100] < 1.5, tilts[::50]
    totals = sorted(handmotion.degrees_apart(values, handmotion.attitude(seconds))[0] for seconds, values in stream.all_of("rotation"))
    assert len(totals) > len(tilts) // 2 and totals[len(totals) * 95 // 100] < 4, totals[::50]


def test_without_a_calibration_there_is_no_north_and_a_reason(daemon, played, chips):
    reason = "the magnetometer is not calibrated: sensorctl calibrate magnetometer"
    with Motion(daemon.broker, played) as stream:
        stream.until(lambda s: s.read["attitude"] and s.all_of("attitude")[-1][0] > 5, "some motion")
    assert stream.read["rotation"] == stream.read["heading"] == []
    for name in ("rotation", "heading"):
        assert [(state, why) for resource, state, why in stream.states if resource == name][-1] == ("unavailable", reason)
    assert {error[1] for _, error in stream.all_of("attitudeerror")} == {180}
