"""Recording as a service: compressed, rotated and bounded files, readable however the recorder ends."""

import contextlib
import fcntl
import os
import re
import resource as limits
import signal
import subprocess
import time

import pytest

from tools.administration import admin
from tools.commands import must, run, sensorctl
from tools.programs import SENSORCTL
from tools.recordedseries import check_each_is_there_or_told, numbers, objects, series, text, told_losses
from tools.recorder import Recorder, record
from tools.recordings import Recording, difference
from tools.waiting import until


def test_a_compressed_recording_has_the_same_lines(daemon, tmp_path):
    path = tmp_path / "drive.ndjson.zst"
    record(daemon, "accelerometer@1ms", path, "--count", "500")
    lines = objects(path)
    assert "recording" in lines[0] and len(numbers(lines)) >= 500
    assert path.stat().st_size < len(text(path)) / 3
    rows = sensorctl("export", path, "--to", "csv").splitlines()
    assert [int(row.split(",")[1]) for row in rows[1:]] == numbers(lines)
    # It cannot be continued, and says what to do.
    assert "--rotate" in Recorder(daemon, "accelerometer", path).wait(status=73)


def test_killed_it_is_readable_up_to_the_last_seconds(daemon, tmp_path):
    path = tmp_path / "drive.ndjson.zst"
    recorder = Recorder(daemon, "accelerometer@1ms", path)
    # It grows when lines are completed, once a second.
    for _ in range(3):
        length = path.stat().st_size if path.exists() else 0
        until(lambda: path.exists() and path.stat().st_size > length, "further lines")
    recorder.stop(signal.SIGKILL, status=-signal.SIGKILL)
    lines = objects(path, complete=False)
    found = numbers(lines)
    assert len(found) > 500
    check_each_is_there_or_told(lines)
    # We read some more of a broken file than zstd does.
    exported = [int(row.split(",")[1]) for row in sensorctl("export", path, "--to", "csv").splitlines()[1:]]
    assert len(exported) >= len(found) and exported[:len(found)] == found and exported == sorted(set(exported))


@pytest.mark.parametrize("name", ["drive.ndjson", "drive.ndjson.zst"])
def test_no_reading_is_lost_or_doubled_between_two_files(daemon, tmp_path, name):
    recorder = Recorder(daemon, "accelerometer@1ms", "location", tmp_path / name, "--rotate-size", "30kB")
    until(lambda: len(series(tmp_path)) >= 4, "some files")
    notes = recorder.stop(signal.SIGTERM)
    files = series(tmp_path)
    parts = [objects(path) for path in files]
    for path, lines in zip(files, parts):
        assert 15_000 < path.stat().st_size <= 30_000 or path == files[-1]
        # Each is a recording of its own: it says what holds.
        assert "recording" in lines[0]
        first = next(index for index, line in enumerate(lines) if "sequence" in line)
        kinds = {line["resource"]["kind"] for line in lines[:first] if "kind" in line.get("resource", {})}
        assert kinds == {"acceleration", "location"}
        assert {line["grant"]["resource"] for line in lines[:first] if "grant" in line} == {"accelerometer", "location"}
    lines = [line for lines in parts for line in lines]
    check_each_is_there_or_told(lines)
    assert told_losses(lines) or "no gap" in notes
    starts = [lines[0]["recording"]["utcMicroseconds"] for lines in parts]
    assert starts == sorted(starts)


def test_a_part_is_replayed_like_any_recording(daemon, replay, tmp_path):
    recorder = Recorder(daemon, "accelerometer@1ms", tmp_path / "drive.ndjson.zst", "--rotate-size", "20kB")
    until(lambda: len(series(tmp_path)) >= 3, "some files")
    recorder.stop(signal.SIGTERM)
    part = series(tmp_path)[1]
    sensorctl("export", part, tmp_path / "part.ndjson")
    assert (tmp_path / "part.ndjson").read_text() == text(part)
    sensorctl("export", tmp_path / "drive.ndjson.zst", tmp_path / "all.ndjson")
    daemon.stop()
    replay(tmp_path / "part.ndjson")
    replay(part)
    # All parts are one session: no pause is between two of them.
    recorded = Recording(tmp_path / "all.ndjson")
    replayed = replay(tmp_path / "all.ndjson", "--speed", "max")
    record(replayed, "accelerometer", tmp_path / "again.ndjson", "--count", str(len(recorded.samples["accelerometer"])))
    assert difference(recorded, Recording(tmp_path / "again.ndjson")) is None


