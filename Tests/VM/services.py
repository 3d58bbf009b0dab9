"""iio-sensor-proxy and sensorbroker-desktop, started in the same way, and what tests ask of both."""

import os
import pathlib
import tempfile

import pytest

import proxy
from hub import Hub
from sensor import DEVICES, devices
from tools import desktop
from tools.daemon import Daemon
from tools.desktop import Caller, Desktop, Program
from tools.waiting import until

# In milli-g, as the hub sends them, and what iio-sensor-proxy calls them.
POSITIONS = [("0 -1000 0", "normal"), ("1000 0 0", "left-up"), ("0 1000 0", "bottom-up"), ("-1000 0 0", "right-up"), ("0 -1000 0", "normal")]


class Theirs:
    """iio-sensor-proxy with a udev of its own."""

    name = "iio-sensor-proxy 3.0"

    def __init__(self, bus, udev):
        self.bus = bus
        for device in (DEVICES / name for name in devices()):
            if (device / "name").read_text().strip() in ("accel_3d", "als", "magn_3d"):
                record = pathlib.Path(f"/run/udev/data/c{(device / 'dev').read_text().strip()}")
                until(lambda: record.exists() and "IIO_SENSOR_PROXY_TYPE" in record.read_text(), "udev has been there")
        self.start()

    def start(self):
        self.program = Program(proxy.PROGRAMS[0], environment={
            "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address, "LD_LIBRARY_PATH": f"{proxy.ROOT}/usr/lib/x86_64-linux-gnu"})
        self.processes = [self.program.process.pid]
        until(lambda: self.bus.get("HasAccelerometer") == "b true", "iio-sensor-proxy", lambda: self.program.lines)

    def upgrade(self, meanwhile):
        """What owns the devices is stopped, and started again after something has happened."""
        self.program.end()
        meanwhile()
        self.start()

    def close(self):
        self.program.end()


class Ours:
    """sensorbroker-desktop, with a broker that owns the sensors."""

    name = "sensorbroker-desktop"

    def __init__(self, bus, udev):
        self.bus = bus
        self.directory = tempfile.mkdtemp(prefix="sb-")
        self.kept = tempfile.mkdtemp(prefix="kept-")
        self.start()
        self.serve()
        self.processes = [self.daemon.pid, self.program.process.pid]

    def start(self):
        self.daemon = Daemon(self.directory, "--gpsd", "localhost:1").await_ready()

    def serve(self):
        self.program = Desktop(self.bus, self.daemon.broker, directory=self.kept)
        until(lambda: self.bus.get("HasAccelerometer") == "b true", "sensorbroker-desktop", lambda: self.program.lines)

    def upgrade(self, meanwhile):
        """What owns the devices is stopped, and started again after something has happened."""
        self.daemon.stop()
        self.daemon.close()
        meanwhile()
        self.start()

    def upgrade_service(self, meanwhile):
        """The same with what is on the bus, while the broker serves on."""
        self.program.end()
        meanwhile()
        self.serve()

    def close(self):
        self.program.end()
        self.daemon.stop()
        self.daemon.close()


@pytest.fixture(scope="module")
def udev():
    udev = proxy.Udev()
    yield udev
    udev.close()


@pytest.fixture
def hub(udev):
    hub = Hub()
    yield hub
    hub.close()


def caller(service):
    """A program that listens to all signals of the service, as a proxy object does."""
    made = Caller(service.bus.address)
    service.callers.append(made)
    rule = f"type='signal',sender='{desktop.NAME}',interface='org.freedesktop.DBus.Properties'"
    desktop.check(desktop.SD_BUS.sd_bus_add_match(made.bus, None, rule.encode(), None, None))
    return made


def answered(caller, method, where=desktop.SENSORS):
    """How a call is answered: nothing, or the error."""
    replies, errors = caller.replies, len(caller.errors)
    caller.call(method, where)
    caller.until(lambda c: c.replies > replies or len(c.errors) > errors, f"the answer to {method}")
    return "answered" if caller.replies > replies else f"refused ({os.strerror(caller.errors[-1])})"


def refused(service, *words):
    """The error with which a call is refused, as a program sees its name."""
    call = service.bus.program("gdbus", "call", "--system", "-d", desktop.NAME, "-o", desktop.SENSORS[0], "-m", *words)
    error = r"org\.freedesktop\.DBus\.Error\.(\w+)"
    call.until(lambda c: c.matches(error), "the refusal")
    return f"`{call.matches(error)[0]}`"


def orientations(caller, among=None):
    """The orientations in a caller's first signals, or in all."""
    return [signal["AccelerometerOrientation"] for signal in caller.signals[:among] if "AccelerometerOrientation" in signal]


def turn(hub, listener, position, word):
    hub.tell(f"set accel {position}")
    listener.until(lambda c: orientations(c)[-1:] == [word], word)
