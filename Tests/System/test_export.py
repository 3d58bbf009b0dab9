"""Exports: in bounded memory, with a summary; what is written is what was recorded."""

import csv
import fcntl
import json
import os
import pty
import struct
import termios
import time
import xml.etree.ElementTree as ElementTree

import pytest

from tools.commands import peak, run, sensorctl, start
from tools.programs import GPX, PATIENCE, SENSORCTL
from tools.stream import SECOND

GX = "{http://www.google.com/kml/ext/2.2}"
UTC = 1_790_000_000_000_000


def header(boot=0, utc=UTC):
    return {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": boot, "utcMicroseconds": utc}}


def location(number, stamp, latitude=None, resource="location", **more):
    place = {"fix": "none"} if latitude is None else {"fix": "3d", "latitudeDegrees": latitude, "longitudeDegrees": 11.5, **more}
    return {"resource": resource, "sequence": number, "timestampNanoseconds": stamp, "location": place}


def acceleration(number, stamp, *xs, resource="accelerometer"):
    columns = {"x": list(xs), "y": [0.5] * len(xs), "z": [9.75] * len(xs)}
    period = {"periodNanoseconds": SECOND} if len(xs) > 1 else {}
    return {"resource": resource, "sequence": number, "timestampNanoseconds": stamp, "values": {"columns": columns, **period}}


def gap(resource, start, end):
    return {"gap": {"resource": resource, "cause": "deviceOverflow", "count": 1, "fromNanoseconds": start, "untilNanoseconds": end}}


def state(resource, kind, name, stamp):
    return {"resource": {"name": resource, "kind": kind, "state": name}, "atNanoseconds": stamp}


def write(path, lines, rest=""):
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines) + rest)
    return path


def export(*words, status=0, **options):
    """The output, and what was said."""
    result = run(SENSORCTL, "export", *words, **options)
    assert result.returncode == status, result
    return result.stdout, result.stderr


# Two receivers in two sessions; the second one has gaps in a batch of lines, an outage with a late reading, and no position for a while.
DRIVE = [
    header(), state("location", "location", "active", 0), state("location:1", "location", "active", 0),
    location(0, 1 * SECOND, 48.0, altitudeMeters=500.0), location(0, 1 * SECOND, 10.0, "location:1"),
    location(1, 2 * SECOND, 48.1, altitudeMeters=501.5, speedMetersPerSecond=2.5),
    gap("location", 3 * SECOND, 4 * SECOND), gap("location", 6 * SECOND, 7 * SECOND),
    location(2, 3 * SECOND, 48.2), location(3, 5 * SECOND, 48.3), location(4, 6 * SECOND), location(5, 8 * SECOND, 48.4),
    state("location", "location", "unavailable", 10 * SECOND), location(6, 9 * SECOND, 48.5),
    acceleration(0, 9 * SECOND, 1.0, 2.0),
    state("location", "location", "active", 12 * SECOND), location(0, 12 * SECOND, 48.6), location(1, 13 * SECOND, 48.7),
    {"resource": "radiation", "sequence": 0, "timestampNanoseconds": 1, "values": {"columns": {"sieverts": [1.0]}}},
    header(utc=UTC + 3_600_000_000), location(0, 1 * SECOND, 48.8), location(1, 2 * SECOND, 10.1, "location:1"),
]
# As a power failure leaves a line.
DAMAGED = '{"resource":"loc' + "\0" * 5_000 + "\n"
PIECES = [["48", "48.1", "48.2"], ["48.3"], ["48.4", "48.5"], ["48.6", "48.7"], ["48.8"]]
SAID = ("11 points of location, location:1 in 7 pieces, 2 gaps; left out: 1 reading without a position, "
        "2 readings of accelerometer ({} holds locations only), "
        "1 reading of an unknown kind, or of another one than before under the same name, "
        "1 line damaged by zeros, as after a power failure, "
        "1 incomplete last line that a killed recorder leaves\n")


@pytest.fixture
def drive(tmp_path):
    return write(tmp_path / "drive.ndjson", DRIVE, DAMAGED + '{"resource":"loca')


