"""Programs of the desktop, unchanged, with sensorbroker-desktop in the place of iio-sensor-proxy."""

import json
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from tools import desktop, desktopclients
from tools.administration import admin, device, resources
from tools.commands import must, run
from tools.descriptorstore import Service
from tools.desktop import COMPASS, NAME, SENSORS, Bus, Caller, Desktop
from tools.imu import Imu
from tools.ports import free_port
from tools.processes import processor_seconds
from tools.programs import BROKER, PATIENCE, SENSORBROKER_DESKTOP, SENSORCTL
from tools.stream import Stream
from tools.unixsockets import listening
from tools.users import ALICE, as_user, everybodys, let_everybody_in, needs_root
from tools.waiting import until
from tools.wire import Connection

# What the device does: it is turned once around, while light and proximity change.
TURNS = """
[accelerometer]
Rates=10Hz 50Hz
Motion=still for 500ms
Motion=rotate x by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 2s
Motion=rotate z by 90deg for 200ms
Motion=still for 10min
[light]
Rates=5Hz
Samples=100; 100; 100; 250.5; 250.5; 250.5; 250.5; 250.5; 250.5; 7
AtEnd=hold
[proximity]
Rates=5Hz
Samples=0 0; 0 0; 0 0; 0 0; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 1 1; 0 0; 0 0
AtEnd=hold
[heading]
Rates=5Hz
Samples=10; 20; 42
AtEnd=hold
[location]
Rates=1Hz
Position=48.117300, 11.516667, 545m
Noise=2m
"""
# A bus knows only users with an account.
NOBODY = pwd.getpwnam("nobody").pw_uid
ORIENTATIONS = ["normal", "right-up", "bottom-up", "left-up"]
# It never stops turning, so that something changes whenever a test looks.
WHEEL = """
[accelerometer]
Rates=10Hz 50Hz
Motion=rotate x by 90deg for 200ms
""" + 400 * "Motion=rotate z by 90deg for 200ms\nMotion=still for 300ms\n" + """
[light]
Rates=5Hz
Samples=5; 5; 5; 6; 6; 6
AtEnd=repeat
"""


@pytest.fixture(scope="session")
def clients():
    """Debian's programs."""
    reason = desktop.fetch()
    if not reason and run("unshare", "-m", "true").returncode:
        reason = "only root can show them their files: unshare -m"
    if reason:
        pytest.skip(f"NOT RUN: {reason}: the programs of the desktop were not tried")


@pytest.fixture
def bus(directory):
    bus = Bus(directory)
    yield bus
    bus.close()


@pytest.fixture
def scene(directory, start, bus):
    """Starts a daemon with a scenario and the desktop's service."""
    started = []

    def begin(text, *arguments):
        path = pathlib.Path(directory, "test.scenario")
        path.write_text(text)
        daemon = start(f"--mock={path}", *arguments)
        started.append(Desktop(bus, daemon.broker).serving())
        return daemon, started[0]

    yield begin
    for program in started:
        assert program.process.poll() is None, program.lines
        program.end()
        assert program.process.returncode == 0, program.lines


@pytest.fixture
def caller(bus):
    """Makes connections to the bus."""
    made = []

    def connect():
        made.append(Caller(bus.address))
        return made[-1]

    yield connect
    for each in made:
        each.close()


def values(caller, name):
    return [signal[name] for signal in caller.signals if name in signal]


def distinct(words):
    """Without repetitions."""
    return [word for index, word in enumerate(words) if index == 0 or word != words[index - 1]]


def state(daemon, resource):
    return device(daemon, resource)["state"]


# The real programs


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


# What iio-sensor-proxy's clients rely on


def test_a_claim_is_answered_with_a_measured_value_and_gets_signals_until_its_release(scene, bus, caller):
    daemon, _ = scene(TURNS)
    first = caller().claimed("Light")
    assert values(first, "LightLevel") and values(first, "LightLevelUnit")[0] == "lux"
    assert bus.get("LightLevel") != "d 0"
    first.call("ReleaseLight")
    first.until(lambda c: c.replies == 2, "the release")
    until(lambda: state(daemon, "light") != "active", "the sensor to be released")


