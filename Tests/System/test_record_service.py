"""Recording as a service: compressed, rotated and bounded files, readable however the recorder ends."""

import contextlib
import csv
import fcntl
import json
import os
import pathlib
import re
import resource as limits
import signal
import subprocess
import time

import pytest
import zstandard

from tools.administration import admin
from tools.commands import must, run, sensorctl
from tools.daemon import die_with_parent
from tools.programs import SENSORCTL
from tools.recorder import Recorder, record
from tools.recordings import Recording, difference
from tools.stream import samples_of
from tools.waiting import until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can mount a small disk, so a full one was not tried")


def text(path, complete=True):
    """The lines of a file, decompressed by another program if it is compressed."""
    if path.suffix != ".zst":
        return path.read_text()
    if not complete:
        # The program may drop what it has not written when it finds that the end is missing.
        return zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()).decode()
    result = run("zstd", "-dcq", path, text=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def objects(path, complete=True):
    lines = text(path, complete).splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def numbers(lines):
    """The sequence numbers of all samples; of those of one reading, only the first is written."""
    return [line["sequence"] + index for line in lines if "sequence" in line for index in range(len(samples_of(line)))]


def told_losses(lines):
    """How many samples the broker took from a recorder that was held up for half a second, as a busy host may do."""
    gaps = [line["gap"] for line in lines if "gap" in line]
    return sum(gap["count"] for gap in gaps if (gap["resource"], gap["cause"]) == ("accelerometer", "slowClient"))


def check_each_is_there_or_told(lines):
    found = numbers([line for line in lines if line.get("resource") == "accelerometer"])
    assert found == sorted(set(found)) and found[-1] - found[0] + 1 - len(found) == told_losses(lines)


def series(directory, stem="drive"):
    return sorted(path for path in directory.iterdir() if path.name.startswith(stem + "-2"))


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


# A wall clock that is ahead once a file is there, as a host's without a battery when the network tells it the time; it has no
# reference, unless another file is there.
STEP_DAYS = 800
STEP = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
int adjtimex(struct timex *state) {
    state->status = access(getenv("CLOCK_HAS_REFERENCE"), F_OK) == 0 ? 0 : STA_UNSYNC;
    return state->status ? TIME_ERROR : TIME_OK;
}
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME && access(getenv("CLOCK_IS_SET"), F_OK) == 0) time->tv_sec += DAYS * 86400;
    return result;
}
"""


@pytest.fixture
def stepped(daemon, tmp_path, monkeypatch):
    """A file for which the clock of the programs that are started next has been set."""
    source, library, is_set, reference = (tmp_path / name for name in ("step.c", "step.so", "set", "set.reference"))
    source.write_text(STEP)
    must("gcc", "-shared", "-fPIC", f"-DDAYS={STEP_DAYS}", "-o", library, source)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("CLOCK_IS_SET", str(is_set))
    monkeypatch.setenv("CLOCK_HAS_REFERENCE", str(reference))
    return is_set


def test_a_clock_that_is_set_makes_no_file_older(daemon, tmp_path, stepped):
    words = ("accelerometer@1ms", tmp_path / "drive.ndjson", "--keep", "7d")
    record(daemon, *words, "--rotate", "1h", "--count", "5")
    recorder = Recorder(daemon, *words, "--rotate-size", "20kB")
    until(lambda: len(series(tmp_path)) >= 3, "some files")
    before = series(tmp_path)
    stepped.touch()
    day = slice(len("drive-2026MMDD"))
    until(lambda: series(tmp_path)[-1].name[day] > before[-1].name[day], "a file of another week")
    recorder.stop(signal.SIGTERM)
    assert set(before) <= set(series(tmp_path))
    # Those of the recorder that saw it have the right times from then on.
    times = [path.stat().st_mtime - time.time() for path in before]
    assert times[0] < 86_400 and all(ahead > (STEP_DAYS - 1) * 86_400 for ahead in times[1:]), times


def test_a_clock_that_is_ahead_at_the_start_deletes_nothing(daemon, tmp_path, stepped):
    words = ("accelerometer@1ms", tmp_path / "drive.ndjson", "--keep", "7d", "--rotate", "1h", "--count", "5")
    record(daemon, *words)
    former = series(tmp_path)
    stepped.touch()
    # The second one finds the file of the first, whose time is as wrong as its own.
    for count in (2, 3):
        record(daemon, *words)
        assert len(series(tmp_path)) == count and former[0] in series(tmp_path)


@pytest.mark.parametrize("name", ["drive.ndjson", "drive.ndjson.zst"])
def test_a_clock_that_is_set_between_two_recorders_deletes_nothing(daemon, tmp_path, stepped, name):
    words = ("accelerometer@1ms", tmp_path / name, "--keep", "7d", "--rotate", "1h", "--count", "5")
    record(daemon, *words)
    stepped.touch()
    pathlib.Path(f"{stepped}.reference").touch()
    # The third one finds when the second one began: that is how old the first one is.
    for count in (2, 3):
        record(daemon, *words)
        assert len(series(tmp_path)) == count
        os.utime(series(tmp_path)[-1], (time.time() + STEP_DAYS * 86_400,) * 2)
    first, second, third = series(tmp_path)
    assert [objects(path)[0]["recording"]["synchronized"] for path in (first, second)] == [False, True]
    os.utime(second, (time.time() + (STEP_DAYS - 8) * 86_400,) * 2)
    record(daemon, *words)
    assert not first.exists() and not second.exists() and third.exists()


@pytest.mark.parametrize("options", [[], ["--rotate", "1h"]])
def test_a_clock_that_is_set_begins_a_session(daemon, tmp_path, stepped, options):
    path = tmp_path / "drive.ndjson"
    recorder = Recorder(daemon, "accelerometer@1ms", path, *options)

    def lines():
        return [line for one in series(tmp_path) or [path] if one.exists() for line in objects(one)]

    until(lambda: len(lines()) > 10, "some readings")
    stepped.touch()
    count = len(lines())
    until(lambda: len(lines()) > count + 100, "readings after the step")
    recorder.stop(signal.SIGTERM)
    headers = [line["recording"] for line in lines() if "recording" in line]
    ahead = [one["utcMicroseconds"] - one["bootNanoseconds"] / 1_000 for one in headers]
    assert len(ahead) == 2 and abs(ahead[1] - ahead[0] - STEP_DAYS * 86_400_000_000) < 10_000
    check_each_is_there_or_told(lines())
    # Each begins with what holds.
    assert sum("grant" in line for line in lines()) >= 2


def test_a_clock_that_is_set_is_that_of_what_is_watched(daemon, stepped):
    words = ("watch", "accelerometer@1ms", "--format", "csv")
    with subprocess.Popen(
            [SENSORCTL, "--socket", daemon.broker, *words], stdout=subprocess.PIPE, text=True) as process:
        rows = csv.DictReader(process.stdout)
        first = next(rows)
        stepped.touch()
        day = slice(len("2026-MM-DD"))
        until(lambda: next(rows)["time"][day] > first["time"][day], "a time of another week")
        process.terminate()


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


@needs_root
@pytest.mark.parametrize("name", ["drive.ndjson", "drive.ndjson.zst"])
def test_a_full_disk_is_told_and_it_goes_on_when_there_is_room(daemon, tmp_path, name):
    disk = tmp_path / "disk"
    disk.mkdir()
    must("mount", "-t", "tmpfs", "-o", "size=256k", "none", disk)
    try:
        filler = disk / "filler"
        recorder = Recorder(daemon, "accelerometer@1ms", disk / name, "--rotate", "1h")
        until(lambda: series(disk) and numbers(objects(series(disk)[0], complete=False)), "readings in the first file")
        with filler.open("wb") as file:
            while True:
                try:
                    os.write(file.fileno(), b"x" * 512)
                except OSError:
                    break
        until(lambda: "until there is room" in notes_so_far(recorder), "the report")
        filler.unlink()
        until(lambda: len(series(disk)) >= 2, "the next file")
        later = series(disk)[-1]
        until(lambda: numbers(objects(later, complete=False)), "readings in it")
        recorder.stop(signal.SIGTERM)
        parts = [objects(path) if path == series(disk)[-1] else objects(path, complete=False) for path in series(disk)]
        gaps = [line["gap"] for lines in parts for line in lines if "gap" in line]
        assert [gap["cause"] for gap in gaps] == ["slowClient"]
        first, second = numbers(parts[0]), numbers(parts[-1])
        # What is missing is told; a compressor may have saved some of it nevertheless.
        assert 0 < second[0] - first[-1] - 1 <= gaps[0]["count"]
        assert first == list(range(first[0], first[-1] + 1)) and second == list(range(second[0], second[-1] + 1))
    finally:
        must("umount", "-l", disk)


def small_files():
    die_with_parent()
    limits.setrlimit(limits.RLIMIT_FSIZE, (40_000, 40_000))


def readings_in(directory):
    return sum(len(numbers(objects(path, complete=False))) for path in series(directory))


@pytest.mark.parametrize("name", ["drive.ndjson", "drive.ndjson.zst"])
def test_what_is_lost_when_it_ends_without_room_is_told(daemon, tmp_path, name):
    recorder = Recorder(daemon, "accelerometer@1ms", tmp_path / name, "--rotate", "1h", before=small_files)
    until(lambda: "until there is room" in notes_so_far(recorder), "the report")
    said = recorder.said + recorder.stop(signal.SIGTERM, status=74)
    told = re.search(r"(\d+) readings, 1 gap, .*; (\d+) readings? could not be written", said)
    counted, lost = map(int, told.groups())
    # A compressor may have saved some of them nevertheless.
    assert counted == readings_in(tmp_path) if name == "drive.ndjson" else counted <= readings_in(tmp_path) < counted + lost


def test_what_a_full_disk_did_not_take_is_not_counted(daemon, tmp_path):
    # So seldom that even a busy host writes nearly each on a line of its own: 65 kB.
    words = ("--rotate", "1h", "--count", 500)
    notes = record(daemon, "accelerometer@10ms", tmp_path / "drive.ndjson", *words, before=small_files)
    lines = [line for path in series(tmp_path) for line in objects(path)]
    check_each_is_there_or_told(lines)
    assert readings_in(tmp_path) == 500 and told_losses(lines) > 0
    assert f"500 readings, {sum('gap' in line for line in lines)} gap" in notes


def notes_so_far(recorder):
    os.set_blocking(recorder.process.stderr.fileno(), False)
    try:
        said = os.read(recorder.process.stderr.fileno(), 65_536).decode()
    except BlockingIOError:
        said = ""
    os.set_blocking(recorder.process.stderr.fileno(), True)
    recorder.said = getattr(recorder, "said", "") + said
    assert recorder.process.poll() is None, recorder.said
    return recorder.said


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
