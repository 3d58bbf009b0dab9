"""Reports of recordings: opened in a real browser, used, and compared with the recording. Screenshots are in .build/pictures."""

import json
import re
import statistics
import xml.etree.ElementTree as ElementTree

import pytest

from tools import drive
from tools.browser import page  # noqa: F401, a fixture
from tools.commands import run
from tools.programs import SENSORCTL


SVG = "{http://www.w3.org/2000/svg}"


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


def test_what_is_drawn_is_what_was_recorded(shown):
    page, readings = shown
    assert page.value("report.pictures.map((picture) => picture.name)") == [
        "location track", "location speed", "location altitude", "location error (95 %)", "location satellites", "location rate",
        "location interval (jitter)", "accelerometer acceleration x", "accelerometer acceleration y",
        "accelerometer acceleration z", "accelerometer spectrum", "accelerometer rate", "accelerometer interval (jitter)",
        "light illuminance", "light rate", "light interval (jitter)"]
    for reading in readings["location"][::9]:
        time = (reading["timestampNanoseconds"] - drive.START) / 1e9
        for picture, column, field in (("speed", "speed", "speedMetersPerSecond"), ("altitude", "altitude", "altitudeMeters"),
                                       ("error (95 %)", "vertical", "verticalErrorMeters")):
            value = reading["location"][field]
            assert page.value(f"({IS_DRAWN})('location {picture}', '{column}', {time}, {value})"), (picture, reading)
    # Nothing is drawn during the outage, and the blow is drawn although it is one sample of ten in a pixel.
    assert not page.value(f"({IS_DRAWN})('location speed', 'speed', 67.5, {14 + 6 * 0.5})")
    blow = next(r for r in readings["accelerometer"] if r["values"]["columns"]["z"] == [42.0])
    time = (blow["timestampNanoseconds"] - drive.START) / 1e9
    assert page.value(f"({IS_DRAWN})('accelerometer acceleration z', 'z', {time}, 42)")
    page.screenshot("report")


def test_every_sample_is_there_with_its_time(shown):
    page, readings = shown
    for name, columns in (("accelerometer", "xyz"), ("light", ["value"])):
        found = page.value(f"""(() => {{
            const resource = report.resources.find((resource) => resource.name === "{name}");
            return {{times: [...resource.times], columns: resource.lines.map((line) => [...line.levels[0].low])}};
        }})()""")
        assert len(found["times"]) == len(readings[name])
        # A block of a thousand samples has 65,535 steps.
        steps = [(max(values) - min(values)) / 65_534 for values in found["columns"]]
        for reading, time, *values in zip(readings[name], found["times"], *found["columns"]):
            assert abs(time - (reading["timestampNanoseconds"] - drive.START) / 1e9) < 1e-6
            for column, value, step in zip(columns, values, steps):
                assert value == pytest.approx(reading["values"]["columns"][column][0], abs=step)
    track = page.value("report.resources[0].path.points.map((point) => [point.time, point.latitude, point.longitude])")
    assert track == [[(r["timestampNanoseconds"] - drive.START) / 1e9, r["location"]["latitudeDegrees"],
                      r["location"]["longitudeDegrees"]] for r in readings["location"]]


def test_numbers_and_bands(shown):
    page, readings = shown
    texts = page.value("[...document.querySelectorAll('aside')].map((side) => side.innerText)")
    assert re.search(r"gaps, deviceLost\s+1, 15 missing", texts[0]), texts[0]
    assert re.search(r"gaps, slowClient\s+1, 200 missing", texts[1]), texts[1]
    assert re.search(r"rate\s+50(\.0\d*)? Hz|rate\s+49\.99\d* Hz", texts[1]), texts[1]
    # The spectrum knows the engine.
    assert [float(number) for number in re.findall(r"strongest, [xy]\s+([\d.]+) Hz", texts[1])] == pytest.approx(
        [hertz for hertz, _ in drive.VIBRATION.values()], abs=0.1)
    for index, axis in enumerate("xyz"):
        values = [reading["values"]["columns"][axis][0] for reading in readings["accelerometer"]]
        column = page.value(f"report.resources[1].columns[{index}]")
        assert (column["least"], column["greatest"]) == (min(values), max(values))
        assert column["mean"] == pytest.approx(statistics.fmean(values), abs=1e-9)
        assert column["deviation"] == pytest.approx(statistics.stdev(values), rel=1e-9)
    bands = page.value("report.resources[0].bands")
    assert [(band["name"], band["reason"], band["from"], band["until"]) for band in bands] == [
        ("unavailable", "the receiver was unplugged", *map(float, drive.OUTAGE)), ("gap", "deviceLost", *map(float, drive.OUTAGE))]