def test_a_claim_without_a_sensor_is_answered_and_holds_when_it_comes(scene, bus, caller):
    daemon, _ = scene(WHEEL)
    listener = caller()
    listener.claimed("Proximity").claimed("Accelerometer")
    assert bus.get("HasProximity") == "b false"
    must(SENSORCTL, "--socket", daemon.admin, "mock", "unplug", "accelerometer")
    monitor = bus.program("gdbus", "monitor", "--system", "-d", NAME)
    listener.until(lambda c: values(c, "HasAccelerometer")[-1:] == [False] or bus.get("HasAccelerometer") == "b false", "the loss")
    assert bus.get("AccelerometerOrientation") == 's "undefined"'
    # What comes and goes is announced to all.
    monitor.until(lambda m: m.matches("is owned by"), "gdbus to listen")
    must(SENSORCTL, "--socket", daemon.admin, "mock", "replug", "accelerometer")
    # With its values; the first reading may be there before the broker's list is.
    monitor.until(lambda m: m.matches("'HasAccelerometer': <true>, 'AccelerometerOrientation': <'"), "its return")
    before = len(values(listener, "AccelerometerOrientation"))
    listener.until(lambda c: len(values(c, "AccelerometerOrientation")) > before, "orientations again, without another claim")


# The light goes just before: what comes at once after a change of the list is gathered, so that it never shows the loss of the other.
EAR = """
[proximity]
Rates=50Hz
Samples=""" + 150 * "1 1; " + """0 0
AtEnd=hold
[light]
Rates=5Hz
Samples=5
AtEnd=hold
[Events]
At=2950ms unplug light for 500ms
At=3s unplug proximity for 10ms
"""


def test_what_changed_while_a_sensor_was_away_for_a_moment_is_announced(scene, bus, caller):
    scene(EAR)
    claimer = caller().claimed("Proximity").claimed("Light")
    assert values(claimer, "ProximityNear") == [True]
    claimer.until(lambda c: values(c, "ProximityNear") == [True, False], "what is near no more")
    assert bus.get("ProximityNear") == "b false"


def test_several_hundred_claims_get_signals_and_end_with_their_programs(scene, caller):
    daemon, _ = scene(WHEEL)
    many = [caller() for _ in range(400)]
    for each in many:
        each.call("ClaimAccelerometer")
    for each in many:
        each.until(lambda c: c.replies == 1 and len(values(c, "AccelerometerOrientation")) >= 2, "signals")
    for each in many:
        each.close()
    until(lambda: state(daemon, "accelerometer") != "active", "the sensor to be released")


# A host that has no compass, but all that one follows from; in the end its top edge points to the east.
MOVED = """
[accelerometer]
Rates=100Hz
Motion=still for 3s
Motion=rotate z by -90deg for 2s
Motion=still for 10min
[gyroscope]
PartOf=accelerometer
[magnetometer]
Rates=25Hz
"""


def test_a_derived_heading_is_the_compass(scene, bus, caller):
    daemon, _ = scene(MOVED)
    assert bus.get("HasCompass", COMPASS) == "b true" and state(daemon, "magnetometer") == "idle"
    program = caller().claimed("Compass", COMPASS)
    program.until(lambda c: any(abs(heading - 90) < 3 for heading in values(c, "CompassHeading")[-1:]), "the east")
    assert state(daemon, "magnetometer") == "active"
    program.call("ReleaseCompass", COMPASS)
    until(lambda: state(daemon, "magnetometer") == "idle", "the sensors to be released")


def test_there_is_no_compass_before_the_magnetometer_is_calibrated(start, bus, directory):
    imu = Imu("--type", "accel,anglvel,magn", "--available", "25 50 100")
    try:
        daemon = start("--iio", f"ip:127.0.0.1:{imu.port}", "--gpsd", f"localhost:{free_port()}", "--state-directory", directory)
        until(lambda: resources(daemon).get("magnetometer", {}).get("description"), "the magnetometer's device")
        service = Desktop(bus, daemon.broker).serving()
        assert bus.get("HasCompass", COMPASS) == "b false"
        admin(daemon, "SetCalibration", resource="magnetometer", offset=[1.0, 2.0, 3.0], error=0.5)
        until(lambda: bus.get("HasCompass", COMPASS) == "b true", "a compass")
        admin(daemon, "ForgetCalibration", resource="magnetometer")
        until(lambda: bus.get("HasCompass", COMPASS) == "b false", "no compass")
        service.end()
    finally:
        imu.close()


