"""A recorder whose wall clock is set, or has no reference: no file is older for it, and a session begins."""

import csv
import os
import pathlib
import signal
import subprocess
import time

import pytest

from tools.commands import must
from tools.programs import SENSORCTL
from tools.recordedseries import check_each_is_there_or_told, objects, series
from tools.recorder import Recorder, record
from tools.waiting import until

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
