"""The examples of programs that are sensors, as they stand: an IMU on a serial line, and ModemManager on a bus of its own."""

import os
import pathlib
import select
import subprocess
import sys
import threading
import time

import pytest

from tools.daemon import die_with_parent
from tools.desktop import BUS
from tools.feeding import audience, fed  # noqa: F401  fixtures
from tools.programs import PATIENCE, ROOT
from tools.unixsockets import listening
from tools.waiting import until

from sensorbroker import Broker, Reading

EXAMPLES = ROOT / "Clients/python/examples"
# A modem with a receiver that has one fix a second while it is on, and tells what it was told.
MODEM = """
import time
from gi.repository import Gio, GLib
NAME, PATH = 'org.freedesktop.ModemManager1', '/org/freedesktop/ModemManager1'
XML = '''<node>
  <interface name="org.freedesktop.DBus.ObjectManager"><method name="GetManagedObjects"><arg direction="out" type="a{oa{sa{sv}}}"/></method></interface>
  <interface name="org.freedesktop.ModemManager1.Modem.Location">
    <method name="Setup"><arg direction="in" type="u"/><arg direction="in" type="b"/></method>
    <method name="GetLocation"><arg direction="out" type="a{uv}"/></method>
  </interface></node>'''
LOCATION = NAME + '.Modem.Location'
sources, count = 0, 0
def call(bus, sender, path, interface, method, parameters, invocation):
    global sources, count
    if method == 'GetManagedObjects':
        answer = GLib.Variant('(a{oa{sa{sv}}})', ({PATH + '/Modem/0': {LOCATION: {}}},))
    elif method == 'Setup':
        sources, _ = parameters.unpack()
        print('sources', sources, flush=True)
        # A modem takes a moment to switch its receiver.
        time.sleep(0.2)
        answer = None
    else:
        count += 1
        fix = {'utc-time': GLib.Variant('s', '%06d.00' % count), 'latitude': GLib.Variant('d', 48.5 + count),
               'longitude': GLib.Variant('d', -11.25), 'altitude': GLib.Variant('d', 500.5)}
        if count == 1:
            fix = {'utc-time': GLib.Variant('s', '000001.00')}
        answer = GLib.Variant('(a{uv})', ({2: GLib.Variant('a{sv}', fix)} if sources == 2 else {},))
    invocation.return_value(answer)
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
info = Gio.DBusNodeInfo.new_for_xml(XML)
bus.register_object(PATH, info.interfaces[0], call, None, None)
bus.register_object(PATH + '/Modem/0', info.interfaces[1], call, None, None)
Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
"""
# Debian's own Python, which has GLib's bindings.
DEBIANS = "/usr/bin/python3"


def has_bindings():
    return os.path.exists(DEBIANS) and subprocess.run([DEBIANS, "-c", "import gi.repository.Gio"], capture_output=True).returncode == 0


@pytest.fixture
def program(closing):
    """Starts a program that ends with the test; its lines are read."""
    class Program:
        def __init__(self, *command, **environment):
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent,
                env={**os.environ, "PYTHONPATH": str(ROOT / "Clients/python"), **environment})
            self.lines = []
            self.thread = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")), daemon=True)
            self.thread.start()

        def await_line(self, line, count=1):
            until(lambda: self.lines.count(line + "\n") >= count, line)

        def close(self):
            self.process.kill()
            self.process.wait()
            self.thread.join()
            self.process.stdout.close()

    return lambda *command, **environment: closing(Program(*command, **environment))


def await_resource(daemon, name):
    until(lambda: any(one.name == name and one.state == "idle" for one in Broker(daemon.broker).list()), name)


def test_an_imu_on_a_serial_line(fed, audience, program):
    daemon = fed()
    device, line = os.openpty()
    try:
        driver = program(sys.executable, EXAMPLES / "imu_serial.py", os.ttyname(line), "arm", SENSORBROKER_SOCKET=daemon.broker)
        await_resource(daemon, "gyroscope:arm")
        told = bytearray()

        def await_order(order):
            deadline = time.monotonic() + PATIENCE
            while not told.endswith(order):
                ready, _, _ = select.select([device], [], [], max(0, deadline - time.monotonic()))
                assert ready, f"no {order}: {told}"
                told.extend(os.read(device, 100))

        await_order(b"R0\n")
        reader = audience(daemon.broker, "accelerometer:arm", "gyroscope:arm", interval=None, rate=100)
        await_order(b"R100\n")
        os.write(device, b".81,1,2\n")
        sent = []
        for number in range(100):
            row = (number / 8, -1.5, 9.81, 0.25, 0.5, number / 16)
            # A line may come in pieces, and two at once.
            text = ",".join(map(str, row)).encode()
            os.write(device, text[:7])
            os.write(device, text[7:] + b"\r\n")
            sent.append(row)
            time.sleep(0.01)
        reader.await_that(lambda it: any(row[0] == 99 / 8 for _, row in it.rows("accelerometer:arm")), "the last sample")
        reader.await_that(lambda it: any(row[2] == 99 / 16 for _, row in it.rows("gyroscope:arm")), "the last sample")
        # The times are those of arrival, so that at 100 Hz some may be left out.
        accelerations, turns = (dict(reader.rows(f"{kind}:arm")) for kind in ("accelerometer", "gyroscope"))
        assert len(accelerations) > 50 and set(accelerations.values()) <= {row[:3] for row in sent}
        assert set(turns.values()) <= {row[3:] for row in sent}
        assert all(accelerations[stamp][0] == 2 * turns[stamp][2] for stamp in accelerations.keys() & turns.keys())
        reader.close()
        await_order(b"R0\n")
        # Nor does the device measure on when the program ends.
        audience(daemon.broker, "accelerometer:arm", interval=None, rate=100)
        await_order(b"R100\n")
        driver.process.terminate()
        await_order(b"R0\n")
        assert driver.process.wait(PATIENCE) == 0
    finally:
        os.close(device)
        os.close(line)


@pytest.mark.skipif(not has_bindings(), reason="there are no bindings of GLib (python3-gi): the example of ModemManager was not tried")
def test_the_position_of_a_modem(fed, audience, program, directory):
    daemon = fed()
    configuration = pathlib.Path(directory) / "bus.conf"
    configuration.write_text(BUS.format(f"{directory}/bus"))
    program("dbus-daemon", f"--config-file={configuration}", "--nofork")
    until(lambda: listening(f"{directory}/bus"), "the bus")
    bus = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={directory}/bus"}
    modem = program(DEBIANS, "-c", MODEM, **bus)
    modem.await_line("ready")
    driver = program(DEBIANS, EXAMPLES / "modemmanager.py", SENSORBROKER_SOCKET=daemon.broker, **bus)
    await_resource(daemon, "location:modem")
    assert "sources 2\n" not in modem.lines
    reader = audience(daemon.broker, "location:modem", interval=1)
    modem.await_line("sources 2")
    reader.await_that(lambda it: len(it.of(Reading)) >= 3, "positions")
    places = [reading.location for reading in reader.of(Reading)]
    assert places[0].fix == "none" and places[1].fix == "3d"
    assert [(place.latitude_degrees, place.longitude_degrees, place.altitude_meters) for place in places[1:3]] == [
        (50.5, -11.25, 500.5), (51.5, -11.25, 500.5)]
    reader.close()
    modem.await_line("sources 0")
    # Nor does the receiver stay on when the program ends.
    audience(daemon.broker, "location:modem", interval=1)
    modem.await_line("sources 2", 2)
    driver.process.terminate()
    modem.await_line("sources 0", 2)
    assert driver.process.wait(PATIENCE) == 0
