"""What ends and comes back beside the service of the desktop: the broker, the bus, the service itself."""

import pathlib
import signal

import pytest

from tools.administration import admin, resources
from tools.commands import must
from tools.desktop import NAME, Desktop
from tools.desktopscene import WHEEL, bus, caller, scene, state, values  # noqa: F401  fixtures
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import PATIENCE, SENSORCTL
from tools.stream import Stream
from tools.waiting import until


def test_a_restart_of_the_broker_is_not_noticed(scene, bus, start, directory, caller):
    daemon, _ = scene(WHEEL)
    monitor = bus.program("gdbus", "monitor", "--system", "-d", NAME)
    monitor.until(lambda m: m.matches("is owned by"), "gdbus to listen")
    claimer = caller().claimed("Accelerometer").claimed("Light")
    for end in ("stop", "kill"):
        getattr(daemon, end)()
        before = len(values(claimer, "AccelerometerOrientation"))
        daemon = start(f"--mock={directory}/test.scenario")
        claimer.until(lambda c: len(values(c, "AccelerometerOrientation")) > before + 3, "orientations after it")
    assert "undefined" not in values(claimer, "AccelerometerOrientation")
    assert not monitor.matches("PropertiesChanged"), "a sensor was announced to have gone"


@pytest.mark.parametrize("kind, resource, claimed, presence", [
    # The one is in no list before it is found, the other is unavailable until then.
    ("illuminance", "light", "Light", "HasAmbientLight"),
    ("accel", "orientation", "Accelerometer", "HasAccelerometer"),
])
def test_a_sensor_that_a_restarted_broker_finds_late_is_not_noticed_either(
        bus, start, directory, closing, caller, kind, resource, claimed, presence):
    """A broker that was started anew has the sensors of another host some time after it has answered."""
    options = ["--type", kind, "--available", "5 10"]
    sensor = closing(Imu(*options))
    arguments = ["--iio", f"ip:127.0.0.1:{sensor.port}", "--gpsd", f"localhost:{free_port()}", "--state-directory", directory]
    daemon = start(*arguments)

    def is_found():
        return resources(daemon).get(resource, {}).get("state", "unavailable") != "unavailable"

    until(is_found, "the sensor")
    service = Desktop(bus, daemon.broker).serving()
    bus.programs.append(service)
    monitor = bus.program("gdbus", "monitor", "--system", "-d", NAME)
    monitor.until(lambda m: m.matches("is owned by"), "gdbus to listen")
    caller().claimed(claimed)
    daemon.kill()
    sensor.close()
    daemon = start(*arguments)
    until(lambda: not is_found(), "the broker to miss the sensor")
    until(lambda: service.process.pid in {client["processId"] for client in admin(daemon, "GetStatus")["clients"]}, "the service")
    closing(Imu(*options, "--port", str(sensor.port)))
    until(lambda: resources(daemon).get(resource, {}).get("state") == "active", "the sensor to be in use again")
    assert bus.get(presence) == "b true" and not monitor.matches(presence), "the sensor was announced to have gone"
    assert not service.matches("Groups="), service.lines


def test_an_orientation_without_a_tilt_is_announced(bus, start, directory, caller):
    path, recording = pathlib.Path(directory, "test.scenario"), f"{directory}/turns.ndjson"
    path.write_text(WHEEL)
    daemon = start(f"--mock={path}")
    must(SENSORCTL, "record", "orientation", recording, "--count", "5", broker=daemon)
    daemon.stop()
    daemon = start("--replay", recording)
    bus.programs.append(Desktop(bus, daemon.broker).serving())
    assert list(resources(daemon)) == ["orientation"] and bus.get("HasAccelerometer") == "b true"
    caller().claimed("Accelerometer").until(lambda c: values(c, "AccelerometerOrientation"), "an orientation")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_claims_outlive_the_service(bus, start, directory, caller, end):
    """As when its package is upgraded, or it dies: a program that never claims anew gets what it got before."""
    path, kept = pathlib.Path(directory, "test.scenario"), pathlib.Path(directory, "kept")
    path.write_text(WHEEL)
    kept.mkdir()
    daemon = start(f"--mock={path}")
    service = Desktop(bus, daemon.broker, directory=kept).serving()
    claimer, gone, released = caller().claimed("Accelerometer"), caller().claimed("Light"), caller().claimed("Light")
    released.call("ReleaseLight")
    released.until(lambda c: c.replies == 2, "the release")
    service.process.send_signal(end)
    service.process.wait(PATIENCE)
    gone.close()
    again = Desktop(bus, daemon.broker, directory=kept).serving()
    before = len(values(claimer, "AccelerometerOrientation"))
    claimer.until(lambda c: len(values(c, "AccelerometerOrientation")) > before + 3, "orientations from the new one")
    until(lambda: state(daemon, "light") != "active", "the claim of a program that has left to end")
    claimer.call("ReleaseAccelerometer")
    until(lambda: state(daemon, "accelerometer") != "active", "the sensor to be released")
    # Another bus has other programs, even if it gives them the same names.
    caller().claimed("Accelerometer")
    bus.stop()
    again.end()
    bus.start()
    last = Desktop(bus, daemon.broker, directory=kept).serving()
    caller().claimed("Light")
    assert state(daemon, "accelerometer") != "active"
    last.end()


def test_it_comes_back_with_the_bus(scene, bus, caller):
    daemon, service = scene(WHEEL)
    caller().claimed("Accelerometer")
    bus.stop()
    until(lambda: state(daemon, "accelerometer") != "active", "the claims to end with the bus")
    bus.start()
    until(lambda: bus.get("HasAccelerometer") == "b true", "the name on the new bus", lambda: service.lines)
    caller().claimed("Accelerometer").until(lambda c: len(c.signals) > 2, "signals on it")


def test_it_waits_for_a_broker_and_logs_what_it_waits_for(bus, directory, start):
    service = Desktop(bus, f"{directory}/io.sensorbroker.Broker").serving()
    assert bus.get("HasAccelerometer") == "b false"
    assert service.matches("there is no broker at .*; trying again")
    start("--mock")
    until(lambda: bus.get("HasAccelerometer") == "b true", "the sensors of the broker", lambda: service.lines)
    service.end()


def test_a_second_one_reports_who_may_have_the_name(scene, bus, start):
    daemon, _ = scene(WHEEL)
    second = Desktop(bus, daemon.broker)
    assert second.process.wait(PATIENCE) == 69
    until(lambda: second.matches("apt remove iio-sensor-proxy"), "what to do about it")


def test_while_nobody_claims_it_sleeps_and_the_sensor_is_closed(scene, caller):
    daemon, service = scene(WHEEL, "--speed", "1")
    caller().claimed("Light").close()
    until(lambda: state(daemon, "light") != "active", "the sensor to be released")
    # A second of something else passes, by the daemon's own clock.
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}) as stream:
        stream.until(lambda s: len(s.samples) > 3, "readings")
        before = service.wakeups
        stream.until(lambda s: len(s.samples) > 33, "more readings")
        # The list of resources may still tell that the light is warm, then idle, and what waits for memory on a busy host counts as
        # well; none of thirty readings wakes it.
        assert service.wakeups - before < 15
    assert {item["resource"]: item["state"] for item in admin(daemon, "GetStatus")["devices"]}["light"] != "active"
