"""The real iio-sensor-proxy, with a udev and a message bus of its own, and what it says of an accelerometer."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from tools.unixsockets import listening
from tools.waiting import until


ROOT = pathlib.Path(os.environ.get("PROXY", "nowhere"))
UDEVD = pathlib.Path("/lib/systemd/systemd-udevd")
PROGRAMS = [ROOT / "usr/sbin/iio-sensor-proxy", ROOT / "usr/bin/monitor-sensor", UDEVD, pathlib.Path("/usr/bin/udevadm"),
            pathlib.Path("/usr/bin/dbus-daemon"), pathlib.Path("/usr/bin/busctl")]
MISSING = [str(program) for program in PROGRAMS if not program.exists()]
OBJECT = ["net.hadess.SensorProxy", "/net/hadess/SensorProxy", "net.hadess.SensorProxy"]
SAID = re.compile(r"Accel read from IIO on .*: (-?\d+), (-?\d+), (-?\d+) ")

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>
  <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
  <allow eavesdrop="true"/></policy>
</busconfig>
"""


class Udev:
    """systemd-udevd with iio-sensor-proxy's rule, and one that says how accelerometers are mounted."""

    def __init__(self):
        self.rules = pathlib.Path("/run/udev/rules.d")
        self.matrix = pathlib.Path(tempfile.mkdtemp()) / "matrix"
        self.mount(None)
        self.rules.mkdir(parents=True)
        shutil.copy(ROOT / "lib/udev/rules.d/80-iio-sensor-proxy.rules", self.rules)
        (self.rules / "61-matrix.rules").write_text(f'SUBSYSTEM=="iio", KERNEL=="iio:device*", IMPORT{{file}}="{self.matrix}"\n')
        self.process = subprocess.Popen([UDEVD], stderr=subprocess.DEVNULL)
        # It hears of devices a moment after its socket is there.
        until(lambda: subprocess.run(["udevadm", "control", "--ping"], stderr=subprocess.DEVNULL).returncode == 0, "udev is there")

    def mount(self, matrix):
        """What the hardware database says of what is plugged in from now on."""
        self.matrix.write_text(f"ACCEL_MOUNT_MATRIX={matrix}\n" if matrix else "")

    def settle(self, sensor):
        """Waits until the rules were applied to a sensor."""
        record = pathlib.Path(f"/run/udev/data/c{sensor.read('dev')}")
        until(lambda: record.exists() and "IIO_SENSOR_PROXY_TYPE" in record.read_text(), "udev has been there")

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree("/run/udev")
        shutil.rmtree(self.matrix.parent)


class Proxy:
    """iio-sensor-proxy, and a client that has it follow the accelerometer."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        socket = self.directory / "bus"
        (self.directory / "bus.conf").write_text(BUS.format(socket))
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={socket}", "G_MESSAGES_DEBUG": "all",
                                         "LD_LIBRARY_PATH": f"{ROOT}/usr/lib/x86_64-linux-gnu"}
        self.log = (self.directory / "log").open("w+")
        self.bus = subprocess.Popen(["dbus-daemon", "--nofork", f"--config-file={self.directory}/bus.conf"])
        until(lambda: listening(str(socket)), "the bus is there")
        self.proxy = self.start(PROGRAMS[0], "-v")
        until(lambda: self.ask("HasAccelerometer") == "b true", "iio-sensor-proxy has the accelerometer")
        self.client = self.start(PROGRAMS[1])

    def start(self, *words):
        return subprocess.Popen([str(word) for word in words], stdout=self.log, stderr=self.log, env=self.environment)

    def ask(self, name):
        """A property; nothing where there is nobody yet to ask."""
        result = subprocess.run(
            ["busctl", f"--address={self.environment['DBUS_SYSTEM_BUS_ADDRESS']}", "get-property", *OBJECT, name],
            capture_output=True, text=True)
        return result.stdout.strip()

    def readings(self):
        """What it has read, as the sensor sends it."""
        self.log.flush()
        text = (self.directory / "log").read_text(errors="replace")
        return [tuple(int(number) for number in found) for found in SAID.findall(text)]

    def orientation(self, position):
        """What it says once it has read a position: it answers after it has dealt with what it read."""
        before = len(self.readings())
        until(lambda: position in self.readings()[before:], "iio-sensor-proxy has read the position")
        return self.ask("AccelerometerOrientation").removeprefix('s "').removesuffix('"')

    def close(self):
        for process in (self.client, self.proxy, self.bus):
            process.terminate()
            process.wait()
        self.log.close()
        shutil.rmtree(self.directory)
