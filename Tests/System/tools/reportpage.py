"""A recording's report, in a real browser."""

import json

import pytest

from . import drive
from .browser import page  # noqa: F401  a fixture
from .commands import run
from .programs import SENSORCTL


def plot(*words, status=0, **options):
    result = run(SENSORCTL, "plot", *words, **options)
    assert result.returncode == status, result
    return result.stdout if status == 0 else result.stderr


@pytest.fixture
def shown(page, tmp_path):  # noqa: F811
    """A drive's report in a browser, and its readings."""
    readings = drive.write(tmp_path / "drive.ndjson")
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "drive.html")
    page.open(tmp_path / "drive.html")
    yield page, readings
    assert page.errors == []
    assert [url for url in page.requests if not url.startswith("file:")] == []


# Whether the pixels around a place of a picture have the colour of one of its lines.
IS_DRAWN = """(name, column, time, value) => {
    const picture = report.pictures.find((picture) => picture.name === name);
    picture.draw();
    const line = picture.lines.find((line) => line.name === column);
    const context = picture.element.getContext("2d"), ratio = window.devicePixelRatio;
    context.fillStyle = picture.canvas.colour(line.colour);
    const wanted = context.fillStyle.match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
    const x = Math.round(picture.x(time) * ratio), y = Math.round(picture.y(value) * ratio);
    const pixels = context.getImageData(x - 2, y - 2, 5, 5).data;
    for (let place = 0; place < pixels.length; place += 4) {
        if (pixels[place + 3] > 180 && wanted.every((part, index) => Math.abs(part - pixels[place + index]) < 60)) return true;
    }
    return false;
}"""


def write(path, rows, utc=drive.UTC):
    header = {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": drive.START, "utcMicroseconds": utc}}
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [header, *rows]))