def box(page, name):  # noqa: F811
    """The place of a picture in the window, in the middle of it."""
    return page.value(f"""(() => {{
        const element = report.pictures.find((picture) => picture.name === "{name}").element;
        element.scrollIntoView({{block: "center"}});
        const {{left, top, width, height}} = element.getBoundingClientRect();
        return [left, top, width, height];
    }})()""")


def test_zoomed_with_mouse_and_keys(shown):
    page, readings = shown
    name = "accelerometer acceleration x"
    left, top, width, height = box(page, name)
    page.settle()
    span = lambda: page.value("[report.view.from, report.view.to]")  # noqa: E731
    time = lambda x: page.value(f"report.pictures.find((p) => p.name === '{name}').time({x - left})")  # noqa: E731
    whole = span()
    wanted = [time(left + 300), time(left + 420)]
    page.drag((left + 300, top + 40), (left + 420, top + 60))
    assert span() == pytest.approx(wanted, abs=0.01)
    for _ in range(4):
        page.call("Input.dispatchMouseEvent", type="mouseWheel", x=left + width / 2, y=top + 40, deltaX=0, deltaY=-300, modifiers=2)
        page.settle()
    zoomed = span()
    assert zoomed[1] - zoomed[0] == pytest.approx((wanted[1] - wanted[0]) / 2.718281828**4, rel=0.01)
    # Single samples can be seen, and all of them are where they were recorded.
    seen = [r for r in readings["accelerometer"] if zoomed[0] < (r["timestampNanoseconds"] - drive.START) / 1e9 < zoomed[1]]
    assert 3 < len(seen) < 100
    for reading in seen:
        at, value = (reading["timestampNanoseconds"] - drive.START) / 1e9, reading["values"]["columns"]["x"][0]
        assert page.value(f"({IS_DRAWN})('{name}', 'x', {at}, {value})"), reading
    page.screenshot("report-zoomed")
    # What is under the pointer is told.
    middle = seen[len(seen) // 2]
    at = (middle["timestampNanoseconds"] - drive.START) / 1e9
    x = left + page.value(f"report.pictures.find((p) => p.name === '{name}').x({at})")
    page.mouse("mouseMoved", round(x), top + 30)
    page.settle()
    told = page.value(f"report.pictures.find((p) => p.name === '{name}').element.parentElement.querySelector('output').textContent")
    assert float(told.split()[1]) == pytest.approx(middle["values"]["columns"]["x"][0], abs=0.001)
    before = span()
    page.drag((left + 400, top + 40), (left + 300, top + 40), modifiers=8)
    assert span()[0] - before[0] == pytest.approx(100 / (width - 76) * (before[1] - before[0]), rel=0.05)
    page.double_click(left + 400, top + 40)
    assert span() == pytest.approx(whole)
    page.key("+")
    assert span()[1] - span()[0] == pytest.approx((whole[1] - whole[0]) / 2)
    page.key("0")
    assert span() == pytest.approx(whole)
    # A gap in the list leads to its place.
    page.value("document.querySelectorAll('.bands button')[2].click()")
    page.settle()
    assert span()[0] < drive.MISSED[0] and drive.MISSED[1] < span()[1] < drive.MISSED[1] + 10
    # The map and the spectrum are zoomed on their own.
    left, top, width, height = box(page, "location track")
    page.settle()
    scale = "report.pictures[0].scale"
    before = page.value(scale)
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=left + 400, y=top + 100, deltaX=0, deltaY=-300, modifiers=2)
    page.settle()
    assert page.value(scale) == pytest.approx(before * 2.718281828, rel=0.01)
    page.screenshot("report-map")
    left, top, width, height = box(page, "accelerometer spectrum")
    page.settle()
    page.drag((left + width * 0.6, top + 40), (left + width * 0.9, top + 60))
    assert page.value("report.pictures.find((p) => p.name === 'accelerometer spectrum').from") > 1
    page.screenshot("report-spectrum")


