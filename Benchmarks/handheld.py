"""The accelerometer of a handheld that the broker and iio-sensor-proxy take for one of the kernel's, in namespaces of a benchmark's own:
files, and a FIFO in the place of the kernel's buffer, as libiio, udev's library and iio-sensor-proxy see them.
"""

import os
import pathlib
import struct
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASE, PROXY = ROOT / ".build/release", ROOT / ".build/vm/proxy"
NODE = pathlib.Path("/dev/iio:device0")
DEVICE = pathlib.Path("/sys/devices/hid/iio:device0")
TRIGGER = pathlib.Path("/sys/devices/hid/trigger0")


# Where the tests' tools, whose code benchmarks share, find the programs: the release builds, or what NAME_BIN says.
PROGRAMS = {name: pathlib.Path(os.environ.setdefault(f"{name.upper().replace('-', '_')}_BIN", str(RELEASE / name)))
            for name in ("sensorbrokerd", "sensorbroker-desktop", "sensorbroker-mqtt")}
os.environ |= {"PROXY": str(PROXY), "HID_ACCELEROMETER": "", "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"}
sys.path[:0] = [str(ROOT / "Tests/VM"), str(ROOT / "Tests/System")]


def enter(*names):
    """Goes on in namespaces in which the device is, if there are iio-sensor-proxy and these programs of ours."""
    for program in (*map(PROGRAMS.get, names), PROXY / "usr/sbin/iio-sensor-proxy"):
        if not program.exists():
            sys.exit(f"There is no {program}: make release builds ours, Tests/VM/run fetches iio-sensor-proxy")
    if "INSIDE" not in os.environ:
        os.environ["INSIDE"] = "1"
        words = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvp("unshare", ["unshare", *words, sys.executable, *sys.argv])
    appear()


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def get(attribute):
    # libiio writes the NUL too. For a moment there is nothing, since a file is cut before it is written.
    return (DEVICE / attribute).read_text().strip("\0\n ")


def appear():
    """A HID accelerometer that both find: its files, what udev's rule says of it, and a node."""
    mount("--make-rprivate", "/")
    mount("-t", "tmpfs", "sys", "/sys")
    # The locks of a broker that serves the host's own devices are no concern of this one.
    mount("-t", "tmpfs", "run", "/run")
    for attribute, text in {
        "name": "accel_3d", "dev": "244:0", "uevent": "MAJOR=244\nMINOR=0\nDEVNAME=iio:device0\nDEVTYPE=iio_device",
        "in_accel_scale": "0.009806650", "in_accel_offset": 0, "in_accel_sampling_frequency": "10.000000",
        "current_timestamp_clock": "boottime", "trigger/current_trigger": "accel_3d-dev0",
        "buffer/enable": 0, "buffer/length": 2, "buffer/watermark": 1, "buffer/data_available": 0,
    }.items():
        put(DEVICE / attribute, text)
    for index, channel in enumerate(("accel_x", "accel_y", "accel_z", "timestamp")):
        put(DEVICE / f"scan_elements/in_{channel}_en", 0)
        put(DEVICE / f"scan_elements/in_{channel}_index", index)
        put(DEVICE / f"scan_elements/in_{channel}_type", "le:s64/64>>0" if channel == "timestamp" else "le:s32/32>>0")
        if channel != "timestamp":
            put(DEVICE / f"in_{channel}_raw", 0)
    put(TRIGGER / "name", "accel_3d-dev0")
    put(TRIGGER / "uevent", "")
    for directory in ("/sys/bus/iio/devices", "/sys/class", "/sys/dev/char", "/sys/.dev/shm"):
        os.makedirs(directory)
    for object in (DEVICE, TRIGGER):
        os.symlink("/sys/bus/iio", object / "subsystem")
        os.symlink(object, f"/sys/bus/iio/devices/{object.name}")
    os.symlink(DEVICE, "/sys/dev/char/244:0")
    put(pathlib.Path("/run/udev/data/c244:0"), "I:1\nE:IIO_SENSOR_PROXY_TYPE=iio-buffer-accel\nG:systemd\nQ:systemd\nV:1")
    put(pathlib.Path("/run/udev/control"), "")
    devices = pathlib.Path("/sys/.dev")
    for name in ("null", "zero", "random", "urandom"):
        (devices / name).touch()
        mount("--bind", f"/dev/{name}", str(devices / name))
    # For a receiver: pseudo-terminals of its own.
    (devices / "pts").mkdir()
    (devices / "ptmx").symlink_to("pts/ptmx")
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=0620", "devpts", str(devices / "pts"))
    os.mkfifo(devices / NODE.name)
    mount("--rbind", str(devices), "/dev")


class Chip:
    """Measures while its buffer is enabled, and obeys the commands of the hub in the virtual machine that are for it."""

    def __init__(self):
        self.scan, self.hertz = (0, 0, 0), 10.0
        self.node = os.open(NODE, os.O_RDWR | os.O_NONBLOCK)
        threading.Thread(target=self.run, daemon=True).start()

    def tell(self, command):
        verb, *words = command.split()
        if verb == "stats":
            return {"accel": round(1000 / self.hertz)}
        self.scan = tuple(int(word) for word in words[1:])
        return {}

    def reset(self):
        """As it was found."""
        put(DEVICE / "buffer/enable", 0)
        put(DEVICE / "in_accel_sampling_frequency", "10.000000")

    def run(self):
        due = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        while True:
            if get("buffer/enable") == "1":
                self.hertz = float(get("in_accel_sampling_frequency") or self.hertz)
                due += int(1e9 / self.hertz)
            else:
                due = time.clock_gettime_ns(time.CLOCK_BOOTTIME) + 5_000_000
            time.sleep(max(0, due - time.clock_gettime_ns(time.CLOCK_BOOTTIME)) / 1e9)
            try:
                if get("buffer/enable") == "1":
                    os.write(self.node, struct.pack("<iiiiq", *self.scan, 0, due))
                else:
                    os.read(self.node, 65536)
            except BlockingIOError:
                pass
