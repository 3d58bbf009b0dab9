"""`sensorctl feed` with a daemon: what is printed is what clients read."""

import json
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from tools.administration import resources
from tools.commands import sensorctl, start as start_program
from tools.feedcommand import feed, lives  # noqa: F401  a fixture
from tools.ports import free_port, listens
from tools.programs import PATIENCE, ROOT, SENSORCTL
from tools.stream import MILLISECOND, Stream, boot_nanoseconds, read_all
from tools.waiting import until

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
