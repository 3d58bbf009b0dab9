"""Programs of the desktop, unchanged, with sensorbroker-desktop in the place of iio-sensor-proxy."""

import pathlib

import pytest

from tools import desktopclients
from tools.desktop import COMPASS, NAME, SENSORS
from tools.desktopscene import ORIENTATIONS, TURNS, WHEEL, bus, caller, clients, distinct, scene, state, values  # noqa: F401  fixtures
from tools.programs import BROKER, SENSORBROKER_DESKTOP
from tools.unixsockets import listening
from tools.waiting import until
from tools.wire import Connection


def test_monitor_sensor_shows_what_the_device_does(scene, bus, clients):
    scene(TURNS)
    monitor = desktopclients.monitor_sensor(bus)
    monitor.until(lambda m: m.matches("orientation changed: (.*)") == ORIENTATIONS, "all orientations")
    monitor.until(lambda m: m.matches(r"Light changed: (\S+) \(lux\)")[-1:] == ["7.000000"], "the light")
    monitor.until(lambda m: m.matches("Proximity value changed: (.)") == ["1", "0"], "the proximity")
    assert {"100.000000", "250.500000"} & set(monitor.matches(r"Light changed: (\S+)"))
    assert monitor.matches("=== Has (.*) \\(orientation|=== Has (proximity)")


@pytest.mark.parametrize("binding", ["PyQt5", "PyQt6"])
def test_qt_sees_what_the_device_does(scene, bus, clients, binding):
    daemon, _ = scene(TURNS)
    qt = desktopclients.qt(bus, binding)
    qt.until(lambda p: distinct(p.matches("QOrientationSensor (.*(?:Up|Down))"))[-4:] == ["TopUp", "RightUp", "TopDown", "LeftUp"],
             "all orientations")
    qt.until(lambda p: p.matches("QLightSensor (.*)")[-1:] == ["7.0"], "the light")
    qt.until(lambda p: p.matches("QCompass (.*)")[-1:] == ["42.0"], "the compass")
    assert set(qt.matches("starts True (.*)")) == {f"iio-sensor-proxy.{name}" for name in ("orientationsensor", "lightsensor", "compass")}
    qt.end()
    # Its claims end with it.
    until(lambda: state(daemon, "light") != "active", "the sensors to be released")


def test_mutter_claims_the_accelerometer_and_survives_a_restart(scene, bus, start, directory, clients):
    daemon, _ = scene(WHEEL)
    mutter = desktopclients.mutter(bus, directory)
    until(lambda: state(daemon, "accelerometer") == "active", "mutter's claim", lambda: mutter.lines)
    daemon.stop()
    again = start(f"--mock={directory}/test.scenario")
    until(lambda: state(again, "accelerometer") == "active", "the renewal of its claim", lambda: mutter.lines)
    assert mutter.process.poll() is None, mutter.lines
    mutter.end()
    until(lambda: state(again, "accelerometer") != "active", "the sensor to be released")


# Slow enough for Phosh, which looks at the light for some seconds before it follows it.
EVENING = """
[light]
Rates=5Hz
Samples=600
AtEnd=hold
"""


def test_phosh_follows_the_light_over_a_restart(scene, bus, start, directory, clients):
    daemon, _ = scene(EVENING)
    phosh = desktopclients.phosh(bus, directory)
    phosh.until(lambda p: p.matches("Ambient light changed: 600.* lux") and p.matches("Switching theme to hc: 1"), "more contrast")
    daemon.stop()
    pathlib.Path(directory, "test.scenario").write_text(EVENING.replace("600", "5"))
    start(f"--mock={directory}/test.scenario")
    phosh.until(lambda p: p.matches("Ambient light changed: 5.* lux") and p.matches("Switching theme to hc: 0")[-1:], "less contrast")


@pytest.mark.parametrize("client", [desktopclients.proxies, desktopclients.module])
def test_libraries_of_dbus_get_all_properties_of_what_they_claim(scene, bus, clients, client):
    daemon, _ = scene(TURNS)
    program = client(bus)
    program.until(lambda p: p.matches("AccelerometerOrientation (.*)")[-4:] == ORIENTATIONS, "all orientations")
    program.until(lambda p: p.matches("LightLevel (.*)")[-1:] == ["7.0"], "the light")
    program.until(lambda p: p.matches("ProximityNear (.*)")[-1:] in (["False"], ["0"]), "the proximity")
    program.until(lambda p: p.matches("CompassHeading (.*)")[-1:] == ["42.0"], "the heading")
    assert {"LightLevelUnit lux", "AccelerometerTilt vertical"} <= set(program.lines)
    program.end()
    until(lambda: all(state(daemon, name) != "active" for name in ("light", "proximity", "heading")), "the sensors to be released")


def test_geoclue_has_our_location_and_heading_and_keeps_them_over_restarts(scene, bus, start, directory, clients):
    daemon, _ = scene(TURNS)
    socket = f"{directory}/nmea"
    nmea = bus.program(SENSORBROKER_DESKTOP, "--nmea", "--listen", socket, environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(socket), "the socket", lambda: nmea.lines)
    _, where = desktopclients.geoclue(bus, socket)
    where.until(lambda w: w.matches(r"Latitude:\s+48\.117"), "our location")
    where.until(lambda w: w.matches(r"Heading:\s+42"), "our heading")
    # What geoclue says covers the error that the broker says, and is the next that it can say.
    with Connection(daemon.broker) as connection:
        error = connection.result(f"{BROKER}.Read", {"resource": "location"})["reading"]["location"]["horizontalErrorMeters"]
    accuracies = {float(text) for text in where.matches(r"Accuracy:\s+([0-9.]+)")}
    assert 3 < error <= 50 and accuracies == {50.0}
    daemon.stop()
    pathlib.Path(directory, "test.scenario").write_text(TURNS.replace("48.117300", "48.200000"))
    start(f"--mock={directory}/test.scenario")
    where.until(lambda w: w.matches(r"Latitude:\s+48\.(?:200|199)"), "the location after a restart of the broker")


def test_busctl_and_gdbus_see_a_well_formed_object_but_no_values(scene, bus, caller):
    scene(WHEEL)
    listing = bus.busctl("introspect", NAME, *SENSORS).stdout
    for line in ("ClaimAccelerometer method", "ReleaseProximity method", "AccelerometerTilt property s", "LightLevel property d"):
        assert all(word in listing for word in line.split()), listing
    assert "CompassHeading" in bus.busctl("introspect", NAME, *COMPASS).stdout
    monitor = bus.program("gdbus", "monitor", "--system", "-d", NAME)
    monitor.until(lambda m: m.matches("is owned by"), "gdbus to listen")
    claimer = caller().claimed("Accelerometer")
    claimer.until(lambda c: len(values(c, "AccelerometerOrientation")) >= 4, "signals to the one that claimed")
    assert not monitor.matches("PropertiesChanged")
