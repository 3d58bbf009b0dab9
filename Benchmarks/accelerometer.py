"""An IIO accelerometer in namespaces of its own, as libiio sees one: a device's files, and a FIFO in the place of its buffer.

usage: accelerometer.py HERTZ

Says "ready" when it is there; others enter with nsenter(1). Samples are stamped when they are due, x counts them, and the
watermark is kept, so that a reader is woken as often as by a kernel's buffer. What is left out of sysfs nobody here reads.
"""

import os
import pathlib
import struct
import subprocess
import sys
import time

DEVICE = pathlib.Path("/sys/bus/iio/devices/iio:device0")
NODE = pathlib.Path("/dev/iio:device0")
# m/s² of a step, where 16384 of them are one g.
SCALE = "0.000598550"
# What a write to a FIFO takes whole, or not at all.
MOST_SAMPLES = 4096 // 24


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def put(attribute, text):
    path = DEVICE / attribute
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")


def get(attribute):
    # libiio writes the NUL too. For a moment there is nothing, since this file is cut before it is written.
    return (DEVICE / attribute).read_text().strip("\0\n ")


def appear(hertz):
    mount("-t", "tmpfs", "sys", "/sys")
    # The locks of a broker that serves the host's own devices are no concern of this one.
    mount("-t", "tmpfs", "run", "/run")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for attribute, text in {
        "name": "accel_3d", "in_accel_scale": SCALE, "in_accel_sampling_frequency": hertz, "sampling_frequency_available": "100 1000",
        "current_timestamp_clock": "boottime", "trigger/current_trigger": "accel_3d-dev0",
        "buffer/enable": 0, "buffer/length": 2, "buffer/watermark": 1, "buffer/data_available": 0,
    }.items():
        put(attribute, text)
    for index, channel in enumerate(("accel_x", "accel_y", "accel_z", "timestamp")):
        put(f"scan_elements/in_{channel}_en", 0)
        put(f"scan_elements/in_{channel}_index", index)
        put(f"scan_elements/in_{channel}_type", "le:s64/64>>0" if channel == "timestamp" else "le:s32/32>>0")
        if channel != "timestamp":
            put(f"in_{channel}_raw", 0)
    # A directory of devices with little more than this one.
    devices = pathlib.Path("/sys/.dev")
    devices.mkdir()
    for name in ("null", "zero", "random", "urandom"):
        (devices / name).touch()
        mount("--bind", f"/dev/{name}", str(devices / name))
    os.mkfifo(devices / NODE.name)
    mount("--rbind", str(devices), "/dev")


def run():
    node = os.open(NODE, os.O_RDWR | os.O_NONBLOCK)
    number, made, due = 0, b"", now()
    while True:
        if get("buffer/enable") != "1":
            drain(node)
            time.sleep(0.005)
            made, due = b"", now()
            continue
        # Hardware keeps its pace, and so its stamps, however late this program may be woken.
        due += round(1e9 / float(get("in_accel_sampling_frequency") or 100))
        time.sleep(max(0, due - now()) / 1e9)
        number += 1
        # At rest, with some noise; prime factors, for the numbers to be as long as a sensor's.
        made += struct.pack("=iiiiq", number, number * 7919 % 601 - 300, 16384 + number * 7907 % 401 - 200, 0, due)
        if len(made) // 24 >= min(int(get("buffer/watermark") or 1), MOST_SAMPLES):
            try:
                os.write(node, made)
            except BlockingIOError:
                pass  # An overflow, which takes the newest as the kernel's does.
            made = b""


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def drain(node):
    try:
        while os.read(node, 65536):
            pass
    except BlockingIOError:
        pass


if sys.argv[2:] == ["inside"]:
    appear(int(sys.argv[1]))
    print("ready", flush=True)
    run()
else:
    # What it mounts must not be seen out here.
    os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--mount", "--net", sys.executable, __file__, sys.argv[1], "inside"])
