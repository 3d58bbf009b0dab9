"""Recordings: complete lines however the recorder ends, and replays equal to the original."""

import json
import resource as limits
import signal

import pytest

from tools.commands import run
from tools.daemon import die_with_parent
from tools.programs import SENSORBROKERD
from tools.recorder import Recorder, record
from tools.recordings import Recording, difference
from tools.stream import Stream, samples_of
from tools.waiting import until

OVER = "the recording has ended"


def lines(path):
    return path.read_bytes().splitlines(keepends=True)


def record_until_over(daemon, path, *words):
    """Records a replay to its end."""
    names = {word.split("@")[0] for word in words} & {"accelerometer", "location", "orientation"}
    recorder = Recorder(daemon, *words, path)
    try:
        until(lambda: path.exists() and path.read_text().count(OVER) >= len(names), "the end of the recording")
    finally:
        recorder.stop(signal.SIGTERM)
    return Recording(path)


@pytest.mark.parametrize("asked, speed", [
    (["accelerometer", "location"], "1"),
    (["accelerometer@0", "location@0", "orientation"], "max"),
    (["accelerometer@10ms", "location@200ms"], "max"),
    (["accelerometer@60Hz", "location@300ms"], "20"),
    (["accelerometer@5ms", "--batch", "250ms"], "max"),
    (["accelerometer@40ms", "--filter", "mean"], "max"),
])
def test_a_replay_equals_the_recording(start, replay, tmp_path, asked, speed):
    first = tmp_path / "first.ndjson"
    daemon = start("--mock")
    record(daemon, *asked, first, "--for", "2s")
    daemon.stop()
    second = record_until_over(
        replay(first, "--speed", speed), tmp_path / "second.ndjson",
        *[word for word in asked if not word.startswith("--") and word not in ("250ms", "mean")],
        *(asked[-2:] if "--batch" in asked else []))
    assert sum(map(len, second.samples.values())) > 10
    assert difference(Recording(first), second) is None


def test_a_recording_that_began_on_a_running_device_is_replayed_exactly(start, replay, tmp_path):
    first = tmp_path / "first.ndjson"
    daemon = start("--mock")
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}) as stream:
        stream.until(lambda s: len(s.samples) >= 7, "a running device")
        record(daemon, "accelerometer@130ms", first, "--for", "1s")
        record(daemon, "accelerometer@130ms", first, "--for", "1s")
    daemon.stop()
    second = record_until_over(replay(first, "--speed", "max"), tmp_path / "second.ndjson", "accelerometer@130ms")
    values = [values for _, _, values in Recording(first).samples["accelerometer"]]
    assert [values for _, _, values in second.samples["accelerometer"]] == values


def test_faults_of_a_scenario_are_recorded_and_replayed(start, replay, tmp_path):
    first = tmp_path / "first.ndjson"
    daemon = start("--mock=flaky-cable", "--speed", "max")
    record(daemon, "accelerometer@50ms", "location@1s", first, "--count", "400")
    daemon.stop()
    second = record_until_over(
        replay(first, "--speed", "max"), tmp_path / "second.ndjson", "accelerometer@50ms", "location@1s")
    assert sum(map(len, second.gaps.values())) > 0
    assert difference(Recording(first), second) is None


def reading(stamp, sequence, *values):
    columns = {"x": list(values), "y": [0.5] * len(values), "z": [9.8] * len(values)}
    period = {"periodNanoseconds": 10_000_000} if len(values) > 1 else {}
    values = {"columns": columns, **period}
    return {"resource": "accelerometer", "sequence": sequence, "timestampNanoseconds": stamp, "values": values}


def state(name, stamp, reason=None):
    resource = {"name": "accelerometer", "kind": "acceleration", "state": name, **({"reason": reason} if reason else {})}
    return {"resource": resource, "atNanoseconds": stamp}


def gap(cause, start, end, count=None):
    return {"gap": {"resource": "accelerometer", "cause": cause, **({"count": count} if count else {}),
                    "fromNanoseconds": start, "untilNanoseconds": end}}


