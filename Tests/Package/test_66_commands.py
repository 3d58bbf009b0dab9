"""Commands as they are installed, optimized: other tests run those of a debug build."""

import json

import pytest

from host import attempt, run


@pytest.fixture(scope="module")
def recording(installation, tmp_path_factory):
    """A recording of the sensor, a second long."""
    installation[1].plug_again()
    path = tmp_path_factory.mktemp("recording") / "day.ndjson"
    run("sensorctl", "record", "accelerometer@20ms", path, "--count", "50")
    return path


@pytest.mark.parametrize("name, beginning", [
    ("day.csv", b"resource,sequence,timestampNanoseconds"), ("day.mcap", b"\x89MCAP0\r\n"), ("day2.ndjson", b'{"recording":')])
def test_a_recording_is_exported(recording, name, beginning):
    made = recording.with_name(name)
    run("sensorctl", "export", recording, made)
    assert made.read_bytes().startswith(beginning)


@pytest.mark.parametrize("name, beginning", [("day.html", b"<!DOCTYPE html>"), ("day.svg", b"<svg")])
def test_a_recording_is_drawn(recording, name, beginning):
    made = recording.with_name(name)
    run("sensorctl", "plot", recording, "-o", made)
    assert beginning.lower() in made.read_bytes()[:200].lower() and made.stat().st_size > 5_000


def test_a_table_becomes_a_recording(recording):
    table = recording.with_name("table.csv")
    run("sensorctl", "export", recording, table)
    made = recording.with_name("made.ndjson")
    run("sensorctl", "import", table, made)
    assert sum('"sequence"' in line for line in made.read_text().splitlines()) > 0


def test_what_people_and_programs_look_at(broker, sensor):
    assert "accelerometer" in run("sensorctl", "top", "--once")
    assert "accelerometer" in run("sensorctl", "status")
    assert "sensorbroker_build_info" in run("sensorctl", "metrics") and run("sensorctl", "metrics").endswith("# EOF\n")
    assert run("sensorctl", "watch", "accelerometer", "--count", "2", "--columns", "z").split()[0] == "z"
    assert json.loads(run("sensorctl", "get", "accelerometer", "--format", "json"))["resource"] == "accelerometer"
    assert attempt("sensorctl", "doctor", "--check").returncode in (0, 1, 2)


def test_the_mock_is_a_tool_of_every_user(installation):
    """The daemon is in everybody's PATH, since it is what simulates sensors for a test."""
    output = run("env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games", "sensorbrokerd", "--mock",
                 "--exec", "sensorctl", "get", "accelerometer", "--format", "json", user="bob")
    assert json.loads(output)["resource"] == "accelerometer"
