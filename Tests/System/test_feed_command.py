"""`sensorctl feed`: lines become the samples of a resource, whatever the broker, the lines and the command do."""

import array
import fcntl
import os
import subprocess
import termios

import pytest

from tools.feedcommand import double, feed, lives, wanting  # noqa: F401  fixtures
from tools.programs import PATIENCE
from tools.stream import boot_nanoseconds
from tools.waiting import until


def test_lines_of_a_pipe(double, feed):
    running = wanting(double, feed, "accelerometer", "--name", "accelerometer:arm", "--description", "an arm", "--rest", "2s")
    assert double.offers == [{"resources": [{"name": "accelerometer:arm", "kind": "acceleration"}], "description": "an arm",
                              "restNanoseconds": 2_000_000_000}]
    before = boot_nanoseconds()
    running.say("1,2,3", "4;5;6", "{\"x\":7,\"y\":8,\"z\":9}")
    double.until(lambda double: len(double.values()) == 3, "three samples")
    running.process.stdin.write("10 11 12")
    assert running.end() == ""
    double.until(lambda double: len(double.values()) == 4, "the last line, which has no end")
    values = double.values()
    assert [row[1:] for row in values] == [(1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12)]
    stamps = [before, *(row[0] for row in values), boot_nanoseconds()]
    assert stamps == sorted(set(stamps))


def test_lines_that_nobody_wants_are_dropped(double, feed):
    running = feed(double, "accelerometer")
    double.provided()
    running.say(*["1,1,1"] * 10_000)
    # What was not wanted when it came is not sent later.
    until(lambda: not unread(running), "the pipe to be read empty")
    double.reply(wanted=True)
    until(lambda: running.say("2,2,2") or double.values(), "samples")
    assert {row[1:] for row in double.values()} == {(2, 2, 2)}
    double.reply(wanted=False)
    assert running.stop() == ""


def unread(running):
    """How many bytes the feed has not read. ioctl(2) FIONREAD"""
    count = array.array("i", [0])
    fcntl.ioctl(running.process.stdin, termios.FIONREAD, count)
    return count[0]


def test_bad_lines_end_nothing(double, feed):
    running = wanting(double, feed, "accelerometer")
    running.say("MPU6050 ready", "1,2", "1,2,3")
    double.until(lambda double: double.values(), "the line that can be used")
    assert "line 1: 'MPU6050 ready'" in running.note() and "line 2: 2 values" in running.note()
    # More than a pipe holds.
    running.say(*["x" * 100] * 2_000, "4,5,6")
    double.until(lambda double: len(double.values()) == 2, "the line after them")
    notes = running.end()
    assert "more lines like that; the last one: line 2003" in notes and len(notes.splitlines()) < 5