MS = 1_000_000
HARD_LIFE = [
    {"recording": {"format": "io.sensorbroker.recording", "version": 1, "bootNanoseconds": 10_000 * MS,
                   "utcMicroseconds": 1_700_000_000_000_000}},
    {"grant": {"resource": "accelerometer", "intervalNanoseconds": 0, "batchNanoseconds": 0,
               "deviceIntervalNanoseconds": 10 * MS}},
    state("unavailable", 10_000 * MS, "there is none"), state("starting", 11_000 * MS), state("active", 11_005 * MS),
    reading(11_000 * MS, 5, 1.5), reading(11_010 * MS, 6, 2.0, 3.0, 4.0), reading(11_040 * MS, 9, 5.0),
    gap("deviceOverflow", 11_050 * MS, 11_070 * MS, 3), reading(11_080 * MS, 13, 6.0),
    gap("slowClient", 11_090 * MS, 11_190 * MS, 11), reading(11_200 * MS, 25, 7.0),
    gap("reconfigured", 11_201 * MS, 11_250 * MS), reading(11_260 * MS, 26, 8.0),
    state("stale", 14_300 * MS, "no reading for 3 s"), state("active", 50_000 * MS), reading(50_000 * MS, 27, 9.0),
    state("unavailable", 50_020 * MS, "unplugged"), state("unavailable", 50_300 * MS, "no such device"),
    state("starting", 99_000 * MS), state("active", 99_010 * MS),
    gap("deviceLost", 50_000 * MS, 99_000 * MS, 7), reading(99_000 * MS, 0, 10.0), reading(99_010 * MS, 1, 11.0),
    state("released", 99_500 * MS), state("starting", 101_000 * MS), state("active", 101_000 * MS),
    gap("released", 99_010 * MS, 101_000 * MS), reading(101_000 * MS, 0, 12.0),
]


def write(path, objects):
    path.write_text("".join(json.dumps(item, separators=(",", ":")) + "\n" for item in objects))
    return path


@pytest.mark.parametrize("speed", ["50", "max"])
def test_gaps_and_states_are_replayed_unchanged(replay, tmp_path, speed):
    first = write(tmp_path / "first.ndjson", HARD_LIFE)
    second = record_until_over(replay(first, "--speed", speed), tmp_path / "second.ndjson", "accelerometer@0")
    assert second.states["accelerometer"][0] == ("unavailable", "there is none")
    assert second.order == Recording(first).order
    assert len(second.gaps["accelerometer"]) == 5 and len(second.samples["accelerometer"]) == 12
    assert difference(Recording(first), second) is None
    third = record_until_over(
        replay(tmp_path / "second.ndjson", "--speed", speed), tmp_path / "third.ndjson",
        "accelerometer@0")
    assert difference(second, third) is None


def test_a_client_at_another_interval_gets_that_interval(replay, tmp_path):
    samples = [reading(10_000 * MS + index * 10 * MS, index, index / 8) for index in range(301)]
    daemon = replay(write(tmp_path / "fast.ndjson", samples), "--speed", "max")
    slow = record_until_over(daemon, tmp_path / "slow.ndjson", "accelerometer@100ms")
    stamps = [stamp for stamp, _, _ in slow.samples["accelerometer"]]
    assert [stamp - stamps[0] for stamp in stamps] == [index * 100 * MS for index in range(31)]


def test_a_repeating_replay(replay, tmp_path):
    path = write(tmp_path / "short.ndjson", [reading(10_000 * MS + index * 10 * MS, index, 0.5) for index in range(5)])
    daemon = replay(path, "--loop", "--speed", "max")
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda s: len(s.samples) >= 23, "five rounds")
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert {after - before for before, after in zip(stamps, stamps[1:])} == {10 * MS}
        assert [number for _, number, _ in stream.samples][:11] == [0, 1, 2, 3, 4] * 2 + [0]
        assert {gap["cause"] for gap in stream.gaps} == {"deviceLost"}
        assert ("accelerometer", "unavailable", "the recording has ended, and starts again") in stream.states