def test_a_caller_without_end_is_refused_and_others_are_not_affected(scene, caller):
    scene(WHEEL)
    honest = caller().claimed("Accelerometer")
    flood = caller()
    for _ in range(3_000):
        flood.call("ClaimAccelerometer")
    flood.until(lambda c: c.replies + len(c.errors) == 3_000, "all replies")
    assert len(flood.errors) > 2_000
    before = len(honest.signals)
    honest.until(lambda c: len(c.signals) > before + 2, "signals")
    # Its one claim ends with one release, once it may call again.
    caller().claimed("Accelerometer")


def test_a_flood_that_expects_no_replies_takes_no_memory(scene, caller):
    _, service = scene(WHEEL)
    honest = caller().claimed("Accelerometer")
    before = service.most_memory
    floods = [caller() for _ in range(4)]
    for _ in range(5_000):
        for flood in floods:
            flood.call("ClaimAccelerometer", expects=False)
    # The bus delivers in order: once these are answered, the flood is over.
    for flood in floods:
        flood.call("ReleaseProximity")
        flood.until(lambda c: c.replies + len(c.errors) == 1, "the end of the flood")
    assert service.most_memory - before < 8_192
    before = len(honest.signals)
    honest.until(lambda c: len(c.signals) > before, "signals")


@needs_root
@pytest.mark.parametrize("sessions, answer", [
    ("", "refused"),
    # As logind has them of ssh and of cron: without a seat, and always active.
    ("SESSIONS=7\nSEATS=\nACTIVE_SESSIONS=7\nACTIVE_SEATS=\n", "refused"),
    ("SESSIONS=2\nSEATS=seat0\nACTIVE_SESSIONS=\nACTIVE_SEATS=\n", "refused"),
    ("SESSIONS=2 7\nSEATS=seat0\nACTIVE_SESSIONS=2 7\nACTIVE_SEATS=seat0\n", "permitted"),
], ids=["no session", "without a seat", "in the background", "at a seat"])
def test_only_a_user_at_a_seat_may_claim(start, bus, directory, caller, sessions, answer):
    daemon = start("--mock=phone")
    script = ('mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/users && printf "$1" > /run/systemd/users/$2 && exec "$3"')
    service = bus.program("unshare", "-m", "sh", "-c", script, "sh", sessions, str(NOBODY), SENSORBROKER_DESKTOP,
                          environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: bus.get("HasAmbientLight") == "b true", "the service", lambda: service.lines)
    bus.socket.chmod(0o666)
    bus.directory.chmod(0o755)
    with as_user(NOBODY):
        stranger = caller()
        stranger.call("ClaimLight")
        stranger.until(lambda c: c.errors or c.replies, "the answer")
    # EACCES: org.freedesktop.DBus.Error.AccessDenied
    assert (stranger.errors, stranger.replies) == (([13], 0) if answer == "refused" else ([], 1))


# Restarts


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


# NMEA