def test_several_tracks_in_pieces(drive, tmp_path):
    said = export(drive, tmp_path / "drive.gpx")[1]
    assert said == f"sensorctl: {tmp_path}/drive.gpx: " + SAID.format("gpx")
    tracks = list(ElementTree.parse(tmp_path / "drive.gpx").iter(f"{GPX}trk"))
    assert [track.findtext(f"{GPX}name") for track in tracks] == ["location", "location:1"]
    pieces = [[point.get("lat") for point in piece] for piece in tracks[0].iter(f"{GPX}trkseg")]
    assert pieces == PIECES
    assert [len(piece) for piece in tracks[1].iter(f"{GPX}trkseg")] == [1, 1]
    times = [time.text for time in tracks[1].iter(f"{GPX}time")]
    assert times == ["2026-09-21T14:13:21Z", "2026-09-21T15:13:22Z"]

    said = export(drive, tmp_path / "drive.geojson")[1]
    assert said == f"sensorctl: {tmp_path}/drive.geojson: " + SAID.format("geojson")
    features = json.loads((tmp_path / "drive.geojson").read_text())["features"]
    assert [feature["properties"]["name"] for feature in features] == ["location"] * 5 + ["location:1"] * 2
    assert [feature["geometry"]["type"] for feature in features] == ["LineString", "Point"] + ["LineString"] * 2 + ["Point"] * 3
    assert features[0]["geometry"]["coordinates"] == [[11.5, 48, 500], [11.5, 48.1, 501.5], [11.5, 48.2]]
    assert features[0]["properties"]["coordinateProperties"] == {"speedMetersPerSecond": [None, 2.5, None]}
    assert "coordinateProperties" not in features[1]["properties"]

    said = export(drive, tmp_path / "drive.kml")[1]
    assert said == f"sensorctl: {tmp_path}/drive.kml: " + SAID.format("kml")
    tracks = list(ElementTree.parse(tmp_path / "drive.kml").iter(f"{GX}Track"))
    assert [[point.text.split()[1] for point in track.iter(f"{GX}coord")] for track in tracks[:5]] == PIECES
    assert [value.text for value in tracks[0].iter(f"{GX}value")] == [None, "2.5", None]


@pytest.mark.parametrize("target", ["gpx", "kml", "geojson"])
def test_no_line_leads_across_a_loss_of_fix_or_a_pause(tmp_path, target):
    """As in a report of the same recording."""
    clock, lines = 0, [header()]
    for number in range(60):
        clock += 21 * SECOND if number == 40 else SECOND
        lines.append(location(number, clock, None if 20 <= number < 23 else 48 + number / 100))
    path = write(tmp_path / "lost.ndjson", lines)
    out, said = export(path, "--to", target)
    assert said == "sensorctl: the standard output: 57 points of location in 3 pieces, no gap; left out: 3 readings without a position\n"
    if target == "geojson":
        pieces = [len(feature["geometry"]["coordinates"]) for feature in json.loads(out)["features"]]
    else:
        name, point = (f"{GPX}trkseg", f"{GPX}trkpt") if target == "gpx" else (f"{GX}Track", f"{GX}coord")
        pieces = [len(list(piece.iter(point))) for piece in ElementTree.fromstring(out).iter(name)]
    assert pieces == [20, 17, 20]


def test_a_pipe_is_read_more_than_once(drive):
    out, said = export("-", "--to", "gpx", "--resource", "location", stdin=open(drive))
    piped, same = export("-", "--to", "gpx", "--resource", "location", input=drive.read_text())
    assert piped == out and same == said and out.count("<trkpt") == 9
    assert said.startswith("sensorctl: the standard output: 9 points of location in 5 pieces, 2 gaps; left out: ")
    assert "4 readings of location:1, accelerometer (--resource location)" in said


def series(directory, *parts):
    """The files of a rotated recording, and its name."""
    paths = [directory / f"log-20261123T06{number:02}00.000Z.ndjson" for number in range(len(parts))]
    for path, lines in zip(paths, parts):
        write(path, lines)
    return paths, directory / "log.ndjson"