def test_the_series_is_exported_by_its_name(daemon, tmp_path):
    path = tmp_path / "drive.ndjson.zst"
    recorder = Recorder(daemon, "accelerometer@1ms", path, "--rotate-size", "20kB")
    until(lambda: len(series(tmp_path)) >= 3, "some files")
    recorder.stop(signal.SIGKILL, status=-signal.SIGKILL)
    found = [number for part in series(tmp_path) for number in numbers(objects(part, complete=False))]
    rows = sensorctl("export", path, "--to", "csv").splitlines()
    assert [int(row.split(",")[1]) for row in rows[1:]] == found


def test_a_track_leads_on_from_file_to_file(daemon, tmp_path):
    path = tmp_path / "drive.ndjson"
    recorder = Recorder(daemon, "location@40ms", path, "--rotate-size", "6kB")
    until(lambda: len(series(tmp_path)) >= 5, "some files")
    recorder.stop(signal.SIGTERM)

    def pieces():
        """More than gaps lead to."""
        lines = [line for part in series(tmp_path) for line in objects(part)]
        notes = run(SENSORCTL, "export", path, "--to", "gpx").stderr
        return int(re.search(r" in (\d+) piece", notes)[1]) - sum("gap" in line for line in lines)

    assert pieces() == 1
    # Not where a file is missing.
    series(tmp_path)[2].unlink()
    assert pieces() == 2


def test_what_a_power_failure_filled_up_with_zeros_is_read_up_to_there(daemon, replay, tmp_path):
    path = tmp_path / "drive.ndjson.zst"
    recorder = Recorder(daemon, "accelerometer@10ms", path, "--rotate", "1h")
    until(lambda: len(series(tmp_path)) == 1 and series(tmp_path)[0].stat().st_size > 4_000, "some seconds")
    recorder.stop(signal.SIGKILL, status=-signal.SIGKILL)
    [cut] = series(tmp_path)
    found = numbers(objects(cut, complete=False))
    record(daemon, "accelerometer@10ms", path, "--rotate", "1h", "--count", "50")
    last = numbers(objects(series(tmp_path)[1]))
    # Within what was flushed last.
    content = cut.read_bytes()
    cut.write_bytes(content[:-40] + bytes(40 + 5_000))
    result = run(SENSORCTL, "export", path, "--to", "csv")
    assert result.returncode == 0 and "left out: 1 incomplete last line" in result.stderr, result.stderr
    exported = [int(row.split(",")[1]) for row in result.stdout.splitlines()[1:]]
    kept = exported[:-len(last)]
    assert exported[-len(last):] == last and kept == found[:len(kept)] and len(kept) > len(found) / 2
    daemon.stop()
    replay(cut)


