"""`sensorctl plot`: what it writes, refuses, needs, and leaves behind."""

import os
import re
import shutil
import signal
import xml.etree.ElementTree as ElementTree

import pytest

from tools import drive
from tools.browser import page  # noqa: F401, a fixture
from tools.commands import start
from tools.programs import PATIENCE, SENSORCTL
from tools.reportpage import plot
from tools.waiting import until

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("content, words", [
    ("", "no readings"),
    ("\n\n{}\n", "no readings"),
    ("\0\1\2\n", "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":5,"values":{"columns":{"value":[NaN]}}}\n', "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":5,"values":{"columns":{"value":[1e999]}}}\n', "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":-5,"values":{"columns":{"value":[1.0]}}}\n', "line 1"),
])
def test_what_cannot_be_drawn_is_refused(tmp_path, content, words):
    path = tmp_path / "bad.ndjson"
    path.write_text(content)
    assert words in plot(path, "-o", tmp_path / "bad.html", status=65)
    assert not (tmp_path / "bad.html").exists()


def test_pictures_for_documents(page, tmp_path):  # noqa: F811
    readings = drive.write(tmp_path / "a<&drive.ndjson")
    plot(tmp_path / "a<&drive.ndjson", "-o", tmp_path / "all.svg")
    names = re.findall(r"'([^']+)'", plot(tmp_path / "a<&drive.ndjson", "-o", tmp_path / "x.svg", "--picture", "x", status=65))[1:]
    assert names == ["location track", "location speed", "location altitude", "location error (95 %)", "location satellites",
                     "location rate", "location interval (jitter)", "accelerometer acceleration x", "accelerometer acceleration y", "accelerometer acceleration z",
                     "accelerometer spectrum", "accelerometer rate", "accelerometer interval (jitter)", "light illuminance",
                     "light rate", "light interval (jitter)"]
    texts = [text.text for text in ElementTree.parse(tmp_path / "all.svg").iter(f"{SVG}text")]
    assert texts[0].startswith("a<&drive.ndjson, 2026-09-21 ")
    for name in names:
        assert any(text.startswith(name) for text in texts), name
    # The highest point of the picture is the blow, and its time is that of the blow.
    plot(tmp_path / "a<&drive.ndjson", "-o", tmp_path / "z.svg", "--picture", "accelerometer acceleration z")
    (line,) = [path for path in ElementTree.parse(tmp_path / "z.svg").iter(f"{SVG}path") if path.get("stroke") == "#2f6fd6"]
    points = [tuple(map(float, point.split())) for point in re.split("[ML]", line.get("d"))[1:]]
    end = (readings["accelerometer"][-1]["timestampNanoseconds"] - drive.START) / 1e9
    blow = next(r for r in readings["accelerometer"] if r["values"]["columns"]["z"] == [42.0])
    wanted = 64 + (blow["timestampNanoseconds"] - drive.START) / 1e9 / end * (1000 - 76)
    assert min(points, key=lambda point: point[1])[0] == pytest.approx(wanted, abs=1)
    # One before the gap, and one after it.
    assert line.get("d").count("M") == 2
    page.open(tmp_path / "all.svg", width=1000, height=1900)
    page.screenshot("report-svg")


def test_pictures_need_programs(tmp_path):
    drive.write(tmp_path / "drive.ndjson", seconds=20)
    (tmp_path / "bin").mkdir()
    (tmp_path / "tmp").mkdir()
    environment = {"PATH": str(tmp_path / "bin"), "TMPDIR": str(tmp_path / "tmp")}
    assert "nodejs" in plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.svg", status=69, env=environment)
    (tmp_path / "bin/node").symlink_to(shutil.which("node"))
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.svg", env=environment)
    assert "librsvg2-bin" in plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.png", status=69, env=environment)
    assert not (tmp_path / "a.png").exists() and not list((tmp_path / "tmp").iterdir())
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.png", "--picture", "location track")
    bytes_ = (tmp_path / "a.png").read_bytes()
    assert bytes_.startswith(b"\x89PNG") and int.from_bytes(bytes_[16:20], "big") == 1000


def test_a_recording_without_anything_to_draw_is_refused(tmp_path):
    (tmp_path / "lost.ndjson").write_text('{"resource":"location","sequence":1,"timestampNanoseconds":5,"location":{"fix":"none"}}\n')
    assert "nothing in this recording that can be drawn" in plot(tmp_path / "lost.ndjson", "-o", tmp_path / "a.svg", status=65)


def test_a_signal_ends_the_program_that_draws(tmp_path):
    """One that never ends, in this case."""
    drive.write(tmp_path / "drive.ndjson", seconds=20)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/node").write_text("#!/bin/sh\necho $$ > pid\nexec sleep 1000\n")
    (tmp_path / "bin/node").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "TMPDIR": str(tmp_path / "tmp")}
    process = start(SENSORCTL, "plot", "drive.ndjson", "-o", "a.svg", cwd=tmp_path, environment=environment)
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip(), "the number of the engine")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGINT
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert not list((tmp_path / "tmp").iterdir()) and not list(tmp_path.glob("a.svg*"))


def test_the_command_line(tmp_path):
    drive.write(tmp_path / "drive.ndjson", seconds=5)
    assert "-o report.html" in plot(tmp_path / "drive.ndjson", status=64)
    assert ".html" in plot(tmp_path / "drive.ndjson", "-o", "report.pdf", status=64)
    assert "--picture" in plot(tmp_path / "drive.ndjson", "-o", "report.html", "--picture", "x", status=64)
    text = plot("-", "-o", "-", "--resource", "light", stdin=open(tmp_path / "drive.ndjson"))
    assert text.startswith("<!doctype html>") and '"name":"light"' in text and '"name":"location"' not in text
    assert "no readings of pressure" in plot(tmp_path / "drive.ndjson", "-o", "-", "--resource", "pressure", status=65)
    (tmp_path / "report.html").write_text("mine")
    assert "--force" in plot(tmp_path / "drive.ndjson", "-o", tmp_path / "report.html", status=73)
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "report.html", "--force")
    assert (tmp_path / "report.html").read_text().startswith("<!doctype")
