"""Locations as NMEA 0183: a real gpsd reads back what `sensorctl watch --format nmea` writes into a terminal line."""

import itertools
import os
import re
import subprocess
import tempfile

import pytest

from tools.commands import run
from tools.daemon import die_with_parent
from tools.nmea import Drive, has_good_checksum, sentence
from tools.programs import PATIENCE, SENSORCTL
from tools.receiver import Gpsd, Watcher
from tools.road import needs_gpsd
from tools.stream import Stream
from tools.waiting import until

pytestmark = needs_gpsd

LOCATION = {"resource": "location", "intervalNanoseconds": 200_000_000, "satellites": True}


class Line:
    """A terminal line between sensorctl and a program that reads a receiver."""

    def __init__(self, daemon, directory):
        self.path = os.path.join(directory, "receiver")
        self.watch = subprocess.Popen(
            [SENSORCTL, "watch", "location@200ms", "--format", "nmea"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            env={**os.environ, "SENSORBROKER_SOCKET": daemon.broker}, preexec_fn=die_with_parent)
        self.socat = subprocess.Popen(
            ["socat", "-u", "-", f"PTY,raw,echo=0,link={self.path}"], stdin=self.watch.stdout, preexec_fn=die_with_parent)
        until(lambda: os.path.exists(self.path), "a terminal line")

    def close(self):
        for process in (self.watch, self.socat):
            process.kill()
            process.wait()


class Sky:
    """gpsd's own list of satellites, by system and number."""

    def __init__(self, watcher):
        self.satellites = {}
        note = watcher.note

        def note_sky(report):
            if report["class"] == "SKY" and "satellites" in report:
                self.satellites = {(one.get("gnssid", 0), one.get("svid", one["PRN"])): one for one in report["satellites"]}
            note(report)

        watcher.note = note_sky


def test_gpsd_reads_back_the_same_locations(daemon, directory):
    line = Line(daemon, directory)
    gpsd = Gpsd(directory, line)
    watcher = Watcher(gpsd.port)
    sky = Sky(watcher)
    try:
        with Stream(daemon.broker, LOCATION) as stream:
            def both():
                return [(location, watcher.fixes[location["utcMicroseconds"] // 1000 * 1000][-1])
                        for _, _, location in stream.samples
                        if location["utcMicroseconds"] // 1000 * 1000 in watcher.fixes]

            skies = []

            def has_all(stream):
                # Where the line is held up, gpsd reports the satellites of which it has read so far.
                if stream.samples and len(sky.satellites) == len(stream.samples[-1][2]["satellites"]):
                    skies.append((sky.satellites, stream.samples[-1][2]["satellites"]))
                return len(both()) >= 20 and skies

            stream.until(has_all, "gpsd's reports of the same times")
            for location, report in both()[5:]:
                assert report["mode"] == 3
                assert report["lat"] == pytest.approx(location["latitudeDegrees"], abs=2e-8)
                assert report["lon"] == pytest.approx(location["longitudeDegrees"], abs=2e-8)
                assert report["altMSL"] == pytest.approx(location["altitudeMeters"], abs=0.001)
                assert report["speed"] == pytest.approx(location["speedMetersPerSecond"], abs=0.001)
                assert report["track"] == pytest.approx(location["trackDegrees"], abs=0.01)
            reported, satellites = skies[-1]
            assert len(reported) == len(satellites) > 4
            seen = {one["PRN"]: one for one in reported.values()}
            for satellite in satellites:
                assert seen[satellite["prn"]]["used"] == satellite["used"]
                assert seen[satellite["prn"]]["el"] == pytest.approx(satellite["elevationDegrees"], abs=0.5)
    finally:
        watcher.close()
        gpsd.close()
        line.close()


USED = {"GP": (1, (1, 2, 3, 4)), "GL": (2, (70, 71)), "GA": (3, (4, 9)), "GB": (4, (19, 21))}
# As gpsd names them: the system, and the number within it.
USED_BY_GPSD = {(0, 1), (0, 2), (0, 3), (0, 4), (6, 6), (6, 7), (2, 4), (2, 9), (3, 19), (3, 21)}


def sky_of_all_systems():
    text = ""
    for talker, (system, numbers) in USED.items():
        used = [f"{number:02d}" for number in numbers]
        text += sentence(f"{talker}GSA", "A", "3", *used, *[""] * (12 - len(used)), "1.6", "0.9", "1.3", str(system))
    for talker, (_, numbers) in USED.items():
        seen = (f"{number:02d},{30 + number % 40},{10 * number % 360:03d},{40 - number % 9}" for number in numbers)
        text += sentence(f"{talker}GSV", "1", "1", f"{len(numbers):02d}", *seen)
    return text


def test_satellites_of_all_systems_go_through_two_gpsds(road, start, directory):
    drive = Drive()
    epochs = (drive.short_epoch(number) + sky_of_all_systems() for number in itertools.count())
    way = road(epochs, 0.2)
    daemon = start(*way.option)
    way.receiver.talking.set()
    line = Line(daemon, directory)
    second = tempfile.TemporaryDirectory(prefix="sb-")
    gpsd = Gpsd(second.name, line)
    watcher = Watcher(gpsd.port)
    sky = Sky(watcher)
    try:
        until(lambda: {name for name, one in sky.satellites.items() if one["used"]} == USED_BY_GPSD,
              "the second gpsd to know the satellites of all systems")
    finally:
        watcher.close()
        gpsd.close()
        line.close()
        second.cleanup()


def test_each_sentence_is_whole(daemon):
    result = run(SENSORCTL, "watch", "location@200ms", "--format", "nmea", "--count", "3", broker=daemon, text=False)
    assert (result.returncode, result.stderr) == (0, b"")
    lines = result.stdout.decode("ascii").split("\r\n")
    assert lines.pop() == "" and all(has_good_checksum(line) and len(line) <= 80 for line in lines), lines
    assert [line[3:6] for line in lines].count("RMC") == 3
    assert {line[3:6] for line in lines} == {"RMC", "GGA", "GSA", "GSV"}
    assert run(SENSORCTL, "get", "location", "--format", "nmea", broker=daemon, text=False).stdout.startswith(b"$G")


def test_it_is_for_locations_only(daemon):
    for words, status, text in [(["watch", "accelerometer"], 64, b"nmea is for locations"), (["get", "accelerometer"], 64, b"nmea is for"),
                                (["list"], 64, b"there are text, json and csv"), (["watch", "location", "--stats"], 64, b"--stats")]:
        result = run(SENSORCTL, *words, "--format", "nmea", broker=daemon, text=False)
        assert (result.returncode, result.stdout) == (status, b"") and text in result.stderr, result


# Columns, statistics and quiet streams

def test_chosen_columns(daemon):
    result = run(SENSORCTL, "watch", "location@200ms", "--count", "2", "--format", "csv", "--columns", "longitudeDegrees,time,fix", broker=daemon, text=False)
    header, *rows = result.stdout.decode().splitlines()
    assert header == "longitudeDegrees,time,fix" and len(rows) == 2
    assert all(re.fullmatch(r"\d+\.\d+,20\d\d-\S+Z,3d", row) for row in rows), rows
    text = run(SENSORCTL, "watch", "accelerometer", "--count", "1", "--columns", "time,z", broker=daemon, text=False).stdout.decode().splitlines()
    assert text[0].split() == ["time", "z"] and len(text[0]) == len(text[1])
    result = run(SENSORCTL, "watch", "location", "--columns", "latitude", "--format", "csv", broker=daemon, text=False)
    assert result.returncode == 64 and b"did you mean 'latitudeDegrees'" in result.stderr
    assert run(SENSORCTL, "watch", "location", "--columns", "fix", "--format", "json", broker=daemon).returncode == 64
    assert run(SENSORCTL, "watch", "location", "--columns", "a,,b", broker=daemon).returncode == 64


def test_statistics(daemon):
    result = run(SENSORCTL, "watch", "accelerometer@100Hz", "--stats", "--count", "150", "--format", "csv", broker=daemon, text=False)
    header, *rows = result.stdout.decode().splitlines()
    assert header == "time,resource,readings,hertz,jitterSeconds,meanLatencySeconds,longestLatencySeconds,lost"
    cells = [row.split(",") for row in rows]
    assert sum(int(row[2]) for row in cells) == 150
    assert all(abs(float(row[3]) - 100) < 1 for row in cells if int(row[2]) > 20), rows
    assert all(row[1] == "accelerometer" and row[7] == "0" and 0 <= float(row[5]) <= float(row[6]) for row in cells)
    result = run(SENSORCTL, "watch", "accelerometer@100Hz", "location", "--stats", "--for", "2500ms", broker=daemon, text=False)
    text = result.stdout.decode()
    assert re.search(r"^TIME +RESOURCE +READINGS +RATE +JITTER +LATENCY +LONGEST +LOST$", text, re.M)
    assert re.search(r"accelerometer +\d+ +\S+ Hz", text) and re.search(r"location +\d", text)
    result = run(SENSORCTL, "watch", "accelerometer@100Hz", "--stats", "--count", "5", "--format", "json", broker=daemon, text=False)
    assert b'{"stats":{"resource":"accelerometer",' in result.stdout


def test_statistics_count_what_is_lost(start, directory):
    daemon = start("--mock")
    watch = subprocess.Popen([SENSORCTL, "watch", "accelerometer@100Hz", "--stats", "--quiet", "--format", "csv"], text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=die_with_parent,
                             env={**os.environ, "SENSORBROKER_SOCKET": daemon.broker})
    try:
        assert watch.stdout.readline().startswith("time,")
        run(SENSORCTL, "mock", "drop", "20", "accelerometer", broker=daemon, text=False)
        lost = 0
        while lost < 20:
            lost += int(watch.stdout.readline().rsplit(",", 1)[1])
    finally:
        watch.kill()
        watch.wait()


def test_quiet_streams_have_readings_only(daemon):
    def lines(*options):
        watch = subprocess.Popen([SENSORCTL, "watch", "accelerometer@1us", "--count", "200", *options], text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 env={**os.environ, "SENSORBROKER_SOCKET": daemon.broker}, preexec_fn=die_with_parent)
        return watch.communicate(timeout=PATIENCE)[0].splitlines()

    # The grant differs from the request.
    assert any("a reading every" in line for line in lines())
    assert not any("a reading every" in line for line in lines("--quiet"))
    assert all('"sequence"' in line for line in lines("--quiet", "--format", "json"))