def test_a_file_begins_at_each_multiple_of_a_time(daemon, tmp_path):
    recorder = Recorder(daemon, "accelerometer@50ms", tmp_path / "drive.ndjson", "--rotate", "1s")
    until(lambda: len(series(tmp_path)) >= 3, "some files")
    recorder.stop(signal.SIGTERM)
    starts = [objects(path)[0]["recording"]["utcMicroseconds"] // 1_000_000 for path in series(tmp_path)]
    assert len(set(starts)) == len(starts), "one for each second"


def strangers(directory):
    """Files that only look like ours."""
    (directory / "drive-20200101T000000.000Z.ndjson.zst").write_text("my diary\n" * 5_000)
    (directory / "drive-20200101T000000.001Z.ndjson.zst").mkdir()
    (directory / "precious").write_text("x" * 50_000)
    (directory / "drive-20200101T000000.002Z.ndjson.zst").symlink_to(directory / "precious")
    (directory / "other-20200101T000000.000Z.ndjson.zst").write_text("")
    return sorted(directory.iterdir())


def test_all_files_together_are_bounded_and_others_are_left_alone(daemon, tmp_path):
    kept = strangers(tmp_path)
    # One of ours that cannot be deleted, since another program writes it, takes room as well.
    busy = tmp_path / "drive-20200101T000000.003Z.ndjson.zst"
    busy.write_text('{"recording":{}}\n' + "\n" * 15_000)
    kept.append(busy)
    with busy.open() as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        recorder = Recorder(daemon, "accelerometer@1ms", tmp_path / "drive.ndjson.zst", "--rotate", "1h", "--max-total", "40kB")

        def ours():
            return [path for path in series(tmp_path) if path not in kept]

        seen = set()
        while len(seen) < 8:
            assert recorder.process.poll() is None
            paths, sizes = ours(), [busy.stat().st_size]
            for path in paths:
                seen.add(path.name)
                with contextlib.suppress(FileNotFoundError):
                    sizes.append(path.stat().st_size)
            # Else the sum is of no one instant.
            assert sum(sizes) <= 40_000 or ours() != paths, sizes
            time.sleep(0.02)
        recorder.stop(signal.SIGTERM)
    left = {path.name for path in ours()}
    assert left == set(sorted(seen | left)[-len(left):]), "the oldest go first"
    assert all(os.path.lexists(path) for path in kept)
    assert (tmp_path / "precious").read_text() == "x" * 50_000


def test_old_files_are_deleted_and_others_are_left_alone(daemon, tmp_path):
    path = tmp_path / "drive.ndjson"
    for _ in range(2):
        record(daemon, "accelerometer@1ms", path, "--rotate", "1h", "--count", "5")
    old, young = series(tmp_path)
    os.utime(old, (time.time() - 1_000,) * 2)
    stranger = tmp_path / "drive-20200101T000000.000Z.ndjson"
    stranger.write_text("my diary\n")
    os.utime(stranger, (0, 0))
    # What a power failure left of one that had just begun.
    for index, content in enumerate([bytes(4_096), old.read_bytes()[:40] + bytes(4_096)]):
        (tmp_path / f"drive-2020010{index + 3}T000000.000Z.ndjson").write_bytes(content)
        os.utime(tmp_path / f"drive-2020010{index + 3}T000000.000Z.ndjson", (0, 0))
    # In nanoseconds since 1970, no 64 bits hold this.
    ahead = tmp_path / "drive-20200102T000000.000Z.ndjson"
    ahead.write_text("from the year 2286\n")
    os.utime(ahead, (10**10, 10**10))
    record(daemon, "accelerometer@1ms", path, "--rotate", "1h", "--keep", "10min", "--count", "5")
    assert not old.exists() and all(one.exists() for one in (young, stranger, ahead)) and len(series(tmp_path)) == 4


def test_sighup_begins_a_new_file(daemon, tmp_path):
    recorder = Recorder(daemon, "accelerometer@1ms", tmp_path / "drive.ndjson.zst", "--rotate", "1h")
    until(lambda: series(tmp_path) and series(tmp_path)[0].stat().st_size > 1_000, "readings in the first file")
    recorder.process.send_signal(signal.SIGHUP)
    until(lambda: len(series(tmp_path)) == 2, "the second file")
    # The first one is complete, although the recorder still runs.
    assert "recording" in objects(series(tmp_path)[0])[0]
    recorder.stop(signal.SIGTERM)
    check_each_is_there_or_told([line for path in series(tmp_path) for line in objects(path)])


def test_logrotate_gives_it_another_name_and_it_goes_on_under_its_own(daemon, tmp_path):
    path, former = tmp_path / "drive.ndjson", tmp_path / "drive.ndjson.1"
    recorder = Recorder(daemon, "accelerometer@1ms", path, "--reopen")
    until(lambda: path.exists() and path.stat().st_size > 3_000, "some lines")
    # As logrotate does: rename, then postrotate.
    path.rename(former)
    recorder.process.send_signal(signal.SIGHUP)
    until(lambda: path.exists() and path.stat().st_size > 3_000, "lines in the new file")
    recorder.stop(signal.SIGTERM)
    check_each_is_there_or_told(objects(former) + objects(path))
    Recording(former)
    Recording(path)


def test_a_sensor_that_is_not_there_is_waited_for(start, tmp_path):
    """A service that ended would be started again every five seconds, for as long as nobody connects the sensor."""
    configuration = tmp_path / "broker.conf"
    configuration.touch()
    daemon = start("--mock", "--config", configuration)
    words = ("accelerometer", "temperature:out", tmp_path / "drive.ndjson")
    assert "there is no resource temperature:out" in Recorder(daemon, *words).wait(status=69)
    recorder = Recorder(daemon, *words, "--rotate", "1h")
    assert "there is no resource temperature:out" in recorder.process.stderr.readline()
    assert not series(tmp_path)
    configuration.write_text("[Feed temperature:out]\n")
    admin(daemon, "Reload")
    until(lambda: series(tmp_path) and numbers(objects(series(tmp_path)[0])), "readings of what is there")
    assert "there is no resource" not in recorder.stop(signal.SIGTERM)
    recorder = Recorder(daemon, "pressure:out", tmp_path / "other.ndjson", "--rotate", "1h")
    recorder.process.stderr.readline()
    assert "nothing was recorded" in recorder.stop(signal.SIGTERM) and not series(tmp_path, "other")


def test_a_bomb_costs_no_memory(tmp_path):
    bomb = tmp_path / "bomb.ndjson.zst"
    with subprocess.Popen(["head", "-c", "512M", "/dev/zero"], stdout=subprocess.PIPE) as zeros:
        must("zstd", "-q", "-1", "-o", bomb, stdin=zeros.stdout)
    assert bomb.stat().st_size < 1_000_000
    # The Swift runtime alone reserves some hundreds of megabytes of addresses.
    bounded = {"preexec_fn": lambda: limits.setrlimit(limits.RLIMIT_DATA, (200 << 20,) * 2)}
    assert "a line is longer" in sensorctl("export", bomb, "--to", "csv", status=65, **bounded)
    sensorctl("import", bomb, tmp_path / "out.ndjson", status=65, **bounded)


@pytest.mark.parametrize("change, words", [
    (lambda data: data[:40] + bytes(byte ^ 0x55 for byte in data[40:]), "damaged"),
    (lambda data: data[:4] + b"\x00\xf8" + data[6:], "zstd -d --long=31"),
], ids=["damaged", "window"])
def test_damage_is_reported(daemon, tmp_path, change, words):
    path = tmp_path / "drive.ndjson.zst"
    record(daemon, "accelerometer@1ms", path, "--count", "200")
    path.write_bytes(change(path.read_bytes()))
    assert words in sensorctl("export", path, "--to", "csv", status=65)


def test_a_compressed_table_is_imported(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("time,x,y,z\n" + "".join(f"{index},0,0,{index / 8}\n" for index in range(100)))
    must("zstd", "-q", table)
    sensorctl("import", table, tmp_path / "plain.ndjson")
    sensorctl("import", f"{table}.zst", tmp_path / "compressed.ndjson")
    assert (tmp_path / "plain.ndjson").read_bytes() == (tmp_path / "compressed.ndjson").read_bytes()


@pytest.mark.parametrize("words, said", [
    (("a", "./f", "--keep", "7d"), "--rotate"), (("a", "./f", "--max-total", "1G"), "--rotate"),
    (("a", "./f", "--rotate", "1h", "--max-size", "1G"), "--rotate-size"), (("a", "./f", "--rotate", "0"), "more than 0"),
    (("a", "./f", "--rotate", "1h", "--reopen"), "exclude"),
])
def test_a_wrong_command_line_is_refused(words, said):
    assert said in sensorctl("record", *words, status=64)
