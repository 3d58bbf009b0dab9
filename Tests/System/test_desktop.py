"""What the clients of iio-sensor-proxy rely on, kept by sensorbroker-desktop in its place."""

import json
import pwd
import re
import subprocess

import pytest

from tools import desktop
from tools.administration import admin, resources
from tools.commands import must, run
from tools.desktop import COMPASS, NAME, Desktop
from tools.desktopscene import TURNS, WHEEL, bus, caller, scene, state, values  # noqa: F401  fixtures
from tools.imu import Imu
from tools.ports import free_port
from tools.programs import SENSORBROKER_DESKTOP, SENSORCTL
from tools.users import as_user, needs_root
from tools.waiting import until

# A bus knows only users with an account.
NOBODY = pwd.getpwnam("nobody").pw_uid


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
