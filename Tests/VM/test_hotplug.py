"""A device that is unplugged and returns."""

import os
import time

from sensor import DEVICES, SCALE, check_overflows
from tools.stream import Stream, boot_nanoseconds, read_all
from tools.waiting import until
from tools.wire import Connection

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def state(stream):
    return stream.states[-1][1]


def losses(stream):
    return sum(gap["cause"] == "deviceLost" for gap in stream.gaps)


def resources(daemon):
    connection = Connection(daemon.broker)
    listed = connection.result("io.sensorbroker.Broker.ListResources")["resources"]
    connection.close()
    return {item["name"]: item for item in listed}


def test_unplugged_and_plugged_again_twenty_times_under_load(sensor, daemon):
    load = {**REQUEST, "intervalNanoseconds": 1_000_000, "batchNanoseconds": 20_000_000}
    with Stream(daemon.broker, load) as stream, Stream(daemon.broker, {**REQUEST, "intervalNanoseconds": 0}) as tap:
        def reading_until(condition, what):
            # Both are read all the time: neither must become a slow client.
            read_all((stream, tap), condition, what)

        for _ in range(20):
            reading_until(lambda: stream.samples and state(stream) == "active", "the sensor")
            sensor.unplug()
            reading_until(lambda: state(stream) == "unavailable", "the loss")
            sensor.plug()
            count = len(stream.samples)
            reading_until(lambda: len(stream.samples) > count, "a sample of the sensor that is back")
        reading_until(lambda: losses(stream) == losses(tap) == 20, "all losses")
        for each in (stream, tap):
            # The first of the two had a buffer for its batches until the other came.
            causes = {gap["cause"] for gap in each.losses}
            assert causes - {"deviceOverflow"} <= {"deviceLost", "reconfigured"}
            check_overflows(each)


def test_a_sensor_that_returns_with_another_number_is_the_same_resource(plug, sensor, daemon):
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: stream.samples, "a first sample")
        former = sensor.id
        sensor.unplug()
        stream.until(lambda stream: state(stream) == "unavailable", "the loss")
        other = plug("B2")
        # The kernel gives the lowest free number, and keeps a number until the last reader of its device has closed it.
        until(lambda: other.id == former or other.plug_anew(), "the other sensor has the number of the first")
        other.tell("still 7 7 7")
        until(lambda: "accelerometer:1" in resources(daemon), "the other sensor is served under its own name")
        sensor.tell("still 1 2 3")
        sensor.plug()
        assert sensor.id != former
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 5, "samples of the sensor that is back")
        assert all(abs(values[0] - SCALE) < 1e-9 for _, _, values in stream.samples[count + 1 :])
        assert "serial A1" in stream.resources[-1]["description"]


def test_two_sensors_are_two_resources_each_with_its_own_readings(plug, start):
    first, second = plug("A1"), plug("B2")
    first.tell("still 100 0 0")
    second.tell("still 0 200 0")
    daemon = start("--gpsd", "localhost:1")
    until(lambda: "accelerometer:1" in resources(daemon), "both are served")
    with Stream(daemon.broker, REQUEST, {**REQUEST, "resource": "accelerometer:1"}) as stream:
        both = {"accelerometer", "accelerometer:1"}
        stream.until(lambda stream: {reading["resource"] for reading in stream.readings} == both, "samples of both")
        values = {reading["resource"]: reading["values"]["columns"] for reading in stream.readings}
        assert abs(values["accelerometer"]["x"][0] - 100 * SCALE) < 1e-9
        assert abs(values["accelerometer:1"]["y"][0] - 200 * SCALE) < 1e-9
        second.unplug()
        stream.until(lambda stream: stream.states[-1][:2] == ("accelerometer:1", "unavailable"), "the loss")
        count = len(stream.samples)
        stream.until(lambda stream: len(stream.samples) > count + 20, "further samples of the other")