def test_it_starts_again_after_the_last_client_has_left(replay, tmp_path):
    path = write(tmp_path / "r.ndjson", [reading(10_000 * MS + index * 10 * MS, index, index / 8) for index in range(9)])
    daemon = replay(path)
    for _ in range(5):
        with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 0}) as stream:
            stream.until(lambda s: OVER in (s.states[-1][2] or "") and s.samples, "the end")
            assert [values[0] for _, _, values in stream.samples] == [index / 8 for index in range(9)]


def test_killed_at_any_moment_it_leaves_whole_lines_and_can_be_continued(daemon, replay, tmp_path):
    path = tmp_path / "killed.ndjson"
    for round_number in range(4):
        before = path.stat().st_size if path.exists() else 0
        recorder = Recorder(daemon, "accelerometer@1ms", path)
        until(lambda: path.exists() and path.stat().st_size > before + 3_000, "some lines")
        recorder.stop(signal.SIGKILL, status=-signal.SIGKILL)
        whole = [line for line in lines(path) if line.endswith(b"\n")]
        assert all(isinstance(json.loads(line), dict) for line in whole)
        # The rest of a recorder that was killed in the middle of a line.
        with path.open("ab") as file:
            file.write(b'{"resource":"acceler' if round_number % 2 else b"\0" * 5000)
    record(daemon, "accelerometer@1ms", path, "--count", "5")
    recording = Recording(path)
    assert len(recording.headers) == 5
    sessions = [index for index, (_, number, _) in enumerate(recording.samples["accelerometer"]) if number == 0]
    assert len(sessions) >= 1
    daemon.stop()
    replayed = record_until_over(replay(path, "--speed", "max"), tmp_path / "again.ndjson", "accelerometer@0")
    values = [values for _, _, values in recording.samples["accelerometer"]]
    assert [values for _, _, values in replayed.samples["accelerometer"]] == values


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_properly(daemon, tmp_path, number):
    path = tmp_path / "ended.ndjson"
    recorder = Recorder(daemon, "accelerometer@1ms", path)
    until(lambda: path.exists() and path.stat().st_size > 3_000, "some lines")
    notes = recorder.stop(number)
    numbers = [sequence for line in lines(path) if b'"sequence"' in line
               for _, sequence, _ in samples_of(json.loads(line))]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert f"{len(numbers)} readings, no gap" in notes and str(path) in notes


