"""The output of a GNSS receiver: NMEA 0183 sentences of a drive at constant speed, epoch by epoch."""

import datetime
import functools
import math

EARTH_RADIUS_METERS = 6_371_000.0
KNOTS_PER_METER_PER_SECOND = 1.943844


def sentence(*fields):
    body = ",".join(fields)
    return f"${body}*{functools.reduce(lambda sum, c: sum ^ ord(c), body, 0):02X}\r\n"


def angle(degrees, width, hemispheres):
    """Degrees and minutes in the form of NMEA: 4807.03800,N."""
    whole, minutes = divmod(round(abs(degrees) * 60, 5), 60)
    return f"{int(whole):0{width}d}{minutes:08.5f},{hemispheres[0 if degrees >= 0 else 1]}"


USED = (2, 5, 7, 12, 13, 15, 24, 25, 29)
VISIBLE = (*USED, 18, 31)


def satellites():
    """GSA with the satellites used, and GSVs with all satellites in view, four in each."""
    groups = [VISIBLE[start : start + 4] for start in range(0, len(VISIBLE), 4)]
    text = sentence("GPGSA", "A", "3", *(f"{number:02d}" for number in USED), "", "", "", "1.6", "0.9", "1.3")
    for index, group in enumerate(groups, start=1):
        seen = (f"{number:02d},{20 + number:02d},{10 * number:03d},{40 - number:02d}" for number in group)
        text += sentence("GPGSV", str(len(groups)), str(index), f"{len(VISIBLE):02d}", *seen)
    return text


class Drive:
    """A driving receiver; each epoch depends only on its number."""

    def __init__(self, start=None, interval=0.2, latitude=48.1173, longitude=11.5167, track=77.5, speed=20.0):
        self.start = start or datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.interval = interval
        self.latitude, self.longitude = latitude, longitude
        self.track, self.speed = track, speed

    def time(self, number):
        return self.start + datetime.timedelta(seconds=round(number * self.interval, 3))

    def position(self, number):
        distance = number * self.interval * self.speed
        north = distance * math.cos(math.radians(self.track)) / EARTH_RADIUS_METERS
        east = distance * math.sin(math.radians(self.track)) / EARTH_RADIUS_METERS
        return (self.latitude + math.degrees(north),
                self.longitude + math.degrees(east / math.cos(math.radians(self.latitude))))

    def clock_and_place(self, number):
        time = self.time(number)
        latitude, longitude = self.position(number)
        return (time, time.strftime("%H%M%S.") + f"{time.microsecond // 10_000:02d}",
                f"{angle(latitude, 2, 'NS')},{angle(longitude, 3, 'EW')}")

    def epoch(self, number, fix=True, flap=False):
        """GGA, GSA, GSV and RMC of one instant. The altitude grows by a centimetre per epoch, so that each is unique.

        Without a fix they say so; with a flap, one of them denies the fix.
        """
        time, clock, place = self.clock_and_place(number)
        if not fix:
            return (sentence("GPGGA", clock, "", "", "", "", "0", "00", "", "", "M", "", "M", "", "")
                    + sentence("GPGSA", "A", "1", *[""] * 15)
                    + sentence("GPRMC", clock, "V", "", "", "", "", "", "", time.strftime("%d%m%y"), "", "", "N"))
        return (
            sentence("GPGGA", clock, place, "1", f"{len(USED):02d}", "0.9", f"{520 + number / 100:.2f}", "M", "46.9", "M",
                     "", "")
            + satellites()
            + (sentence("GPGLL", place, clock, "V") if flap else "")
            + self.motion(number))

    def short_epoch(self, number):
        """Only GGA and RMC, as fast receivers send between whole seconds."""
        return self.epoch(number).splitlines(keepends=True)[0] + self.motion(number)

    def motion(self, number):
        time, clock, place = self.clock_and_place(number)
        return sentence("GPRMC", clock, "A", place, f"{self.speed * KNOTS_PER_METER_PER_SECOND:.2f}", f"{self.track:.1f}",
                        time.strftime("%d%m%y"), "", "", "A")


def with_bad_checksums(epoch):
    """Replaces the checksum of the second sentence by a wrong one."""
    first, second, *rest = epoch.splitlines(keepends=True)
    return "".join([first, second.split("*")[0] + "*ZZ\r\n", *rest])


def with_half_sentences(epoch):
    """Truncates the first sentence; the next one follows directly."""
    first, *rest = epoch.splitlines(keepends=True)
    return "".join([first[: len(first) // 2], *rest])


def after_rollover(drive, number):
    """From the tenth epoch on, the receiver's date is 1024 weeks too early."""
    ago = Drive(drive.start - datetime.timedelta(weeks=1024), drive.interval)
    return (drive if number < 10 else ago).epoch(number)


class Truth:
    """The receiver's own values for an epoch: its speeds, and whether it has a position."""

    def __init__(self, epoch):
        self.clock, self.speeds, self.is_valid = None, [], None
        for line in epoch.splitlines():
            fields = line.split("*")[0].split(",")
            if not has_good_checksum(line):
                continue
            if fields[0][3:] == "RMC" and len(fields) > 7:
                self.clock = microseconds_of_day(fields[1])
                self.is_valid = fields[2] == "A" and self.is_valid is not False
                self.note_speed(fields[7], KNOTS_PER_METER_PER_SECOND)
            if fields[0][3:] == "VTG" and len(fields) > 7:
                self.note_speed(fields[5], KNOTS_PER_METER_PER_SECOND)
                self.note_speed(fields[7], 3.6)
            if fields[0][3:] == "GGA" and len(fields) > 6:
                self.is_valid = fields[6] not in ("", "0") and self.is_valid is not False
            if fields[0][3:] == "GSA" and len(fields) > 2:
                self.is_valid = fields[2] in ("2", "3") and self.is_valid is not False

    def note_speed(self, text, units_per_meter_per_second):
        if text:
            self.speeds.append(float(text) / units_per_meter_per_second)


def microseconds_of_day(clock):
    """Microseconds of the day, from hhmmss.sss; None if the text is not a time."""
    try:
        return (int(clock[:2]) * 3600 + int(clock[2:4]) * 60) * 1_000_000 + round(float(clock[4:]) * 1_000_000)
    except ValueError:
        return None


def has_good_checksum(line):
    body, _, sum = line.strip().lstrip("$").partition("*")
    return sum.upper() == f"{functools.reduce(lambda sum, c: sum ^ ord(c), body, 0):02X}"


def epochs_of_log(text):
    """A receiver's log, split where its time changes, as the receiver itself paused there."""
    epochs, clock = [""], None
    for line in text.splitlines():
        if not line.startswith("$"):
            continue
        fields = line.split(",")
        kind = fields[0][3:]
        told = fields[1] if kind in ("GGA", "RMC") and len(fields) > 1 else None
        if told is not None and told != clock:
            if clock is not None:
                epochs.append("")
            clock = told
        epochs[-1] += line + "\r\n"
    return epochs
