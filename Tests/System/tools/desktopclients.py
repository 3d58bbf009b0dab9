"""The desktop's programs that read sensors: how each is started, unchanged, and what it shows.

Most are Debian's own (`desktop.fetch`). Libraries are shown by the shortest program that uses them: Qt's plugin, GLib's proxy
objects, which GNOME, Phosh and Cinnamon have, and the D-Bus module of Python."""

import os
import pathlib
import socket
import threading

from tools.waiting import until

# How iio-sensor-proxy's words are called in Qt.
QT_WORDS = {"normal": "TopUp", "left-up": "LeftUp", "bottom-up": "TopDown", "right-up": "RightUp"}

QT = """
import importlib, sys
core, sensors = (importlib.import_module(f'{sys.argv[1]}.{name}') for name in ('QtCore', 'QtSensors'))
app = core.QCoreApplication(sys.argv)
reading = sensors.QOrientationReading
names = reading if hasattr(reading, 'TopUp') else reading.Orientation
words = {getattr(names, name): name for name in ('TopUp', 'TopDown', 'LeftUp', 'RightUp', 'FaceUp', 'FaceDown')}
kept = []
for kind, show in ((sensors.QOrientationSensor, lambda r: words.get(r.orientation())), (sensors.QLightSensor, lambda r: r.lux()),
                   (sensors.QCompass, lambda r: r.azimuth())):
    sensor = kind()
    sensor.readingChanged.connect(
        lambda sensor=sensor, show=show, kind=kind: print(kind.__name__, show(sensor.reading()), flush=True))
    print(kind.__name__, 'starts', sensor.start(), bytes(sensor.identifier()).decode(), flush=True)
    kept.append(sensor)
getattr(app, 'exec')()
"""

PROXIES = """
from gi.repository import Gio, GLib
name, path = 'net.hadess.SensorProxy', '/net/hadess/SensorProxy'
kept = []
for path, interface, sensors in ((path, name, ('Accelerometer', 'Light', 'Proximity')),
                                 (path + '/Compass', name + '.Compass', ('Compass',))):
    proxy = Gio.DBusProxy.new_for_bus_sync(Gio.BusType.SYSTEM, Gio.DBusProxyFlags.NONE, None, name, path, interface, None)
    def show(proxy, changed, invalidated):
        for key in changed.keys():
            print(key, proxy.get_cached_property(key).unpack(), flush=True)
    proxy.connect('g-properties-changed', show)
    proxy.connect('notify::g-name-owner', lambda proxy, _: print('owner', proxy.get_name_owner(), flush=True))
    for sensor in sensors:
        proxy.call_sync('Claim' + sensor, None, Gio.DBusCallFlags.NONE, -1, None)
    kept.append(proxy)
print('claimed', flush=True)
GLib.MainLoop().run()
"""

MODULE = """
import dbus, dbus.mainloop.glib
from gi.repository import GLib
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus, name, path = dbus.SystemBus(), 'net.hadess.SensorProxy', '/net/hadess/SensorProxy'
def show(interface, changed, invalidated):
    for key, value in changed.items():
        print(key, float(value) if isinstance(value, float) else str(value), flush=True)
bus.add_signal_receiver(show, 'PropertiesChanged', 'org.freedesktop.DBus.Properties', name)
for path, interface, sensors in ((path, name, ('Accelerometer', 'Light', 'Proximity')),
                                 (path + '/Compass', name + '.Compass', ('Compass',))):
    sensor = bus.get_object(name, path)
    for claim in sensors:
        getattr(sensor, 'Claim' + claim)(dbus_interface=interface)
print('claimed', flush=True)
GLib.MainLoop().run()
"""

GEOCLUE = """
[agent]
whitelist=geoclue-demo-agent
[network-nmea]
enable=true
nmea-socket={}
[3g]
enable=false
[cdma]
enable=false
[modem-gps]
enable=false
[wifi]
enable=false
url=http://localhost:1
submit-data=false
submission-url=http://localhost:1
submission-nick=geoclue
[compass]
enable=true
[geoclue-where-am-i]
allowed=true
system=false
users=
[geoclue-demo-agent]
allowed=true
system=true
users=
"""


def monitor_sensor(bus):
    return bus.client("stdbuf", "-oL", "monitor-sensor")


def qt(bus, binding="PyQt5"):
    return bus.client("/usr/bin/python3", "-c", QT, binding)


def proxies(bus):
    return bus.client("/usr/bin/python3", "-c", PROXIES)


def module(bus):
    return bus.client("/usr/bin/python3", "-c", MODULE)


def mutter(bus, directory):
    return bus.client(
        "dbus-run-session", "--", "mutter", "--headless", "--wayland", "--no-x11", "--virtual-monitor", "800x480",
        environment={"XDG_RUNTIME_DIR": str(directory), "GSETTINGS_BACKEND": "memory", "XDG_DATA_DIRS": "/usr/share"})


def phosh(bus, directory):
    """The shell of telephones, which turns to more contrast in bright light, if it is set so."""
    settings = pathlib.Path(directory, "settings")
    keyfile = settings / "glib-2.0/settings/keyfile"
    keyfile.parent.mkdir(parents=True)
    keyfile.write_text("[sm/puri/phosh]\nautomatic-high-contrast=true\nautomatic-high-contrast-threshold=uint32 200\n")
    return bus.client("dbus-run-session", "--", "phoc", "-E", "/usr/libexec/phosh", environment={
        "XDG_CONFIG_HOME": str(settings), "GSETTINGS_BACKEND": "keyfile", "XDG_DATA_DIRS": "/usr/share",
        "XDG_RUNTIME_DIR": str(directory), "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "G_MESSAGES_DEBUG": "phosh-ambient"})


def geoclue(bus, nmea):
    """geoclue and `where-am-i`; locations come from this socket."""
    files = {"geoclue/geoclue.conf": GEOCLUE.format(nmea)}
    service = bus.client("/usr/libexec/geoclue", "--timeout", "600", files=files, environment={"G_MESSAGES_DEBUG": "all"})
    until(lambda: "org.freedesktop.GeoClue2" in bus.busctl("list").stdout, "geoclue", lambda: service.lines)
    bus.client("/usr/libexec/geoclue-2.0/demos/agent", files=files)
    return service, bus.client("stdbuf", "-oL", "/usr/libexec/geoclue-2.0/demos/where-am-i", "-t", "600", files=files)


class Receiver:
    """A receiver that stands still, on a socket, once a second."""

    SENTENCES = [b"GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,",
                 b"GPRMC,123519,A,4807.038,N,01131.000,E,0.0,0.0,230394,,,A"]

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        os.chmod(path, 0o666)
        self.ends = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            connection, _ = self.listener.accept()
            while not self.ends.wait(1):
                for sentence in self.SENTENCES:
                    check = 0
                    for byte in sentence:
                        check ^= byte
                    connection.sendall(b"$%b*%02X\r\n" % (sentence, check))
        except OSError:
            # The socket was closed, here or there.
            return

    def close(self):
        self.ends.set()
        self.listener.close()
