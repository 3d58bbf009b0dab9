"""`sensorctl feed`: lines become the samples of a resource, whatever the broker, the lines and the command do."""

import array
import fcntl
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import termios
import time
import urllib.error
import urllib.request

import pytest

from tools.administration import resources
from tools.commands import sensorctl, start as start_program
from tools.feedbroker import FeedBroker
from tools.ports import free_port, listens
from tools.programs import PATIENCE, ROOT, SENSORCTL
from tools.stream import MILLISECOND, Stream, boot_nanoseconds, read_all
from tools.waiting import until


@pytest.fixture
def double(closing, directory):
    return closing(FeedBroker(directory))


class Feed:
    """`sensorctl feed` with a pipe for its lines."""

    def __init__(self, broker, *words, **options):
        self.errors = tempfile.TemporaryFile("w+")
        self.told = 0
        self.process = start_program(SENSORCTL, "feed", *words, broker=broker,
                                     **{"stdin": subprocess.PIPE, "stdout": self.errors, "stderr": self.errors, **options})

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def notes(self):
        """The notes that were not taken yet."""
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), size - self.told, self.told).decode()

    def note(self):
        """Waits for the next note."""
        until(lambda: "\n" in self.notes(), "a note")
        line = self.notes().splitlines(keepends=True)[0]
        self.told += len(line.encode())
        return line

    def end(self, status=0):
        """The remaining notes, after the end of its lines."""
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == status, self.notes()
        return self.notes()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.end()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.errors.close()


@pytest.fixture
def feed(closing):
    return lambda *words, **options: closing(Feed(*words, **options))


def wanting(double, feed, *words, **demand):
    """A feed whose samples are wanted."""
    double.first["parameters"].update(wanted=True, **demand)
    running = feed(double, *words)
    double.provided()
    return running


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


# The command


def lives(process):
    try:
        return open(f"/proc/{process}/stat").read().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


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


# With a daemon

SETTINGS = """
[Feed accelerometer:arm]
MaxRate=10000
[Feed location:phone]
"""


@pytest.fixture
def host(start, tmp_path):
    """Starts a daemon with simulated devices that allows feeds."""
    def start_one():
        path = tmp_path / "sensorbrokerd.conf"
        path.write_text(SETTINGS)
        return start("--mock", "--config", str(path))
    return start_one


@pytest.fixture
def daemon(host):
    return host()


ARM = ("accelerometer", "--name", "accelerometer:arm")


def subscribed(daemon, name="accelerometer:arm"):
    """A stream of every sample, once there is the resource."""
    until(lambda: resources(daemon).get(name, {}).get("state") == "idle", f"{name} to be provided")
    return Stream(daemon.broker, {"resource": name, "intervalNanoseconds": 0})


def test_what_is_printed_is_what_clients_read(daemon, feed):
    running = feed(daemon, *ARM, "--description", "a robot's arm")
    with subscribed(daemon) as stream:
        assert resources(daemon)["accelerometer:arm"]["description"] == "a robot's arm"
        until(lambda: running.say("1,1,1") or stream.note_what_is_there() or stream.samples, "the first sample")
        running.say("2,2,2", "timestampNanoseconds,z,y,x")
        stream.until(lambda stream: stream.samples[-1][2] == (2, 2, 2), "the last sample without a time")
        begin = boot_nanoseconds()
        sent = [(begin + number * 1_000, (number / 8, -number / 4, float(number))) for number in range(2_000)]
        until(lambda: boot_nanoseconds() > sent[-1][0], "the time of the last sample")
        running.say(*(f"{stamp},{z},{y},{x}" for stamp, (x, y, z) in sent))
        stream.until(lambda stream: stream.samples[-1][0] == sent[-1][0], "the last sample")
        read = [(stamp, values) for stamp, _, values in stream.samples if stamp >= begin]
        assert read == sent and not stream.losses
    assert running.end() == ""


@pytest.mark.parametrize("form", ["json", "csv"])
def test_what_watch_prints_is_a_feed(daemon, feed, closing, form):
    """Piped back as another resource, with the same values and times."""
    original = closing(Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}))
    watch = start_program(SENSORCTL, "watch", "accelerometer@10ms,batch=50ms", "--format", form, "--count", "400", broker=daemon)
    running = feed(daemon, *ARM, stdin=watch.stdout)
    watch.stdout.close()
    with subscribed(daemon) as stream:

        def pairs():
            # On a busy host a client loses some, which are not the same of two.
            known = {stamp: values for stamp, _, values in original.samples}
            return [(values, known[stamp]) for stamp, _, values in stream.samples if stamp in known]

        read_all([original, stream], lambda: len(pairs()) > 50, "samples of the copy and of the original")
        assert all(copy == sample for copy, sample in pairs())
    assert running.process.wait(PATIENCE) == 0 and watch.wait(PATIENCE) == 0
    watch.stderr.close()