@pytest.mark.parametrize("words", [("export", "--to", "csv"), ("export", "--to", "gpx"), ("export", "--to", "mcap"), ("plot", "-o", "-")])
def test_damage_in_a_series_is_reported_with_the_file_and_its_line(tmp_path, words):
    paths, name = series(
        tmp_path, [header(), location(0, SECOND, 48.0)], [header(), location(1, 2 * SECOND, 48.1), {"sequence": 1}],
        [header(), location(2, 3 * SECOND, 48.2)])

    def says(status):
        result = run(SENSORCTL, *words, name, text=False)
        assert result.returncode == status, result
        return result.stderr.decode()

    assert f"left out: 1 line that cannot be understood (line 3 of {paths[1]}: 'resource' is missing or invalid)" in says(0)
    # Without the beginning of a session, nothing after it is dated.
    for first in ({"recording": {"format": "another"}}, {"sequence": 1}):
        write(paths[1], [first, location(1, 2 * SECOND, 48.1)])
        assert f"{paths[1]}: line 1 of" in says(65)
    paths[1].write_bytes(b"\x28\xb5\x2f\xfd" + b"x" * 100)
    assert f"cannot read {paths[1]}: " in says(65)


def test_files_of_a_series_may_be_deleted_while_it_is_read(tmp_path):
    """By the recorder, which keeps as much as it was told to."""
    parts = [[header()] + [location(100 * part + n, (100 * part + n) * SECOND, 48.0) for n in range(100)] for part in range(60)]
    paths, name = series(tmp_path, *parts)
    before = export(name, "--to", "gpx")
    process = start("prlimit", "--nofile=40:", SENSORCTL, "export", name, "--to", "gpx")
    out = process.stdout.read(1)
    # It has read them once, and waits for its reader now.
    for path in paths:
        path.unlink()
    out += process.stdout.read()
    assert (out, process.stderr.read(), process.wait(PATIENCE)) == (*before, 0)


def test_a_table_is_in_the_order_of_the_recording(tmp_path):
    lines = [header(), acceleration(0, SECOND, 1.0, 2.0), gap("accelerometer", 3 * SECOND, 4 * SECOND),
             acceleration(7, SECOND, 3.0, resource="accelerometer:1"), acceleration(2, 5 * SECOND, 4.0)]
    path = write(tmp_path / "two.ndjson", lines)
    out, said = export(path, "--to", "csv")
    rows = [(row["resource"], row["sequence"], row["x"]) for row in csv.DictReader(out.splitlines())]
    assert rows == [("accelerometer", "0", "1.0"), ("accelerometer", "1", "2.0"), ("accelerometer:1", "7", "3.0"),
                    ("accelerometer", "2", "4.0")]
    assert said == ("sensorctl: the standard output: 4 rows of accelerometer, accelerometer:1; left out: "
                    "1 gap (a table has readings only)\n")
    said = export(path, tmp_path / "two.mcap", "--resource", "accelerometer")[1]
    assert said == (f"sensorctl: {tmp_path}/two.mcap: 3 readings, 1 gap; left out: "
                    "1 reading of other resources (--resource accelerometer)\n")
    assert export(path, tmp_path / "copy.ndjson")[1] == f"sensorctl: {tmp_path}/copy.ndjson: 5 lines\n"
    # What does not fit is refused before anything is written.
    mixed = write(tmp_path / "mixed.ndjson", [*lines, location(0, SECOND, 1.0)])
    out, said = export(mixed, "--to", "csv", status=64)
    assert out == "" and "accelerometer, accelerometer:1, location: choose with --resource" in said


@pytest.mark.parametrize("words", [("export", "--to", "csv"), ("plot", "-o", "-")])
def test_what_readings_carry_of_another_resource_is_said_to_be_left_out(tmp_path, words):
    """That resource has no readings of its own then: `sensorctl record a b --align-to a`."""
    carried = {"resource": "location", "alignment": "interpolated", "columns": {"latitudeDegrees": [48.0, 48.1]}}
    absent = {"resource": "light", "alignment": "absent"}
    path = write(tmp_path / "aligned.ndjson", [header(), {**acceleration(0, SECOND, 1.0, 2.0), "aligned": [carried, absent]}])
    result = run(SENSORCTL, *words, path)
    assert result.returncode == 0, result
    assert "left out: 2 aligned samples that readings of another resource carry (--align-to)\n" in result.stderr, result.stderr