def test_under_nohup_it_survives_the_end_of_the_terminal(daemon, tmp_path):
    path = tmp_path / "outlives.ndjson"
    recorder = Recorder(daemon, "accelerometer@1ms", path, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until(lambda: path.exists() and path.stat().st_size > 3_000, "some lines")
    recorder.process.send_signal(signal.SIGHUP)
    length = path.stat().st_size
    until(lambda: path.stat().st_size > length + 3_000, "more lines")
    recorder.stop(signal.SIGINT)


def test_everything_is_recorded_if_no_resource_is_named(daemon, tmp_path):
    path = tmp_path / "all.ndjson"
    record(daemon, path, "--for", "1500ms")
    recording = Recording(path)
    assert set(recording.samples) >= {"accelerometer", "location"}
    assert recording.headers[0]["format"] == "io.sensorbroker.recording"


def test_limits(daemon, tmp_path):
    record(daemon, "accelerometer@5ms", tmp_path / "count", "--count", "7")
    assert len(Recording(tmp_path / "count").samples["accelerometer"]) == 7
    for name in ("size", "size.zst"):
        notes = record(daemon, "accelerometer@1ms", tmp_path / name, "--max-size", "20kB")
        assert 15_000 < (tmp_path / name).stat().st_size <= 20_000 and "its maximum size" in notes
    Recording(tmp_path / "size")
    recorder = Recorder(daemon, "accelerometer@10s", tmp_path / "late", "--count", "9", "--for", "300ms")
    assert "did not arrive in time" in recorder.wait(status=75)


def test_a_full_disk_is_reported_and_costs_no_line(daemon, tmp_path):
    def without_room():
        die_with_parent()
        limits.setrlimit(limits.RLIMIT_FSIZE, (8_000, 8_000))

    notes = Recorder(daemon, "accelerometer@1ms", tmp_path / "full", before=without_room).wait(status=74)
    assert "are intact" in notes
    content = (tmp_path / "full").read_bytes()
    assert 5_000 < len(content) <= 8_000 and content.endswith(b"\n")
    Recording(tmp_path / "full")


def test_a_file_that_is_not_a_recording_is_left_alone(daemon, tmp_path):
    for content in [b"dear diary\n", b'{"keep":"me"}', b'{"keep":"me"}\n', b"\n", b"\xff\xfe"]:
        path = tmp_path / "file"
        path.write_bytes(content)
        notes = Recorder(daemon, "accelerometer", path).wait(status=73)
        assert f"{path} exists and is not a recording" in notes and path.read_bytes() == content
    assert "regular" in Recorder(daemon, "accelerometer", "/dev/full").wait(status=73)
    assert "nowhere" in Recorder(daemon, "accelerometer", tmp_path / "nowhere/at/all").wait(status=73)
    missing = tmp_path / "missing"
    assert "barometer" in Recorder(daemon, "barometer", missing).wait(status=69)
    assert not missing.exists()


def test_what_a_power_failure_left_of_a_first_line_is_written_anew(daemon, tmp_path):
    path = tmp_path / "file"
    for content in [bytes(4_096), b'{"recording":{"format":' + bytes(4_096)]:
        path.write_bytes(content)
        record(daemon, "accelerometer", path, "--count", "5")
        assert path.read_bytes().startswith(b'{"recording":{"format":"io.sensorbroker.recording"') and bytes(1) not in path.read_bytes()


def test_two_recorders_do_not_share_a_file(daemon, tmp_path):
    path = tmp_path / "one"
    first = Recorder(daemon, "accelerometer", path)
    until(lambda: path.exists() and path.stat().st_size > 0, "the first one")
    assert "another program" in Recorder(daemon, "accelerometer", path).wait(status=73)
    first.stop(signal.SIGINT)


def test_the_end_of_the_broker_ends_it_with_what_was_recorded(start, tmp_path):
    daemon = start("--mock")
    path = tmp_path / "stopped"
    recorder = Recorder(daemon, "accelerometer@1ms", path)
    until(lambda: path.exists() and path.stat().st_size > 3_000, "some lines")
    daemon.stop()
    assert "shutting down" in recorder.wait(status=69)
    assert json.loads(lines(path)[-1]) == {"ended": "shutdown"}


@pytest.mark.parametrize("content, words", [
    ("", "no reading"), ('{"sequence":1}\n', "line 1"), ("junk\n", "line 1"), ("\x00" * 100 + "\n", "line 1"),
    ('{"recording":{"format":"io.sensorbroker.recording","version":9}}\n', "line 1"),
    (json.dumps(reading(5, 0, 1.0)) + "\n" + json.dumps(reading(10 ** 18, 1, 1.0)) + "\n", "line 2"),
    ("[" * 100_000 + "\n", "line 1"),
    (json.dumps(reading(5, 0, 1.0)) + "\n" + '{"gap":' * 1000 + "\n", "line 2"),
])
def test_a_hostile_recording_is_refused_with_the_line(directory, tmp_path, content, words):
    path = tmp_path / "hostile"
    path.write_text(content)
    result = run(SENSORBROKERD, "--replay", path, "--runtime-directory", directory)
    assert result.returncode == 65 and words in result.stderr and str(path) in result.stderr, result


@pytest.mark.parametrize("words, said", [
    (["--replay", "/nowhere/at/all"], "/nowhere/at/all"), (["--loop"], "--replay FILE"), (["--replay"], "needs a value"),
    (["--replay", "x", "--mock"], "leave out"), (["--replay", "x", "--gpsd", "localhost"], "leave out"),
])
def test_a_wrong_command_line_is_refused(directory, words, said):
    result = run(SENSORBROKERD, "--runtime-directory", directory, *words)
    assert result.returncode in (64, 65) and said in result.stderr, result
