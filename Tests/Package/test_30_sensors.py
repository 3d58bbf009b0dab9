"""Everything works inside the sandbox: buffers, hot-plug, gpsd, and programs of other users side by side."""

import itertools
import json
import subprocess

import pytest

from host import eventually, identity, owner, run, show
from tools.nmea import Drive
from tools.receiver import Receiver
from sensor import assert_all_told
from tools.stream import Stream


def request(hertz):
    return {"resource": "accelerometer", "intervalNanoseconds": int(1e9 / hertz)}


def test_an_accelerometer_is_captured_by_its_buffer(broker, sensor):
    with Stream(broker, request(100)) as stream:
        stream.until(lambda stream: len(stream.samples) > 50, "readings")
        assert sensor.read("buffer/enable") == "1"
        assert "buffered by trigger" in stream.resources[-1]["description"], stream.resources
        assert sensor.tell("stats")["interval"] == 10, "the rate was not set"
        assert_all_told(stream)


def test_a_replugged_sensor_is_served_again_and_everything_is_reported(broker, sensor):
    with Stream(broker, request(100)) as stream:
        stream.until(lambda stream: stream.samples, "a reading")
        for _ in range(2):
            sensor.unplug()
            stream.until(lambda stream: stream.states[-1][1] == "unavailable", "word of its absence")
            count = len(stream.samples)
            sensor.plug()
            assert owner(f"/dev/{sensor.id}")[2] in ("iio", "root")
            stream.until(lambda stream: len(stream.samples) > count + 10, "readings after its return")
        assert owner(f"/dev/{sensor.id}") == ("0o660", "root", "iio")
        assert [gap["cause"] for gap in stream.gaps if gap["cause"] != "slowClient"].count("deviceLost") >= 2, stream.gaps


def test_programs_of_several_users_stream_at_once_and_are_identified(broker, sensor):
    watches = [subprocess.Popen(["sensorctl", "watch", "accelerometer", "--rate", rate, "--format", "csv"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **who)
               for rate, who in (("50Hz", {}), ("20Hz", identity("alice")), ("10Hz", identity("alice")))]
    try:
        users = eventually(lambda: streaming_users(3), "three clients")
        assert users == sorted([0, identity("alice")["user"], identity("alice")["user"]])
        for watch in watches:
            assert all(watch.stdout.readline().count(",") > 3 for _ in range(5))
    finally:
        for watch in watches:
            watch.kill()
            watch.communicate()


def streaming_users(count):
    clients = json.loads(run("sensorctl", "status", "--format", "json"))["clients"]
    users = sorted(client["userId"] for client in clients if client["resources"])
    return users if len(users) == count else None


@pytest.fixture
def gpsd():
    """The host's gpsd, as its package starts it, with a receiver."""
    drive = Drive(interval=0.5)
    receiver = Receiver(map(drive.epoch, itertools.count()), 0.5)
    with open("/etc/default/gpsd") as file:
        former = file.read()
    with open("/etc/default/gpsd", "w") as file:
        file.write(f'DEVICES="{receiver.path}"\nGPSD_OPTIONS=""\n')
    receiver.talking.set()
    run("systemctl", "start", "gpsd.socket")
    yield receiver
    run("systemctl", "stop", "gpsd.socket", "gpsd.service")
    receiver.close()
    with open("/etc/default/gpsd", "w") as file:
        file.write(former)


def test_gpsd_on_this_host_gives_the_location_and_may_be_restarted(broker, gpsd):
    restarts = show("NRestarts")
    with Stream(broker, {"resource": "location", "intervalNanoseconds": 0}) as stream:
        stream.until(lambda stream: len(stream.samples) > 2, "locations")
        assert abs(stream.samples[-1][2]["latitudeDegrees"]) <= 90
        run("systemctl", "restart", "gpsd.socket", "gpsd.service")
        count = len(stream.states)
        stream.until(lambda stream: any(state == "unavailable" for _, state, _ in stream.states[count - 1:]), "its absence")
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 2, "locations of the new one")
    assert show("NRestarts") == restarts