def test_nmea_is_served_only_while_somebody_reads_it(scene, bus, directory):
    daemon, _ = scene(TURNS)
    path = f"{directory}/nmea"
    nmea = bus.program(SENSORBROKER_DESKTOP, "--nmea", "--listen", path, environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket", lambda: nmea.lines)
    assert state(daemon, "location") in ("idle", "warm")
    reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
    reader.until(lambda r: len(r.matches(r"^\$GPRMC,.*,A,4807\.03\d{4},N,01131\.\d{6},E,")) > 1, "positions")
    assert reader.matches(r"^\$GPGGA,.*,1,\d*,10\.0,5\d\d")
    reader.end()
    until(lambda: state(daemon, "location") != "active", "the receiver to be released")


class NMEAService(Service):
    """The service of sensorbroker-nmea.socket, under a service manager that keeps its clients."""

    def __init__(self, directory, broker):
        os.mkdir(directory)
        super().__init__(directory)
        for _, listener in self.listening:
            listener.close()
        self.path = f"{directory}/nmea"
        self.listening = [("nmea", self.listen(self.path))]
        self.command = [SENSORBROKER_DESKTOP, "--nmea", "--socket", broker]


def test_a_connection_outlives_the_service_and_the_broker(scene, bus, start, directory):
    daemon, _ = scene(TURNS)
    service = NMEAService(f"{directory}/service", daemon.broker)
    try:
        service.start()
        reader = bus.program("socat", "-u", f"UNIX-CONNECT:{service.path}", "-")
        reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position")

        def more(what):
            count = len(reader.lines)
            reader.until(lambda r: len(r.lines) > count + 3, f"positions after {what}")

        service.restart()
        more("a restart of the service")
        service.restart(signal.SIGKILL)
        more("a crash of the service")
        daemon.stop()
        daemon = start(f"--mock={directory}/test.scenario")
        more("a restart of the broker")
        assert reader.process.poll() is None
        # No sentence was torn.
        assert not [line for line in reader.lines if not re.fullmatch(r"\$GP(GGA|RMC),.*\*[0-9A-F]{2}\r?", line)]
    finally:
        service.close()


def test_a_client_that_sends_no_more_is_let_go_of_by_all(scene, bus, directory):
    """As `socat -u` and `nc -N` do at the end of their input: the service manager that has the socket as well would not notice."""
    daemon, _ = scene(TURNS)
    service = NMEAService(f"{directory}/service", daemon.broker)
    try:
        service.start()
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(service.path)
            assert client.recv(1 << 16).startswith(b"$GP")
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass
        service.wait_for(lambda: not service.stored, "an empty store")
        assert service.wait() == 0
    finally:
        service.close()


def test_without_descriptors_it_waits_until_a_client_goes(scene, bus, directory):
    daemon, _ = scene(TURNS)
    path = f"{directory}/nmea"
    nmea = bus.program("prlimit", "--nofile=14", SENSORBROKER_DESKTOP, "--nmea", "--listen", path,
                       environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket", lambda: nmea.lines)
    clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    try:
        for client in clients:
            client.settimeout(PATIENCE)
            client.connect(path)
            # Before the others take the descriptor that the broker needs.
            if client is clients[0]:
                assert client.recv(1 << 16).startswith(b"$GP")
        before = processor_seconds(nmea.process.pid)
        time.sleep(2)
        assert processor_seconds(nmea.process.pid) - before < 1
        for client in clients[:15]:
            client.close()
        assert clients[-1].recv(1 << 16).startswith(b"$GP")
    finally:
        for client in clients:
            client.close()


def test_without_a_client_the_service_of_the_socket_ends(scene, bus, directory):
    daemon, _ = scene(TURNS)
    service = NMEAService(f"{directory}/service", daemon.broker)
    try:
        service.start()
        assert service.wait() == 0 and state(daemon, "location") in ("idle", "warm")
    finally:
        service.close()


@needs_root
def test_nmea_is_not_for_everybody(scene, bus, directory):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    path = f"{directory}/nmea"
    bus.program(SENSORBROKER_DESKTOP, "--nmea", "--listen", path, environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket")
    os.chmod(path, 0o666)
    stranger = bus.program("setpriv", "--reuid", str(ALICE), "--clear-groups", "socat", "-u", f"UNIX-CONNECT:{path}", "-")
    assert stranger.process.wait(PATIENCE) == 0
    assert stranger.lines == []


def test_a_client_that_reads_late_gets_the_positions_of_some_seconds(scene, bus, directory):
    daemon, _ = scene(TURNS, "--speed", "100")
    path = f"{directory}/nmea"
    nmea = bus.program(SENSORBROKER_DESKTOP, "--nmea", "--listen", path, environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket", lambda: nmea.lines)
    with socket.socket(socket.AF_UNIX) as late:
        late.connect(path)
        reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
        reader.until(lambda r: len(r.lines) > 200, "the positions of minutes")
        unread = late.recv(1 << 20).decode().splitlines()
        assert all(re.fullmatch(r"\$GP(GGA|RMC),.*\*[0-9A-F]{2}", line) for line in unread) and 2 <= len(unread) <= 40, unread


# Connects without end, as another user.
STRANGER = """
import os, socket, sys
os.setgroups([])
os.setuid(int(sys.argv[2]))
while True:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.setblocking(False)
        stranger.connect_ex(sys.argv[1])
"""


@needs_root
def test_a_stranger_who_connects_without_end_holds_up_nobody(scene, bus, directory):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    path = f"{directory}/nmea"
    nmea = bus.program(SENSORBROKER_DESKTOP, "--nmea", "--listen", path, environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket")
    os.chmod(path, 0o666)
    reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
    reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position")
    stranger = bus.program(sys.executable, "-c", STRANGER, path, str(ALICE))
    until(lambda: processor_seconds(stranger.process.pid) > 1, "the stranger to be busy")
    count = len(reader.lines)
    reader.until(lambda r: len(r.lines) > count + 4, "positions meanwhile")
    nmea.process.terminate()
    assert nmea.process.wait(PATIENCE) == 0


@needs_root
def test_a_user_with_many_connections_leaves_some_to_others(scene, bus, directory):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    os.mkdir(f"{directory}/alice")
    os.chown(f"{directory}/alice", ALICE, ALICE)
    path, alice = f"{directory}/alice/nmea", ("setpriv", "--reuid", str(ALICE), "--clear-groups")
    nmea = bus.program(*alice, everybodys(SENSORBROKER_DESKTOP), "--nmea", "--listen", path,
                       environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: listening(path), "the socket", lambda: nmea.lines)
    many = [socket.socket(socket.AF_UNIX) for _ in range(70)]
    try:
        for one in many:
            one.settimeout(PATIENCE)
            one.connect(path)
        assert many[0].recv(1 << 16).startswith(b"$GP") and many[-1].recv(1 << 16) == b""
        nmea.until(lambda p: p.matches("user 0 has as many connections for NMEA as it may have: 32"), "a word about it")
        reader = bus.program(*alice, "socat", "-u", f"UNIX-CONNECT:{path}", "-")
        reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position of another user")
    finally:
        for one in many:
            one.close()


def test_a_program_that_reads_a_serial_port_has_the_location(scene, bus, directory):
    """gpsd stands for all of them: navit and gpsbabel read from such a port, foxtrotgps and viking from gpsd."""
    daemon, _ = scene(TURNS)
    port, number = f"{directory}/gps", str(free_port())
    pipe = bus.program("sh", "-c", f"{SENSORCTL} watch location@1s --format nmea | socat -u - PTY,link={port},rawer",
                       environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: os.path.exists(port), "the port", lambda: pipe.lines)
    gpsd = bus.program("/usr/sbin/gpsd", "-N", "-n", "-S", number, port)
    until(lambda: run("gpspipe", "-w", "-n", "1", f"localhost:{number}").returncode == 0, "gpsd",
          lambda: gpsd.lines)
    watch = bus.program("stdbuf", "-oL", "gpspipe", "-w", f"localhost:{number}")
    watch.until(lambda w: len(w.matches(r'"class":"TPV".*"mode":3.*"lat":48\.117\d*,"lon":11\.516\d*')) > 2, "positions of gpsd")


@needs_root
def test_doctor_knows_what_geoclue_reads_after_its_configuration():
    script = """mount -t tmpfs tmpfs /etc && mkdir -p /etc/geoclue/conf.d && cd /etc/geoclue
        printf '[network-nmea]\\nenable=false\\n' > geoclue.conf
        printf '[network-nmea]\\nenable=true\\nnmea-socket=/run/sensorbroker/nmea.sock\\n' > conf.d/90-sensorbroker.conf
        exec "$0" doctor --format json"""
    findings = run("unshare", "-m", "sh", "-c", script, SENSORCTL).stdout.splitlines()
    [finding] = [finding for finding in map(json.loads, findings) if finding["subject"] == "geoclue"]
    assert finding["words"].startswith("is to read the location from /run/sensorbroker/nmea.sock"), finding


def test_the_commands_of_the_program():
    result = run(SENSORBROKER_DESKTOP, "--help")
    assert result.returncode == 0 and "--nmea" in result.stdout
    for words in (["--nothing"], ["--listen", "/x"], ["--socket"]):
        result = run(SENSORBROKER_DESKTOP, *words)
        assert result.returncode == 64 and result.stderr.startswith("sensorbroker-desktop: "), words
    result = run(SENSORBROKER_DESKTOP, "--nmea")
    assert result.returncode == 64 and "sensorbroker-nmea.socket" in result.stderr


def test_the_manual_describes_the_program():
    page = (desktop.ROOT / "docs/man/sensorbroker-desktop.8").read_text()
    usage = subprocess.run([SENSORBROKER_DESKTOP, "--help"], capture_output=True, text=True, check=True).stdout
    for option in set(re.findall(r"--([a-z]+)", usage)):
        assert f"Fl -{option}" in page, option
