"""Reports of recordings that are strange, damaged or hostile."""

import json

import pytest

from tools import drive
from tools.browser import page  # noqa: F401, a fixture
from tools.commands import run
from tools.programs import SENSORCTL
from tools.reportpage import plot, write


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


LAST = 2**63 - 1


@pytest.mark.parametrize("place", [0, 3])
def test_what_is_years_away_from_the_rest_is_left_out(page, tmp_path, place):  # noqa: F811
    """One damaged time takes nothing else of a recording along, wherever it is."""
    rows = [drive.values("light", n, drive.START + n * 10**9, {"value": 1.0 + n}) for n in range(6)]
    rows[place:place] = [drive.values("light", 9, LAST, {"value": 9.0}),
                         {"gap": {"resource": "light", "cause": "slowClient", "fromNanoseconds": drive.START, "untilNanoseconds": LAST}},
                         {"resource": {"name": "light", "kind": "illuminance", "state": "released"}, "atNanoseconds": LAST}]
    write(tmp_path / "bad.ndjson", rows)
    result = run(SENSORCTL, "plot", tmp_path / "bad.ndjson", "-o", tmp_path / "bad.html")
    assert result.returncode == 0 and result.stderr.endswith("left out: 3 events years away from the rest\n"), result
    page.open(tmp_path / "bad.html")
    assert page.errors == [] and page.value("[report.view.whole[1] - report.view.whole[0], report.resources[0].samples]") == [5, 6]
    assert page.value("report.resources[0].bands.length") == 0


def test_a_clock_that_was_years_behind_at_first_is_no_pause_of_years(page, tmp_path):  # noqa: F811
    write(tmp_path / "late.ndjson", [drive.values("light", n, drive.START + n * 10**9, {"value": 1.0}) for n in range(3)], utc=5_000_000)
    write(tmp_path / "set.ndjson", [drive.values("light", n, drive.START + n * 10**9, {"value": 1.0}) for n in range(3, 6)])
    (tmp_path / "both.ndjson").write_text((tmp_path / "late.ndjson").read_text() + (tmp_path / "set.ndjson").read_text())
    plot(tmp_path / "both.ndjson", "-o", tmp_path / "both.html")
    page.open(tmp_path / "both.html")
    assert page.errors == [] and page.value("[report.view.whole[1] - report.view.whole[0], report.resources[0].samples]") == [5, 6]
    assert "or years after it" in page.value("document.body.innerText")


def test_bands_of_countless_reasons_take_bounded_room(page, tmp_path):  # noqa: F811
    def state(name, n, reason=None):
        resource = {"name": "light", "kind": "illuminance", "state": name} | ({"reason": reason} if reason else {})
        return {"resource": resource, "atNanoseconds": drive.START + n * 10**9}

    rows = [drive.values("light", n, drive.START + n * 10**9, {"value": 1.0}) for n in range(2)]
    for n in range(2, 6_002, 2):
        rows += [state("unavailable", n, f"attempt {n}"), state("active", n + 1)]
    write(tmp_path / "many.ndjson", rows)
    plot(tmp_path / "many.ndjson", "-o", tmp_path / "many.html")
    page.open(tmp_path / "many.html")
    assert page.errors == [] and page.value("report.resources[0].bands.length") <= 2_048
    assert page.value("report.resources[0].bands.reduce((sum, band) => sum + band.number, 0)") == 3_000


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
