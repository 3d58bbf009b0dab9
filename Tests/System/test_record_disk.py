"""A recorder whose disk is full: what is lost is told, and it goes on."""

import os
import re
import resource as limits
import signal

import pytest

from tools.commands import must
from tools.daemon import die_with_parent
from tools.recordedseries import check_each_is_there_or_told, numbers, objects, series, told_losses
from tools.recorder import Recorder, record
from tools.waiting import until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can mount a small disk, so a full one was not tried")


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