def test_an_imu_at_a_serial_line(daemon, feed, closing):
    """The example, which plays an Arduino."""
    imu = start_program(sys.executable, ROOT / "Examples/Feed/imu.py")
    try:
        with open(imu.stdout.readline().strip()) as line:
            running = feed(daemon, *ARM, "--rate", "100Hz", stdin=line)
        with subscribed(daemon) as stream:
            stream.until(lambda stream: len(stream.samples) > 200, "two seconds of it")
        assert resources(daemon)["accelerometer:arm"]["deviceIntervalNanoseconds"] == 10 * MILLISECOND
        assert all(sum(value * value for value in values) ** 0.5 == pytest.approx(9.81, abs=0.01) for _, _, values in stream.samples)
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert statistics.median(second - first for first, second in zip(stamps, stamps[1:])) == pytest.approx(10 * MILLISECOND, rel=0.2)
        assert not stream.losses
        # It is unplugged, which is the end of the lines.
        imu.kill()
        assert running.process.wait(PATIENCE) == 0
        until(lambda: resources(daemon)["accelerometer:arm"]["state"] == "unavailable", "the resource to go")
    finally:
        imu.kill()
        imu.communicate()


def post(port, body):
    """The status of the answer to a post."""
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}", data=body.encode(), timeout=PATIENCE).status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_a_phone(daemon, feed):
    """The example, which takes what an app posts."""
    port = free_port()
    phone = start_program(sys.executable, ROOT / "Examples/Feed/phone.py", port)
    try:
        running = feed(daemon, "location", "--name", "location:phone", stdin=phone.stdout)
        until(lambda: listens(port), "the example to listen")
        with subscribed(daemon, "location:phone") as stream:
            def words(age=0):
                return json.dumps({"_type": "location", "lat": 48.1374 - age, "lon": 11.5755, "alt": 519, "acc": 12, "vac": 3, "vel": 36,
                                   "tst": int(time.time()) - age})

            # What the app kept while it had no network is no news, and hides none.
            assert post(port, words(age=70)) == 200
            until(lambda: post(port, words()) == 200 and (stream.note_what_is_there() or stream.samples), "the location")
            location = stream.samples[0][2]
        assert abs(location.pop("utcMicroseconds") / 1e6 - time.time()) < PATIENCE
        assert location == {"fix": "3d", "latitudeDegrees": 48.1374, "longitudeDegrees": 11.5755, "altitudeMeters": 519,
                            # The app's radius has 68 of 100 positions, the broker's 95.
                            "horizontalErrorMeters": pytest.approx(19.5, abs=0.1), "verticalErrorMeters": pytest.approx(5.9, abs=0.1),
                            "speedMetersPerSecond": pytest.approx(10)}
        assert post(port, "{}") == 200 and post(port, "[]") == 400 and post(port, "nonsense") == 400
        running.stop()
    finally:
        phone.kill()
        phone.communicate()


def test_who_may_provide_what(daemon, feed):
    assert "[Feed gyroscope:arm]" in feed(daemon, "gyroscope", "--name", "gyroscope:arm").end(77)
    first = feed(daemon, *ARM)
    until(lambda: resources(daemon)["accelerometer:arm"]["state"] == "idle", "the first one")
    assert "accelerometer:arm is provided by process" in feed(daemon, *ARM).end(69)
    first.stop()


def test_a_command_reads_as_long_as_somebody_watches(daemon, feed, tmp_path):
    running = feed(daemon, *ARM, "--exec", "echo $$ > pid; while :; do echo 1,2,3; sleep 0.02; done", cwd=tmp_path, stdin=subprocess.DEVNULL)
    until(lambda: resources(daemon)["accelerometer:arm"]["state"] == "idle", "the resource")
    assert not (tmp_path / "pid").exists()
    assert "2" in sensorctl("watch", "accelerometer:arm", "--count", "3", broker=daemon)
    process = int((tmp_path / "pid").read_text())
    until(lambda: not lives(process), "the command to end")
    assert running.stop() == ""


def test_a_restart_of_the_daemon(host, feed):
    daemon = host()
    running = feed(daemon, *ARM)
    with subscribed(daemon) as stream:
        until(lambda: running.say("1,2,3") or stream.note_what_is_there() or stream.samples, "a sample")
    daemon.kill()
    # A line that was said last may not have been sent, which is noted first.
    until(lambda: "went away" in running.note(), "that note")
    daemon = host()
    assert "is back" in running.note()
    with subscribed(daemon) as stream:
        until(lambda: running.say("1,2,3") or stream.note_what_is_there() or stream.samples, "a sample")
    assert running.end() == ""
