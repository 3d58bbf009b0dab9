"""Other programs' files: imported, replayed, recorded and exported again."""

import csv
import datetime
import json
import os
import resource
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from tools.commands import must, peak, run, sensorctl, start
from tools.nmea import Drive
from tools.programs import GPX, PATIENCE, SENSORCTL
from tools.stream import Stream
from tools.waiting import until


def locations(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["timestampNanoseconds"], line["location"]) for line in lines if "location" in line]


def played(daemon, count, name="location"):
    with Stream(daemon.broker, {"resource": name, "intervalNanoseconds": 0}) as stream:
        return stream.until(lambda s: len(s.samples) >= count, f"{count} readings").samples


def test_gpx_is_played_and_exported(replay, tmp_path):
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


def test_segments_come_back_as_segments(replay, tmp_path):
    """As gaps in between, which clients are told."""
    def point(minute, latitude):
        return f"<trkpt lat='{latitude}' lon='11.5'><time>2026-05-01T10:{minute:02}:00Z</time></trkpt>"

    track = tmp_path / "track.gpx"
    track.write_text("<gpx><trk><trkseg>" + point(0, 48.1) + point(1, 48.2) + "</trkseg><trkseg>" + point(2, 49.1) + point(3, 49.2)
                     + "</trkseg></trk></gpx>")
    recording = tmp_path / "track.ndjson"
    sensorctl("import", track, recording)
    assert sensorctl("export", recording, "--to", "gpx").count("<trkseg>") == 2
    with Stream(replay(recording, "--speed", "max").broker, {"resource": "location", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 4, "four readings")
        assert [gap["cause"] for gap in stream.gaps] == ["deviceLost"]


def test_a_table_with_several_sensors_is_a_recording_of_all_of_them(tmp_path):
    table = tmp_path / "imu.csv"
    table.write_text("time,lat,lon,ax,ay,az,gx,gy,gz,color\n0,52.5,13.4,0.1,0.2,9.8,0.01,0.02,0.03,red\n1,52.5,13.4,0.1,0.2,9.8,0.01,0.02,0.03,red\n")
    result = run(SENSORCTL, "import", table, tmp_path / "imu.ndjson")
    assert result.stderr == (
        f"sensorctl: {tmp_path}/imu.ndjson: 2 readings of location, 2 readings of accelerometer, 2 readings of gyroscope, 00:00:01; "
        "left out: 1 column (color); "
        "taken for granted, as no column says a unit: the time in s, accelerometer in m/s², gyroscope in rad/s\n")
    lines = [json.loads(line) for line in (tmp_path / "imu.ndjson").read_text().splitlines()[1:]]
    assert [line["values"]["columns"] for line in lines if line["resource"] == "gyroscope"] == [{"x": [0.01], "y": [0.02], "z": [0.03]}] * 2
    # Or of one of them, under a name.
    sensorctl("import", table, tmp_path / "gyro.ndjson", "--resource", "gyroscope:2")
    assert {json.loads(line)["resource"] for line in (tmp_path / "gyro.ndjson").read_text().splitlines()[1:]} == {"gyroscope:2"}
    assert "choose one" in sensorctl("import", table, tmp_path / "boat.ndjson", "--resource", "boat", status=65)


KML = """<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document><Placemark><gx:Track><when>2026-05-01T10:00:00Z</when><when>2026-05-01T10:00:02Z</when>
<gx:coord>11.5 48.1 500</gx:coord><gx:coord>11.6 48.2 501</gx:coord></gx:Track></Placemark></Document></kml>"""


def test_other_formats_are_read_by_gpsbabel(tmp_path):
    # The name is no option, neither ours nor that of gpsbabel, and does not say the format.
    (tmp_path / "-h.gpx").write_text(KML)
    for words in (["--", "-h.gpx"], ["./-h.gpx"], ["--from", "kml", "-"]):
        (tmp_path / "input").write_text(KML)
        with open(tmp_path / "input") as source:
            result = run(SENSORCTL, "import", *words, "out.ndjson", *([] if words[0] == "--" else ["--force"]), cwd=tmp_path, stdin=source)
        assert (result.returncode, result.stderr) == (0, "sensorctl: out.ndjson: 2 readings of location, 00:00:02\n"), words
        found = locations(tmp_path / "out.ndjson")
        assert [(stamp, place["latitudeDegrees"], place["altitudeMeters"]) for stamp, place in found] == [(0, 48.1, 500), (2_000_000_000, 48.2, 501)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["-h.gpx", "input", "out.ndjson"]


def test_what_gpsbabel_cannot_do_is_said(tmp_path):
    (tmp_path / "a.kml").write_text(KML)
    result = run(SENSORCTL, "import", "a.kml", "out", cwd=tmp_path, environment={"PATH": str(tmp_path)})
    assert result.returncode == 69 and "apt install gpsbabel" in result.stderr
    assert "gpsbabel cannot read it as nonesuch" in sensorctl("import", tmp_path / "a.kml", tmp_path / "out", "--from", "nonesuch", status=65)
    assert "gpsbabel -h" in sensorctl("import", tmp_path / "a.kml", tmp_path / "out", "--from", "kml,x=/etc/passwd", status=64)
    (tmp_path / "cut.kml").write_text(KML[:300])
    assert "cut.kml" in sensorctl("import", tmp_path / "cut.kml", tmp_path / "out", status=65)
    assert not (tmp_path / "out").exists()


def test_a_signal_ends_gpsbabel_too(tmp_path):
    """One that never ends, in this case."""
    (tmp_path / "gpsbabel").write_text("#!/bin/sh\necho $$ > pid\nexec sleep 1000\n")
    (tmp_path / "gpsbabel").chmod(0o755)
    (tmp_path / "a.kml").write_text(KML)
    process = start(SENSORCTL, "import", "a.kml", "out", cwd=tmp_path, environment={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip(), "gpsbabel's number")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.kml", "gpsbabel", "pid"]


def test_a_table_is_played_and_exported(replay, tmp_path):
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


def test_an_imported_nmea_log_has_the_values_that_gpsd_reads(tmp_path):
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


def test_a_recording_is_exported_with_its_times(daemon, tmp_path):
    recording = tmp_path / "own.ndjson"
    environment = {**os.environ, "SENSORBROKER_SOCKET": daemon.broker}
    must(SENSORCTL, "record", "location@100ms", "accelerometer@20ms", recording, "--for", "3s", env=environment)
    before = datetime.datetime.now(datetime.timezone.utc)
    assert "choose with --resource" in sensorctl("export", recording, "--to", "csv", status=64)
    rows = list(csv.DictReader(
        sensorctl("export", recording, "--to", "csv", "--resource", "accelerometer").splitlines()))
    time = datetime.datetime.fromisoformat(rows[-1]["time"].replace("Z", "+00:00"))
    assert len(rows) > 20 and abs((before - time).total_seconds()) < 60
    assert sensorctl("export", recording, "--to", "gpx").count("<trkpt") > 5
    error = sensorctl("export", recording, "--to", "gpx", "--resource", "accelerometer", status=65)
    assert "no readings that gpx can hold, only accelerometer (acceleration)\n" in error
    error = sensorctl("export", recording, "--to", "gpx", "--resource", "gyroscope", status=65)
    assert "there are no readings of gyroscope in it, only of " in error


@pytest.mark.parametrize("content, words", [
    (b"<gpx><trk></gpx>", "XML"), (b"<!DOCTYPE x [<!ENTITY a 'b'>]><gpx>&a;</gpx>", "document type"),
    (b"\x00\x01\x02", "binary"), (b"", "empty"), (b"$GPGSV,1,1,00\n", "position"), (b"a,b\n1,2\n", "--columns"),
    (b"lat,lon\n1,2\n", "--interval"), (b"<gpx><wpt lat='1' lon='2'/></gpx>", "--interval"),
])
def test_an_unreadable_file_is_refused_with_a_reason(tmp_path, content, words):
    path = tmp_path / "file"
    path.write_bytes(content)
    said = sensorctl("import", path, tmp_path / "out", status=65)
    assert words in said and str(path) in said and not (tmp_path / "out").exists()


def test_the_wrong_kind_of_file_is_refused(tmp_path):
    path = tmp_path / "points.gpx"
    path.write_text("<gpx><wpt lat='1' lon='2'/><wpt lat='1' lon='3'/></gpx>")
    (tmp_path / "there").write_text("mine")
    assert "exists already" in sensorctl("import", path, tmp_path / "there", "--interval", "1s", status=73)
    assert (tmp_path / "there").read_text() == "mine"
    assert "no file" in sensorctl("import", tmp_path / "none", tmp_path / "out", status=66)
    sensorctl("import", path, tmp_path / "out", "--interval", "1s", "--resource", "location:boat")
    assert [stamp for stamp, _ in locations(tmp_path / "out")] == [0, 1_000_000_000]
    # No existing file is replaced unless that is requested, and then only by a complete one.
    for words in (["import", path, tmp_path / "out", "--interval", "2s"], ["export", tmp_path / "out", tmp_path / "out.csv"]):
        if words[0] == "export":
            sensorctl(*words)
        before = words[2].read_bytes()
        assert "--force" in sensorctl(*words, status=73) and words[2].read_bytes() == before
        os.chmod(words[2], 0o640)
        sensorctl(*words, "--force")
        assert (words[2].read_bytes() == before) == (words[0] == "export") and words[2].stat().st_mode & 0o777 == 0o640
    # Never the file that is read, under whatever name.
    (tmp_path / "link").symlink_to(path)
    out = tmp_path / "out"
    same = tmp_path / "same"
    same.write_bytes(path.read_bytes())
    for words in (["import", same, same], ["import", path, tmp_path / "link"], ["export", out, out, "--to", "csv"]):
        before = words[1].read_bytes()
        assert "the file that is read" in sensorctl(*words, "--force", status=73) and words[1].read_bytes() == before
    (tmp_path / "one.csv").write_text("t_ms,lat,lon\n0,1,2\n")
    sensorctl("import", tmp_path / "one.csv", tmp_path / "one")
    assert "1 row of location" in run(SENSORCTL, "export", tmp_path / "one", "--to", "csv").stderr
    before = (tmp_path / "out").read_bytes()
    (tmp_path / "bad.csv").write_text("t,lat,lon\n" + "".join(f"{i},1,2\n" for i in range(5000)) + "1e9,1,2\n")
    assert "ten years" in sensorctl("import", tmp_path / "bad.csv", tmp_path / "out", "--force", status=65)
    assert (tmp_path / "out").read_bytes() == before
    assert not list(tmp_path.glob("*.partial*"))
    assert "sensorctl import" in sensorctl("export", path, "--to", "kml", status=65)


def test_a_dash_is_the_standard_input_or_output(tmp_path):
    gpx = "<gpx><wpt lat='1' lon='2'/><wpt lat='1' lon='3'/></gpx>"
    (tmp_path / "track.gpx").write_text(gpx)
    for words in ('cat track.gpx | "$0" import - - --interval 1s | "$0" export - - --to csv',
                  '"$0" import - - --interval 1s < track.gpx | "$0" export - --to csv'):
        result = run("sh", "-c", words, SENSORCTL, cwd=tmp_path)
        assert [row["longitudeDegrees"] for row in csv.DictReader(result.stdout.splitlines())] == ["2.0", "3.0"], result
        assert [path.name for path in tmp_path.iterdir()] == ["track.gpx"]


def test_a_full_disk_is_reported_and_leaves_no_incomplete_file(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("t,lat,lon\n" + "".join(f"{index},1,2\n" for index in range(2_000)))
    sensorctl("import", path, tmp_path / "many.ndjson")
    for words in (["import", path, "/dev/full"], ["import", path, "-"], ["export", tmp_path / "many.ndjson", "/dev/full", "--to", "gpx"]):
        with open("/dev/full", "w") as full:
            result = run(SENSORCTL, *words, stdout=full)
        assert (result.returncode, "No space left" in result.stderr) == (74, True), result

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    result = run(SENSORCTL, "import", path, tmp_path / "out.ndjson", preexec_fn=limit, text=False)
    assert result.returncode == 74
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.csv", "many.ndjson"]


@pytest.mark.parametrize("name", ["track.gpx", "log.nmea", "table.csv"])
def test_memory_does_not_depend_on_the_length_of_a_file(tmp_path, name):
    def write(count):
        with open(tmp_path / name, "w") as file:
            stamps = (f"{index // 3600 % 24:02}:{index // 60 % 60:02}:{index % 60:02}" for index in range(count))
            if name.endswith("gpx"):
                file.write("<gpx><trk><trkseg>")
                file.writelines(f'<trkpt lat="1" lon="2"><time>2026-01-01T{stamp}Z</time></trkpt>\n' for stamp in stamps)
                file.write("</trkseg></trk></gpx>")
            elif name.endswith("nmea"):
                file.writelines(f"$GPRMC,{stamp.replace(':', '')},A,5030.0,N,01030.0,E,1,2,010126,,,\n" for stamp in stamps)
            else:
                file.write("t,lat,lon\n")
                file.writelines(f"{index},1,2\n" for index in range(count))

    sizes = []
    for count in (1_000, 16_000):
        write(count)
        out = tmp_path / f"{count}.ndjson"
        sizes.append(peak("import", tmp_path / name, out))
        assert sum(1 for _ in open(out)) == count + 1
    assert sizes[1] < sizes[0] + 800, sizes


def test_a_table_has_the_recordings_timestamps_and_all_fields(daemon, tmp_path):
    recording = tmp_path / "own.ndjson"
    must(SENSORCTL, "--socket", daemon.broker, "record", "location@100ms", recording, "--count", "5")
    recorded = locations(recording)
    rows = list(csv.DictReader(sensorctl("export", recording, "--to", "csv").splitlines()))
    assert [int(row["timestampNanoseconds"]) for row in rows] == [stamp for stamp, _ in recorded]
    names = set().union(*(location for _, location in recorded)) - {"satellites"}
    assert len(names) > 10
    for row, (_, location) in zip(rows, recorded):
        for key in names & set(location):
            assert row[key] == str(location[key]) or float(row[key]) == location[key], key
    # And back: nothing is lost on the way.
    sensorctl("export", recording, tmp_path / "own.csv")
    sensorctl("import", tmp_path / "own.csv", tmp_path / "again.ndjson")
    again = locations(tmp_path / "again.ndjson")
    assert [{key: value for key, value in location.items() if key in names} for _, location in again] == \
        [{key: value for key, value in location.items() if key in names} for _, location in recorded]
    assert [stamp - again[0][0] for stamp, _ in again] == [stamp - recorded[0][0] for stamp, _ in recorded]


@pytest.mark.parametrize("word", ["gyroscope", "acelerometer", "drive", "location:boat.2"])
def test_a_word_that_may_be_a_resource_is_not_a_recordings_file(daemon, tmp_path, word):
    result = run(SENSORCTL, "--socket", daemon.broker, "record", word, "--count", "1", cwd=tmp_path)
    assert (result.returncode, "./NAME" in result.stderr, list(tmp_path.iterdir())) == (64, True, [])


def test_an_interrupted_pipe_ends_quietly(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("t,lat,lon\n" + "".join(f"{index},1,2\n" for index in range(4_000)))
    sensorctl("import", path, tmp_path / "many.ndjson")
    process = start(SENSORCTL, "export", tmp_path / "many.ndjson", "--to", "gpx")
    process.stdout.read(100)
    process.stdout.close()
    assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")


def begun_import(folder, count, *prefix):
    """An import of so many lines that has begun to write its recording."""
    (folder / "long.csv").write_text("t,lat,lon\n" + "".join(f"{index},1,2\n" for index in range(count)))
    process = start(*prefix, SENSORCTL, "import", "long.csv", "out.ndjson", cwd=folder)
    until(lambda: list(folder.glob("*.partial-*")) or process.poll() is not None, "the beginning of the import")
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_incomplete_file(tmp_path, number):
    process = begun_import(tmp_path, 400_000)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -number
    assert [file.name for file in tmp_path.iterdir()] == ["long.csv"]


def test_a_signal_that_is_ignored_interrupts_nothing(tmp_path):
    process = begun_import(tmp_path, 8_000, "nohup")
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["long.csv", "out.ndjson"]
    assert len(locations(tmp_path / "out.ndjson")) == 8_000


def test_what_a_killed_program_left_behind_is_in_nobodys_way(tmp_path):
    """In a container each has the same number, here the shell that becomes the program."""
    (tmp_path / "few.csv").write_text("t,lat,lon\n0,1,2\n1,1,2\n")
    must("sh", "-c", 'touch out.ndjson.partial-$$ && exec "$0" import few.csv out.ndjson', SENSORCTL, cwd=tmp_path)
    assert len(locations(tmp_path / "out.ndjson")) == 2
