"""Other programs' files: imported, played, recorded and exported again."""

import csv
import datetime
import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from nmea import Drive
from programs import PATIENCE, SENSORCTL
from stream import Stream
from test_recording import replay  # noqa: F401, a fixture

GPX = "{http://www.topografix.com/GPX/1/1}"


def sensorctl(*words, status=0):
    result = subprocess.run([SENSORCTL, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == status, result
    return result.stdout if status == 0 else result.stderr


def locations(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["timestampNanoseconds"], line["location"]) for line in lines if "location" in line]


def played(daemon, count, name="location"):
    with Stream(daemon.broker, {"resource": name, "intervalNanoseconds": 0}) as stream:
        return stream.until(lambda s: len(s.samples) >= count, f"{count} readings").samples


def test_gpx_is_played_and_exported(replay, tmp_path):  # noqa: F811
    track = tmp_path / "track.gpx"
    track.write_text("""<?xml version="1.0"?>
        <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>t</name><trkseg>
        <trkpt lat="52.1" lon="13.1"><ele>30</ele><time>2026-01-01T10:00:00Z</time></trkpt>
        <trkpt lat="52.2" lon="13.2"><ele>31</ele><time>2026-01-01T10:00:02Z</time></trkpt>
        <trkpt lat="52.3" lon="13.3"><time>2026-01-01T10:00:02Z</time></trkpt>
        </trkseg><trkseg><trkpt lat="52.4" lon="13.4"><time>2026-01-01T11:00:00Z</time></trkpt></trkseg></trk></gpx>""")
    recording = tmp_path / "track.ndjson"
    sensorctl("import", track, recording)
    samples = played(replay(recording, "--speed", "max"), 3)
    assert [stamp - samples[0][0] for stamp, _, _ in samples] == [0, 2_000_000_000, 3_600_000_000_000]
    assert [values["latitudeDegrees"] for _, _, values in samples] == [52.1, 52.2, 52.4]
    assert samples[0][2]["fix"] == "3d" and samples[0][2]["altitudeMeters"] == 30

    sensorctl("export", recording, tmp_path / "out.gpx")
    points = ElementTree.parse(tmp_path / "out.gpx").iter(f"{GPX}trkpt")
    assert [(point.get("lat"), point.findtext(f"{GPX}time")) for point in points] == [
        ("52.1", "2026-01-01T10:00:00Z"), ("52.2", "2026-01-01T10:00:02Z"), ("52.4", "2026-01-01T11:00:00Z")]
    lines = json.loads(sensorctl("export", recording, "--to", "geojson"))
    assert lines["features"][0]["geometry"]["coordinates"][1] == [13.2, 52.2, 31]
    assert "<gx:coord>13.1 52.1" in sensorctl("export", recording, "--to", "kml")
    rows = list(csv.DictReader(sensorctl("export", recording, "--to", "csv").splitlines()))
    assert [row["latitudeDegrees"] for row in rows] == ["52.1", "52.2", "52.4"]
    assert rows[1]["time"] == "2026-01-01T10:00:02Z" and rows[1]["timestampNanoseconds"] == "2000000000"


def test_a_table_is_played_and_exported(replay, tmp_path):  # noqa: F811
    table = tmp_path / "phone.csv"
    table.write_text("Time (s),Acceleration x (m/s^2),Acceleration y (m/s^2),Acceleration z (m/s^2)\n"
                     + "".join(f"{index / 100},{index / 8},0,9.8\n" for index in range(50)))
    recording = tmp_path / "phone.ndjson"
    sensorctl("import", table, recording)
    samples = played(replay(recording, "--speed", "max"), 50, "accelerometer")
    assert [values[0] for _, _, values in samples] == [index / 8 for index in range(50)]
    assert {after[0] - before[0] for before, after in zip(samples, samples[1:])} == {10_000_000}
    exported = tmp_path / "again.csv"
    sensorctl("export", recording, exported)
    sensorctl("import", exported, tmp_path / "again.ndjson")
    assert (tmp_path / "again.ndjson").read_text().splitlines()[1:] == recording.read_text().splitlines()[1:]


def test_a_log_says_what_gpsd_reads_in_it(tmp_path):
    drive = Drive(datetime.datetime(2026, 3, 1, 23, 59, 50, tzinfo=datetime.timezone.utc), interval=1.0)
    log = tmp_path / "receiver.nmea"
    log.write_text("".join(drive.epoch(number) for number in range(30)))
    sensorctl("import", log, tmp_path / "receiver.ndjson")
    ours = {location["utcMicroseconds"]: location for _, location in locations(tmp_path / "receiver.ndjson")}
    decoded = subprocess.run(["gpsdecode", "-j"], stdin=log.open("rb"), capture_output=True, text=True, check=True).stdout
    reports = [json.loads(line) for line in decoded.splitlines() if '"TPV"' in line]
    reports = [report for report in reports if report.get("mode") == 3 and "time" in report]
    assert len(ours) == 30 and len(reports) > 20
    for report in reports:
        time = datetime.datetime.fromisoformat(report["time"].replace("Z", "+00:00"))
        location = ours[round(time.timestamp() * 1_000_000)]
        for name, theirs, precision in [("latitudeDegrees", "lat", 2e-9), ("longitudeDegrees", "lon", 2e-9),
                                        ("altitudeMeters", "altMSL", 2e-3), ("speedMetersPerSecond", "speed", 2e-3),
                                        ("trackDegrees", "track", 0.06)]:
            if theirs in report:
                assert location[name] == pytest.approx(report[theirs], abs=precision), (name, report)


def test_what_was_recorded_is_exported_with_its_times(daemon, tmp_path):
    recording = tmp_path / "own.ndjson"
    environment = {**os.environ, "SENSORBROKER_SOCKET": daemon.broker}
    subprocess.run([SENSORCTL, "record", "location@100ms", "accelerometer@20ms", str(recording), "--for", "1s"],
                   check=True, capture_output=True, timeout=PATIENCE, env=environment)
    before = datetime.datetime.now(datetime.timezone.utc)
    assert "choose with --resource" in sensorctl("export", recording, "--to", "csv", status=64)
    rows = list(csv.DictReader(
        sensorctl("export", recording, "--to", "csv", "--resource", "accelerometer").splitlines()))
    time = datetime.datetime.fromisoformat(rows[-1]["time"].replace("Z", "+00:00"))
    assert len(rows) > 20 and abs((before - time).total_seconds()) < 60
    assert sensorctl("export", recording, "--to", "gpx").count("<trkpt") > 5
    assert "nothing in it" in sensorctl("export", recording, "--to", "gpx", "--resource", "accelerometer", status=65)


@pytest.mark.parametrize("content, words", [
    (b"<gpx><trk></gpx>", "XML"), (b"<!DOCTYPE x [<!ENTITY a 'b'>]><gpx>&a;</gpx>", "document type"),
    (b"\x00\x01\x02", "header"), (b"", "header"), (b"$GPGSV,1,1,00\n", "position"), (b"a,b\n1,2\n", "--columns"),
    (b"lat,lon\n1,2\n", "--interval"), (b"<gpx><wpt lat='1' lon='2'/></gpx>", "--interval"),
])
def test_what_cannot_be_read_is_refused_in_words(tmp_path, content, words):
    path = tmp_path / "file"
    path.write_bytes(content)
    said = sensorctl("import", path, tmp_path / "out", status=65)
    assert words in said and str(path) in said and not (tmp_path / "out").exists()


def test_files_are_not_taken_for_others(tmp_path):
    path = tmp_path / "points.gpx"
    path.write_text("<gpx><wpt lat='1' lon='2'/><wpt lat='1' lon='3'/></gpx>")
    (tmp_path / "there").write_text("mine")
    assert "is there already" in sensorctl("import", path, tmp_path / "there", "--interval", "1s", status=73)
    assert (tmp_path / "there").read_text() == "mine"
    assert "no file" in sensorctl("import", tmp_path / "none", tmp_path / "out", status=66)
    sensorctl("import", path, tmp_path / "out", "--interval", "1s", "--resource", "location:boat")
    assert [stamp for stamp, _ in locations(tmp_path / "out")] == [0, 1_000_000_000]
    assert "sensorctl import" in sensorctl("export", path, "--to", "kml", status=65)


def test_an_interrupted_pipe_ends_quietly(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("t,lat,lon\n" + "".join(f"{index},1,2\n" for index in range(20_000)))
    sensorctl("import", path, tmp_path / "many.ndjson")
    process = subprocess.Popen([SENSORCTL, "export", str(tmp_path / "many.ndjson"), "--to", "gpx"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(100)
    process.stdout.close()
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, b"")