def test_a_daemon_without_sensors_notices_the_first_one(plug, start):
    daemon = start("--gpsd", "localhost:1")
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: state(stream) == "unavailable", "that there is none")
        plug("A1")
        stream.until(lambda stream: stream.samples, "its first sample")


def test_a_default_that_matches_nothing_is_reported_with_the_sensors_present(plug, start, tmp_path):
    file = tmp_path / "default.conf"
    file.write_text("[Accelerometer]\nDefault=nosuch\n")
    plug("A1")
    daemon = start("--gpsd", "localhost:1", "--config", file)
    until(lambda: "accelerometer:1" in resources(daemon), "the other is served")
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: stream.states and "nosuch" in stream.states[-1][2] and "A1" in stream.states[-1][2],
                     "that it is not there, and what is")
        assert state(stream) == "unavailable" and "Default=" in stream.states[-1][2]
        plug("nosuch")
        stream.until(lambda stream: stream.samples, "a sample of it")


def test_watchers_of_the_list_see_an_idle_sensor_go_and_return(sensor, daemon):
    connection = Connection(daemon.broker)
    connection.send({"method": "io.sensorbroker.Broker.ListResources", "more": True})

    def await_state(state):
        while True:
            listed = connection.receive()["parameters"]["resources"]
            if any(item["name"] == "accelerometer" and item["state"] == state for item in listed):
                return

    await_state("idle")
    sensor.unplug()
    await_state("unavailable")
    sensor.plug()
    await_state("idle")
    connection.close()


def test_a_sensor_is_not_opened_before_udev_has_processed_it(sensor, start):
    """A slow udev, as far as a daemon can see it: by its files."""
    sensor.unplug()
    os.makedirs("/run/udev/data", exist_ok=True)
    record = None
    try:
        open("/run/udev/control", "w").close()
        daemon = start("--gpsd", "localhost:1")
        with Stream(daemon.broker, REQUEST) as stream:
            stream.until(lambda stream: state(stream) == "unavailable", "that there is none")
            sensor.tell("still 1 2 3")
            while True:
                count, plugged = len(stream.samples), boot_nanoseconds()
                sensor.plug()
                record = f"/run/udev/data/c{sensor.read('dev')}"
                # The time that a daemon without this wait would need.
                time.sleep(0.3)
                with open(record + ".new", "w") as file:
                    file.write("I:1\nE:ACCEL_MOUNT_MATRIX=0, 0, 1; 0, 1, 0; 1, 0, 0\n")
                recorded = boot_nanoseconds()
                os.rename(record + ".new", record)
                stream.until(lambda stream: len(stream.samples) > count, "a sample")
                first = stream.samples[count][0]
                if first >= recorded:
                    break
                # On a busy host all this took longer than the wait for udev: try again.
                assert first >= plugged + 1_500_000_000, "opened before udev had been there"
                sensor.unplug()
                os.unlink(record)
                stream.until(lambda stream: state(stream) == "unavailable", "its absence")
            x, y, z = stream.samples[-1][2]
            assert (round(x / SCALE), round(y / SCALE), round(z / SCALE)) == (3, 2, -1)
            assert "mount matrix from udev" in stream.resources[-1]["description"]
    finally:
        os.unlink("/run/udev/control")
        if record:
            os.unlink(record)


def test_late_permissions_are_waited_for(sensor, start, directory):
    """The node and the attributes belong to root for a moment after the sensor appears, until udev has processed it."""
    os.chown(directory, 1000, 1000)
    daemon = start("--gpsd", "localhost:1", prefix=["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"])
    with Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda stream: state(stream) == "unavailable", "that it may not be used")
        assert "may not use" in stream.states[-1][2] and "group" in stream.states[-1][2]
        device = DEVICES / sensor.id
        written = ["buffer*/*", "scan_elements/*_en", "*sampling_frequency", "current_timestamp_clock", "trigger/*"]
        for path in [f"/dev/{sensor.id}", *(str(path) for pattern in written for path in device.glob(pattern))]:
            os.chmod(path, 0o666)
        stream.until(lambda stream: stream.samples, "a sample")