def test_an_endless_line_takes_no_memory(double, feed):
    running = wanting(double, feed, "accelerometer")
    for _ in range(256):
        running.process.stdin.write("7" * (1 << 18))
    running.say("", "1,2,3")
    double.until(lambda double: double.values(), "the line after it")
    with open(f"/proc/{running.process.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    assert "line 1: it is longer than 1 MiB" in running.end() and peak < 48 << 10


@pytest.mark.parametrize("error, parameters, status, words", [
    ("NotAllowed", {"resource": "accelerometer", "reason": "there is no section [Feed accelerometer]"}, 77, "[Feed accelerometer]"),
    ("NameTaken", {"resource": "accelerometer", "holder": "process 7"}, 69, "process 7; for a second one"),
    ("NoSuchKind", {"kind": "acceleration"}, 64, "no kind 'acceleration'"),
    ("TooManyConnections", {"limit": 2}, 69, "limit"),
])
def test_refusals(double, feed, error, parameters, status, words):
    double.first = {"error": f"io.sensorbroker.Feed.{error}", "parameters": parameters}
    assert words in feed(double, "accelerometer").end(status)


def test_without_a_broker(directory, feed):
    assert "sensorbrokerd is not running" in feed(os.path.join(directory, "io.sensorbroker.Broker"), "accelerometer").end(69)
    assert "--socket …/io.sensorbroker.Feed" in feed(os.path.join(directory, "other"), "accelerometer").end(64)


def test_a_broker_without_the_socket(directory, feed):
    broker = os.path.join(directory, "io.sensorbroker.Broker")
    open(broker, "w").close()
    assert "sensorbrokerd-feed.socket" in feed(broker, "accelerometer").end(69)


def test_a_broker_that_hangs_when_it_is_back(double, feed):
    running = wanting(double, feed, "accelerometer", "--timeout", "3s")
    double.leave()
    double.reads.clear()
    double.listen()
    double.until(lambda double: double.accepted > 2, "another attempt")
    double.reads.set()
    assert "went away" in running.note() and "is back" in running.note()
    assert running.stop() == ""


def test_a_broker_that_says_nothing(double, feed):
    double.reads.clear()
    assert "does not answer" in feed(double, "accelerometer", "--timeout", "200ms").end(75)


def test_the_broker_goes_away_and_comes_back(double, feed):
    running = wanting(double, feed, "accelerometer")
    running.say("1,2,3")
    double.until(lambda double: double.values(), "a sample")
    double.leave()
    assert "went away; waiting" in running.note()
    running.say(*["7,7,7"] * 1_000)
    double.listen()
    double.provided(times=2)
    assert "is back" in running.note()
    until(lambda: running.say("4,5,6") or len(double.values()) > 1, "samples after the restart")
    assert running.end() == "" and double.offers[0] == double.offers[1]
    # Then it may not any more.
    running = wanting(double, feed, "accelerometer")
    double.provided(times=3)
    double.first = {"error": "io.sensorbroker.Feed.NotAllowed", "parameters": {"resource": "accelerometer", "reason": "no"}}
    double.leave()
    double.listen()
    assert running.process.wait(PATIENCE) == 77 and "may not provide" in running.end(77)


def test_a_broker_that_reads_nothing_blocks_nothing(double, feed):
    running = wanting(double, feed, "accelerometer")
    double.reads.clear()
    # Its thread may be within a read.
    running.say(*["1,2,3"] * 100_000)
    until(lambda: not unread(running), "all lines to be read")
    assert "a sample was dropped" in running.note()
    double.reads.set()
    double.until(lambda double: double.missing > 1000, "what was dropped")
    assert "more samples like that" in running.stop()


def test_what_the_broker_refuses_is_told(double, feed):
    running = wanting(double, feed, "accelerometer")
    for _ in range(50):
        double.reply(wanted=True, refused={"count": 3, "reason": "impossible values"})
    assert all("the broker refused 3 samples: impossible values" in running.note() for _ in range(3))
    assert running.stop().count("\n") <= 1


def test_samples_are_gathered_as_long_as_clients_allow(double, feed):
    running = wanting(double, feed, "accelerometer", latencyNanoseconds=10**15)
    running.say("1,2,3")
    running.say("4,5,6")
    running.end()
    double.until(lambda double: len(double.values()) == 2, "both at the end")
    assert len(double.samples) == 1


def test_a_command_runs_while_somebody_wants_readings(double, feed, tmp_path):
    script = tmp_path / "reader"
    script.write_text("#!/bin/sh\necho $$ >> pids\nwhile :; do echo 1,2,3; sleep 0.02; done | cat\n")
    script.chmod(0o755)
    pids = tmp_path / "pids"
    running = feed(double, "accelerometer", "--exec", "./reader", cwd=tmp_path, stdin=subprocess.DEVNULL)
    double.provided()
    assert not pids.exists()
    double.reply(wanted=True)
    double.until(lambda double: len(double.values()) > 2, "samples")
    process = int(pids.read_text())
    double.reply(wanted=False)
    until(lambda: not lives(process), "the command to end")
    double.reply(wanted=True)
    until(lambda: len(pids.read_text().split()) == 2, "a second run")
    process = int(pids.read_text().split()[1])
    assert running.stop() == "" and not lives(process)


def test_a_command_that_does_not_end_is_killed(double, feed, tmp_path):
    running = feed(double, "accelerometer", "--exec", "trap '' TERM; echo $$ > pid; while :; do echo 1,2,3; sleep 0.02; done",
                   cwd=tmp_path, stdin=subprocess.DEVNULL)
    double.provided()
    double.reply(wanted=True)
    double.until(lambda double: double.values(), "samples")
    process = int((tmp_path / "pid").read_text())
    double.reply(wanted=False)
    until(lambda: not lives(process), "the command to be killed")
    assert running.stop() == ""


def test_a_command_that_fails_is_started_again(double, feed, tmp_path):
    double.first = {"parameters": {"wanted": True}, "continues": True}
    running = feed(double, "accelerometer", "--exec", "echo run >> runs; yes 1,2,3 | head -n 1000; exit 3", cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert "the command ended with 3; it is started again in 0.5 s" in running.note()
    until(lambda: len((tmp_path / "runs").read_text().split()) >= 2, "a second run")
    double.until(lambda double: len(double.values()) >= 2_000, "all samples of both")
    running.stop()