def test_hostile_texts_are_texts(page, tmp_path):  # noqa: F811
    evil = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>\u2028&amp;]]>"
    path = tmp_path / "a<b>&'\".ndjson"
    drive.write(path, seconds=80, reason=evil)
    with open(path, "a") as file:
        file.write('{"resource":"acceler')
    plot(path, "-o", tmp_path / "report.html", "--title", evil)
    page.open(tmp_path / "report.html")
    assert page.errors == [] and page.value("window.pwned === undefined")
    assert page.value("document.title") == evil and page.value("document.querySelector('h1').textContent") == evil
    assert page.value("document.images.length") == 0 and page.value("report.resources[0].bands[0].reason") == evil
    # Even a page whose texts were not escaped could not tell anyone.
    page.value("(() => { const image = new Image(); image.src = 'http://127.0.0.1:9/x'; })()")
    page.value("fetch('http://127.0.0.1:9/y').catch(() => 0).then(() => 1)")
    page.settle()
    assert page.value("performance.getEntriesByType('resource').filter((entry) => entry.responseStatus).length") == 0
    plot(path, "-o", tmp_path / "second.html")
    page.open(tmp_path / "second.html")
    assert page.errors == [] and page.value("document.title") == path.name


@pytest.mark.parametrize("content, words", [
    ("", "no readings"),
    ("\n\n{}\n", "no readings"),
    ("\0\1\2\n", "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":5,"values":{"columns":{"value":[NaN]}}}\n', "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":5,"values":{"columns":{"value":[1e999]}}}\n', "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":-5,"values":{"columns":{"value":[1.0]}}}\n', "line 1"),
    ('{"resource":"light","sequence":1,"timestampNanoseconds":5,"values":{"columns":{"value":[1.0]}}}\n'
     '{"gap":{"resource":"light","cause":"slowClient","fromNanoseconds":0,"untilNanoseconds":9223372036854775807}}\n', "ten years"),
])
def test_what_cannot_be_drawn_is_refused(tmp_path, content, words):
    path = tmp_path / "bad.ndjson"
    path.write_text(content)
    assert words in plot(path, "-o", tmp_path / "bad.html", status=65)
    assert not (tmp_path / "bad.html").exists()


def test_strange_recordings_are_drawn(page, tmp_path):  # noqa: F811
    # One sample; equal values; huge values; times that go back; the antimeridian; clocks that go back.
    header = {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": 0, "utcMicroseconds": drive.UTC}}
    back = {"recording": header["recording"] | {"utcMicroseconds": drive.UTC - 3_600_000_000}}
    rows = [header, drive.values("light", 1, 7, {"value": 3.0}),
            *[drive.values("gyroscope", n, 10 + n, {"x": 0.5, "y": 0.5, "z": 0.5}) for n in range(600)],
            drive.values("voltage", 1, 100, {"value": 1e300}), drive.values("voltage", 2, 50, {"value": 1.0}),
            *[drive.location(n, -16.5, longitude) for n, longitude in enumerate((179.999, -179.999, -179.998))], back,
            drive.values("light", 1, 9, {"value": 4.0})]
    path = tmp_path / "strange.ndjson"
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    plot(path, "-o", tmp_path / "strange.html")
    page.open(tmp_path / "strange.html", height=3000)
    assert page.errors == []
    assert "it is drawn after it" in page.value("document.body.innerText")
    assert page.value("report.resources.find((r) => r.name === 'voltage').backwards") == 1
    assert page.value("report.pictures.find((p) => p.name === 'location track').size[0]") == pytest.approx(320, rel=0.01)
    page.screenshot("report-strange")


def test_pictures_for_documents(page, tmp_path):  # noqa: F811
    readings = drive.write(tmp_path / "a<&drive.ndjson")
    plot(tmp_path / "a<&drive.ndjson", "-o", tmp_path / "all.svg")
    names = re.findall(r"'([^']+)'", plot(tmp_path / "a<&drive.ndjson", "-o", tmp_path / "x.svg", "--picture", "x", status=65))[1:]
    assert names == ["location track", "location speed", "location altitude", "location error (95 %)", "location satellites",
                     "location rate", "location interval (jitter)", "accelerometer acceleration x", "accelerometer acceleration y", "accelerometer acceleration z",
                     "accelerometer spectrum", "accelerometer rate", "accelerometer interval (jitter)", "light illuminance",
                     "light rate", "light interval (jitter)"]
    texts = [text.text for text in ElementTree.parse(tmp_path / "all.svg").iter(f"{SVG}text")]
    assert texts[0].startswith("a<&drive.ndjson, 2026-09-21T")
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


def test_pngs_need_a_program(tmp_path):
    drive.write(tmp_path / "drive.ndjson", seconds=20)
    assert "librsvg2-bin" in plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.png", status=69, env={"PATH": "/nowhere"})
    assert not (tmp_path / "a.png").exists()
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "a.png", "--picture", "location track")
    bytes_ = (tmp_path / "a.png").read_bytes()
    assert bytes_.startswith(b"\x89PNG") and int.from_bytes(bytes_[16:20], "big") == 1000


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