@pytest.mark.parametrize("target", ["gpx", "kml", "geojson", "csv", "mcap"])
@pytest.mark.parametrize("place", [1, 3])
def test_what_is_years_away_from_the_rest_is_left_out(tmp_path, target, place):
    """In a track it would be a point in the year 2318, and in a player centuries of nothing."""
    lines = [header()] + [location(n, n * SECOND, 48.0 + n) for n in range(3)]
    whole, left = tmp_path / f"whole.{target}", tmp_path / f"left.{target}"
    export(write(tmp_path / "a.ndjson", lines), whole)
    lines[place:place] = [location(9, 2**63 - 1, 10.0), gap("location", SECOND, 2**63 - 1)]
    _, said = export(write(tmp_path / "a.ndjson", lines), left)
    assert left.read_bytes() == whole.read_bytes() and said.endswith("left out: 2 events years away from the rest\n"), said


def test_an_import_says_what_it_wrote(tmp_path):
    path = tmp_path / "track.gpx"
    path.write_text("<gpx>" + "".join(f"<wpt lat='1' lon='{index}'>{time}</wpt>" for index, time in enumerate(
        ["<time>2026-01-01T00:00:00Z</time>", "", "<time>2026-01-01T01:02:03Z</time>", "<time>2026-01-01T00:00:00Z</time>"])) + "</gpx>")
    result = run(SENSORCTL, "import", path, tmp_path / "track.ndjson")
    assert result.stderr == (f"sensorctl: {tmp_path}/track.ndjson: 2 readings of location, 01:02:03; left out: 1 point without "
                             "a time (line 1), 1 point not later than the one before (line 1)\n")


def test_progress_is_shown_on_a_terminal(tmp_path):
    path = write(tmp_path / "long.ndjson", [header()] + [acceleration(n, n * SECOND, 1.0) for n in range(20_000)])
    os.mkfifo(tmp_path / "out.csv")
    terminal, its_end = pty.openpty()
    fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("4H", 24, 40, 0, 0))
    process = start(SENSORCTL, "export", path, tmp_path / "out.csv", stderr=its_end)
    os.close(its_end)
    with open(tmp_path / "out.csv", "rb") as out:
        out.read(1)
        # It is waiting for its reader now, until the next line of the progress is due whatever the speed of the host.
        time.sleep(1)
        out.read()
    assert process.wait(PATIENCE) == 0
    said = b""
    while True:
        try:
            said += os.read(terminal, 4096)
        except OSError:
            break
    assert b" % read, " in said and said.endswith(b"20000 rows of accelerometer\r\n"), said
    # A line that is replaced has to fit into one of the terminal, or its beginning would stay each time.
    *progress, _ = said.decode().split("\r\x1b[K")
    assert progress and all(len(line) <= 40 for line in progress), progress
    os.close(terminal)


@pytest.mark.parametrize("target", ["gpx", "kml", "geojson", "csv", "mcap"])
def test_memory_does_not_depend_on_the_length_of_a_recording(tmp_path, target):
    # A chunk of mcap has a megabyte.
    few, many, bound = (2_000, 20_000, 3_000) if target == "mcap" else (1_000, 7_000, 1_000)
    sizes = []
    for count in (few, many):
        points = (location(n, n * SECOND, n / 1e6, altitudeMeters=5.5, speedMetersPerSecond=1.5, satellitesUsed=9) for n in range(count))
        path = write(tmp_path / "long.ndjson", [header(), *points])
        out = tmp_path / f"{count}.{target}"
        sizes.append(peak("export", path, out))
        assert out.stat().st_size > count * 30
    # Its further lines alone are larger.
    assert sizes[1] < sizes[0] + bound, sizes
