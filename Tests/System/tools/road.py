"""Receiver, gpsd and its watcher in one object, and checks of readings against gpsd's own reports."""

import itertools
import math
import os

import pytest

from tools.nmea import Drive, Truth
from tools.programs import PATIENCE
from tools.receiver import GPSD, Gpsd, Receiver, Watcher
from tools.stream import SECOND
from tools.waiting import until

needs_gpsd = pytest.mark.skipif(
    not os.path.exists(GPSD), reason="gpsd is not installed: no location from a real gpsd was tried")

INTERVAL = 0.2
EVERY = {"resource": "location", "intervalNanoseconds": 0}
LOG_EPOCHS = int(os.environ.get("GPS_LOG_EPOCHS", "30"))
FIELDS = {
    "lat": "latitudeDegrees", "lon": "longitudeDegrees", "altMSL": "altitudeMeters", "altHAE": "ellipsoidHeightMeters",
    "eph": "horizontalErrorMeters", "epv": "verticalErrorMeters", "speed": "speedMetersPerSecond",
    "track": "trackDegrees", "climb": "climbMetersPerSecond",
    "eps": "speedErrorMetersPerSecond", "epd": "trackErrorDegrees", "epc": "climbErrorMetersPerSecond",
    "geoidSep": "geoidSeparationMeters",
    "velN": "velocityNorthMetersPerSecond", "velE": "velocityEastMetersPerSecond", "velD": "velocityDownMetersPerSecond",
    "ecefvx": "ecefVelocityXMetersPerSecond", "ecefvy": "ecefVelocityYMetersPerSecond",
    "ecefvz": "ecefVelocityZMetersPerSecond", "ept": "timeErrorSeconds", "leapseconds": "leapSeconds",
}
# Sentences have a precision of a tenth of a knot, and gpsd rounds.
SPEED_TOLERANCE = 0.1
DAY = 86_400_000_000
FIXES = {0: "none", 1: "none", 2: "2d", 3: "3d"}


class Road:
    """Receiver, gpsd and its watcher, ready to be used."""

    def __init__(self, epochs, interval, directory):
        self.receiver = Receiver(epochs, interval)
        self.gpsd = Gpsd(directory, self.receiver)
        self.watcher = Watcher(self.gpsd.port)
        assert self.watcher.has_device.wait(PATIENCE), "gpsd did not open its receiver"

    @property
    def option(self):
        return "--gpsd", f"localhost:{self.gpsd.port}"

    def close(self):
        for part in (self.watcher, self.gpsd, self.receiver):
            part.close()


@pytest.fixture
def road(tmp_path):
    opened = []

    def open_road(epochs, interval=INTERVAL):
        opened.append(Road(epochs, interval, tmp_path))
        return opened[-1]

    yield open_road
    for item in opened:
        item.close()


def drive():
    """An endless drive."""
    made = Drive(interval=INTERVAL)
    return map(made.epoch, itertools.count())


def times(stream):
    return [values["utcMicroseconds"] for _, _, values in stream.samples if "utcMicroseconds" in values]


def read_to_the_last_epoch(way, stream):
    """Lets the receiver send and reads along, as a client does, until its last epoch has arrived."""
    way.receiver.talking.set()
    stream.until(lambda s: way.receiver.done.is_set() and times(s)[-1:] == list(way.watcher.fixes)[-1:],
                 "the last epoch", way.receiver.interval * LOG_EPOCHS + PATIENCE)


def agrees(value, told):
    return math.isclose(value, told, rel_tol=1e-9, abs_tol=1e-9)


def check_epoch(location, reports):
    """Checks that a reading has gpsd's last values for its epoch; those missing in the last report may come from an
    earlier one.
    """
    last = reports[-1]
    assert location["fix"] == FIXES[last["mode"]], (location, reports)
    for theirs, ours in FIELDS.items():
        if ours not in location:
            assert theirs not in last or last["mode"] < (3 if theirs in ("altMSL", "altHAE", "climb", "epv", "epc") else 2), (
                ours, location, reports)
            continue
        told = [report[theirs] for report in reports if theirs in report]
        if theirs == "eph" and not told:
            continue
        assert told, f"{ours} was invented: {location}, {reports}"
        # A track of 360 degrees is a track of 0.
        assert agrees(location[ours], told[-1]) or (theirs == "track" and agrees(location[ours], told[-1] % 360)), (
            ours, location, reports)


