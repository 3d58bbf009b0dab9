"""Reports of recordings: opened in a real browser, used, and compared with the recording. Screenshots are in .build/pictures."""

import base64
import json
import math
import re
import statistics
import xml.etree.ElementTree as ElementTree

import pytest

from tools import drive
from tools.browser import page  # noqa: F401, a fixture
from tools.reportpage import IS_DRAWN, plot, shown, write  # noqa: F401  a fixture

SVG = "{http://www.w3.org/2000/svg}"


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


# How many pixels in a column or a row of a picture have the colour of its first line.
# Drawn as it is now: the page does so at once only when the browser has said that the picture is in sight.
INKED = """(name, time, value) => {
    const picture = report.pictures.find((picture) => picture.name === name);
    picture.draw();
    const context = picture.element.getContext("2d");
    context.fillStyle = picture.canvas.colour(picture.lines[0].colour);
    const wanted = context.fillStyle.match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
    const pixels = (time === null ? context.getImageData(64, Math.round(picture.y(value)), picture.plotWidth, 1)
        : context.getImageData(Math.round(picture.x(time)), 0, 1, picture.element.height)).data;
    let count = 0;
    for (let place = 0; place < pixels.length; place += 4) count += pixels[place + 3] > 180 && wanted.every((part, index) => Math.abs(part - pixels[place + index]) < 40);
    return count;
}"""


def test_marks_of_time_stand_where_they_say(page, tmp_path):  # noqa: F811
    """With clocks for which the nearest double to a round time is below it: floor made 22:19 of 22:20."""
    readings = [drive.values("light", n, 2_806_135_282_269 + n * 10**9, {"value": 1.0 + n % 3}) for n in range(2_400)]
    header = {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": 2_806_135_282_269,
                            "utcMicroseconds": 1_795_645_100_656_649}}
    path = tmp_path / "early.ndjson"
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [header, *readings]))
    plot(path, "-o", tmp_path / "early.html")
    page.open(tmp_path / "early.html")
    # Of every resolution, of this clock and of others, on a wide axis and on a phone's.
    marks = page.value("""(() => {
        const found = [];
        for (let clock = 0; clock < 60; clock++) {
            const utcMilliseconds = 1795645100656.649 + clock * 86399.917;
            const calendar = new Calendar([{ start: 0, utcMilliseconds }]);
            for (let span = 1e-4; span < 4e7; span *= 2.7) for (const width of [274, 924, 1400]) {
                const marks = calendar.marks(span / 3, span * 4 / 3, width);
                found.push({ span, width, marks: marks.map(({ time, text }) => [time / span, (time * 1e6 + utcMilliseconds * 1e3) % 86400e6, text]) });
            }
        }
        return found;
    })()""")
    for entry in marks:
        # An axis with one time on it has no scale.
        assert 2 <= len(entry["marks"]) <= 60, entry
        gaps = [(second[0] - first[0]) * entry["width"] for first, second in zip(entry["marks"], entry["marks"][1:])]
        assert min(gaps) > 5.7 * max(len(text) for _, _, text in entry["marks"]), entry
        for _, microseconds, text in entry["marks"]:
            if "-" in text:
                wanted, exact = 0, 86_400e6
            else:
                parts = text.lstrip(":").split(":")
                exact = 60e6 if text.startswith(":") else 86_400e6
                wanted = sum(float(part) * unit for part, unit in zip(parts, (1e6,) if exact == 60e6 else (3600e6, 60e6, 1e6)))
            assert abs(math.remainder(microseconds - wanted, exact)) < 1, (entry, microseconds, text)
    assert page.value("report.pictures[0].calendar.marks(0, 2399, 924).map((mark) => mark.text)[0]") == "22:20"
    # A session whose recorder did not know the time has seconds, and none of another's clock.
    assert page.value("""(() => {
        const calendar = new Calendar([{ start: 0, utcMilliseconds: 60000 }, { start: 300 }]);
        return [...calendar.marks(0, 600, 500).map((mark) => mark.text), calendar.text(301, 1)];
    })()""") == ["00:02", "00:04", "00:06", "360 s", "480 s", "600 s", "301 s"]
    # So does what is written into a file.
    plot(path, "-o", tmp_path / "early.svg", "--picture", "light illuminance")
    assert "22:20" in [text.text for text in ElementTree.parse(tmp_path / "early.svg").iter(f"{SVG}text")]


