"""A recording of a drive that tests know everything about: a location, an accelerometer on a shaking engine, a light sensor."""

import json
import math
import random

START = 5_000_000_000
UTC = 1_790_000_000_000_000
# Seconds without a receiver, and without accelerations.
OUTAGE = (60, 75)
MISSED = (90, 94)
VIBRATION = {"x": (8.0, 0.8), "y": (15.0, 0.3)}


def resource(name, kind, state, second, reason=None):
    entry = {"name": name, "kind": kind, "state": state} | ({"reason": reason} if reason else {})
    return {"resource": entry, "atNanoseconds": START + second * 1_000_000_000}


def gap(name, cause, count, seconds):
    first, last = (START + second * 1_000_000_000 for second in seconds)
    return {"gap": {"resource": name, "cause": cause, "count": count, "fromNanoseconds": first, "untilNanoseconds": last}}


def location(second, latitude, longitude):
    speed = 14 + 6 * math.sin(second / 20)
    return {"resource": "location", "sequence": second, "timestampNanoseconds": START + second * 1_000_000_000, "location": {
        "fix": "3d", "latitudeDegrees": latitude, "longitudeDegrees": longitude, "altitudeMeters": 520 + 20 * math.sin(second / 30),
        "speedMetersPerSecond": speed, "horizontalErrorMeters": 3.5, "verticalErrorMeters": 6.5, "satellitesUsed": 8 + second % 3,
        "satellitesVisible": 14}}


def lines(seconds=150, rate=50, reason="the receiver was unplugged"):
    """The recording's lines."""
    shake = random.Random(2)
    yield {"recording": {"format": "io.sensorbroker.recording", "version": 1, "program": "drive", "bootNanoseconds": START,
                         "utcMicroseconds": UTC, "requests": []}}
    for name, kind in (("location", "location"), ("accelerometer", "acceleration"), ("light", "illuminance")):
        yield resource(name, kind, "active", 0)
    latitude, longitude, heading = 48.137, 11.575, 0.4
    sequence = 0
    for second in range(seconds):
        heading += 0.02 * math.sin(second / 15) + 0.01
        latitude += 14 * math.cos(heading) / 111_320
        longitude += 14 * math.sin(heading) / 111_320 / math.cos(math.radians(latitude))
        if second == OUTAGE[0]:
            yield resource("location", "location", "unavailable", second, reason)
        if second == OUTAGE[1]:
            yield resource("location", "location", "active", second)
            yield gap("location", "deviceLost", OUTAGE[1] - OUTAGE[0], OUTAGE)
        if not OUTAGE[0] <= second < OUTAGE[1]:
            yield location(second, latitude, longitude)
        if second % 7 == 0:
            yield values("light", second // 7, START + second * 1_000_000_000 + 5_000, {"value": 300 + 250 * math.sin(second / 20)})
        if second == MISSED[0]:
            yield gap("accelerometer", "slowClient", rate * (MISSED[1] - MISSED[0]), MISSED)
        for step in range(rate):
            sequence += 1
            stamp = START + second * 1_000_000_000 + step * (1_000_000_000 // rate) + shake.randrange(-300_000, 300_000)
            axes = {"x": shake.gauss(0, 0.05), "y": shake.gauss(0, 0.05), "z": 9.81 + shake.gauss(0, 0.05)}
            for axis, (hertz, amplitude) in VIBRATION.items():
                axes[axis] += amplitude * math.sin(2 * math.pi * hertz * stamp / 1e9)
            # One blow, which no picture may leave out.
            if second == 30 and step == 7:
                axes["z"] = 42.0
            if not MISSED[0] <= second < MISSED[1]:
                yield values("accelerometer", sequence, max(START, stamp), axes)


def values(name, sequence, stamp, columns):
    return {"resource": name, "sequence": sequence, "timestampNanoseconds": stamp,
            "values": {"columns": {channel: [value] for channel, value in columns.items()}}}


def write(path, **options):
    """Writes the recording as the recorder does; returns its readings by resource."""
    readings = {}
    with open(path, "w", encoding="utf-8") as file:
        for line in lines(**options):
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")
            if "sequence" in line:
                readings.setdefault(line["resource"], []).append(line)
    return readings