def check_no_epoch_comes_twice(stream, interval=INTERVAL):
    """The newest reading of each epoch, with its stamp.

    A report that a busy host makes a cycle late looks as if the receiver's clock stood still, and makes a reading.
    """
    newest = {}
    for stamp, _, location in stream.samples:
        time = location.get("utcMicroseconds")
        if time is not None and time in newest:
            assert stamp - newest[time][0] > 1.4 * interval * SECOND, "two readings of one epoch"
        newest[time] = (stamp, location)
    return newest


def check_no_epoch_outlives(stream, count):
    """Checks that none of the first readings' epochs comes again after them, when the receiver has been lost and has returned."""
    before, after = ({location["utcMicroseconds"] for _, _, location in part if "utcMicroseconds" in location}
                     for part in (stream.samples[:count], stream.samples[count:]))
    assert before and after and not before & after


def check_all(stream, watcher, interval=INTERVAL):
    """Checks that there is one reading per epoch with the right values, none missing in between and none invented."""
    newest = check_no_epoch_comes_twice(stream, interval)
    got = list(dict.fromkeys(times(stream)))
    # The watcher is a separate program, which may read later than the broker on a busy host.
    until(lambda: got[-1] in watcher.fixes, "the watcher to hear of the newest epoch")
    told = list(watcher.fixes)
    # The first one may be the rest of an epoch that had already begun.
    assert got == told[told.index(got[0]) : told.index(got[-1]) + 1]
    late = 0
    for time in got[1 if got[:1] == [stream.samples[0][2].get("utcMicroseconds")] else 0:]:
        location, reports = newest[time][1], watcher.fixes[time]
        if not has_told(location, reports):
            # A report that a busy host held up came when the epoch had been told, or after the stream was left.
            late += 1
            reports = next((reports[:count] for count in range(1, len(reports)) if has_told(location, reports[:count])), reports)
        check_epoch(location, reports)
    assert late <= max(1, len(got) // 5), f"{late} of {len(got)} epochs were told before all of their reports"


def has_told(location, reports):
    """Whether a reading is what these reports say."""
    try:
        check_epoch(location, reports)
    except AssertionError:
        return False
    return True


def check_by_receiver(stream, epochs):
    """Checks for flaps and spikes against the receiver's own values, without gpsd's reports.

    A flap is a reading without a fix between two adjacent ones with a fix, while the receiver never lost it: gpsd may
    deny a receiver's fix for long (it does not understand all sentences), but not for an instant. A spike is a speed
    that the receiver did not report in that epoch.
    """
    truths = {truth.clock: truth for truth in map(Truth, epochs) if truth.clock is not None}
    samples = [values for _, _, values in stream.samples[1:]]
    known = [truths.get(values.get("utcMicroseconds", -1) % DAY) for values in samples]
    spikes = [(truth.speeds, values) for values, truth in zip(samples, known)
              if truth and truth.speeds and "speedMetersPerSecond" in values
              and min(abs(values["speedMetersPerSecond"] - told) for told in truth.speeds) > SPEED_TOLERANCE]
    flaps = []
    for index in range(1, len(samples) - 1):
        before, values, after = samples[index - 1 : index + 2]
        if values["fix"] == "none" and "none" not in (before["fix"], after["fix"]):
            step = after.get("utcMicroseconds", 0) - before.get("utcMicroseconds", 0)
            was_whole = 0 < step <= 1_500_000 if "utcMicroseconds" not in values else known[index] and known[index].is_valid
            if was_whole:
                flaps.append(values)
    assert not flaps and not spikes, (flaps, spikes)
    return sum(truth is not None for truth in known)