@pytest.mark.parametrize("rate, seconds", [(10, 500), (50, 1_400)])
def test_no_line_leads_across_a_gap_however_many_samples_a_point_is(page, tmp_path, rate, seconds):  # noqa: F811
    lost = (seconds // 2, seconds // 2 + seconds // 40)
    rows = []
    for number in range(rate * seconds):
        stamp = drive.START + number * (10**9 // rate)
        if number == lost[0] * rate:
            rows.append(drive.gap("voltage", "deviceLost", None, lost))
            del rows[-1]["gap"]["count"]
        if not lost[0] * rate <= number < lost[1] * rate:
            # Lower before, higher after.
            rows.append(drive.values("voltage", number, stamp, {"value": 1.0 + (number > lost[0] * rate)}))
    write(tmp_path / "gap.ndjson", rows)
    plot(tmp_path / "gap.ndjson", "-o", tmp_path / "gap.html")
    page.open(tmp_path / "gap.html")
    middle = sum(lost) / 2
    for zoom in (1, 4, 30):
        page.value(f"report.view.show({middle - seconds / 2 / zoom}, {middle + seconds / 2 / zoom})")
        page.settle()
        for share in (0.25, 0.5, 0.75):
            assert page.value(f"({INKED})('voltage voltage', {lost[0] + share * (lost[1] - lost[0])}, null)") == 0
        assert page.value(f"({INKED})('voltage voltage', null, 1.5)") == 0
        assert page.value(f"({IS_DRAWN})('voltage voltage', 'value', {lost[0] - 0.1 * (lost[1] - lost[0])}, 1)")
    assert "1, unknown number missing" in page.value("document.querySelector('aside').innerText").replace("\t", " ")
    # How often samples came does not depend on how many of them a point stands for: of entries of eight, the second ends at a gap.
    assert page.value("[...samplesBefore({ count: 3, samplesPerEntry: 8, short: [1, 3] })]") == [0, 8, 11, 19]
    rates = page.value("(report.view.show(...report.view.whole), report.pictures.find((p) => p.name === 'voltage rate').pieces().map((piece) => piece.rate))")
    usual = [found for found in rates if found > rate * 0.9]
    assert max(usual) < rate * 1.1 and len(usual) > len(rates) * 0.9
    # Nor does it depend on the zoom: a piece is no part of a point.
    rates = page.value("""(() => {
        const samplesPerEntry = 8, usual = 50, count = 1000;
        const times = Float64Array.from({ length: count }, (_, entry) => entry * samplesPerEntry / usual);
        const source = { times, samplesBefore: samplesBefore({ count, samplesPerEntry, short: [] }), samplesPerEntry, usual };
        return RateChart.prototype.pieces.call({ source, view: { from: 50, to: 60 }, plotWidth: 900 }).map((piece) => piece.rate);
    })()""")
    assert len(rates) > 20 and all(abs(found - 50) < 1e-6 for found in rates), rates


def test_all_pictures_are_drawn_without_scrolling_and_on_paper(shown):
    page, _ = shown
    names = page.value("report.pictures.map((picture) => picture.name)")
    blank = page.value("""report.pictures.filter(({ element }) => {
        const pixels = element.getContext("2d").getImageData(0, 0, element.width, element.height).data;
        return !pixels.some((part) => part);
    }).map((picture) => picture.name)""")
    assert blank == []
    page.value("""(() => {
        window.printed = [];
        addEventListener("beforeprint", () => {
            for (const svg of document.querySelectorAll(".printed > svg")) {
                printed.push([svg.querySelector("text").textContent, svg.querySelectorAll("path[stroke]").length, svg.getBoundingClientRect().width]);
            }
        });
    })()""")
    pdf = base64.b64decode(page.call("Page.printToPDF")["data"])
    assert pdf.startswith(b"%PDF")
    printed = page.value("printed")
    assert [name.split(",")[0] for name, _, _ in printed] == names and all(lines >= 2 for _, lines, _ in printed)
    assert page.value("document.querySelectorAll('.printed').length") == 0


def test_a_saved_picture_is_that_of_the_command(shown, tmp_path):
    page, _ = shown
    for name in ("location track", "accelerometer acceleration z", "accelerometer spectrum", "light rate"):
        plot(tmp_path / "drive.ndjson", "-o", tmp_path / "one.svg", "--picture", name)
        saved = page.value(f"documentOf([report.pictures.find((picture) => picture.name === '{name}')], 1000, colours())")
        assert (tmp_path / "one.svg").read_text().strip() == saved.strip()
        (tmp_path / "one.svg").unlink()


def test_colours_are_explained(shown):
    page, _ = shown
    legends = page.value("[...document.querySelectorAll('figure')].map((figure) => [...figure.querySelectorAll('.legend')].map((part) => part.innerText))")
    assert legends[0] == ["way", "start", "end", "outside of the times shown"] and legends[1] == ["speed", "unavailable", "gap"] and legends[7][1] == "gap"
    assert "single samples" in page.value("document.querySelector('header').innerText")


def test_a_phone_has_times_and_no_horizontal_scroll(page, tmp_path):  # noqa: F811
    drive.write(tmp_path / "drive.ndjson")
    plot(tmp_path / "drive.ndjson", "-o", tmp_path / "drive.html")
    page.open(tmp_path / "drive.html", width=390, height=800)
    assert page.value("report.pictures[1].calendar.marks(report.view.from, report.view.to, report.pictures[1].plotWidth).length") >= 3
    assert page.value("document.documentElement.scrollWidth") <= 390
    page.screenshot("report-phone")


@pytest.mark.parametrize("count", [300, 60_000])
def test_a_heading_that_passes_north_has_no_line_through_south(page, tmp_path, count):  # noqa: F811
    # To and fro over north, slowly.
    rows = [drive.values("heading", n, drive.START + n * 10**8, {"value": (20 * math.sin(n / count * 60)) % 360}) for n in range(count)]
    write(tmp_path / "heading.ndjson", rows, utc=0)
    plot(tmp_path / "heading.ndjson", "-o", tmp_path / "heading.html")
    page.open(tmp_path / "heading.html")
    for span in ((0, count / 10), (count / 40, count / 40 + 20)):
        page.value(f"report.view.show{span}")
        page.settle()
        assert page.value("report.pictures[0].extremes[1]") <= 360
        if page.value("report.pictures[0].extremes[0]") < 100:
            assert page.value(f"({INKED})('heading heading', null, 100)") == page.value(f"({INKED})('heading heading', null, 250)") == 0
    # It goes on from edge to edge.
    assert page.value(f"(report.view.show(...report.view.whole), report.pictures[0].draw(), ({INKED})('heading heading', null, 359))") > 0
    column = page.value("report.resources[0].columns[0]")
    assert column["least"] == pytest.approx(340, abs=0.1) and column["greatest"] == pytest.approx(20, abs=0.1)
    assert abs(math.remainder(column["mean"], 360)) < 1.5 and column["deviation"] == pytest.approx(20 / math.sqrt(2), abs=0.5)
    assert "of unknown date" in page.value("document.querySelector('header').innerText")
