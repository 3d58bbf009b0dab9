#!/usr/bin/env python3
"""Runs a command in namespaces of its own where sysfs holds IIO devices without buffers; needs no root.

usage: fakedevices.py DEVICES.json -- COMMAND...

DEVICES.json: {"iio:device0": {"at": "i2c-1/1-0040", "files": {"name": "ina226", "in_voltage0_raw": "40"},
"udev": {"ACCEL_LOCATION": "base"}}}. `at` is the path of the device that has it, below /sys/devices; without it, they lie in the
order of their numbers. `udev` is what udev knows of it; without it, no udev has seen it.
"""
import json, os, subprocess, sys


def enter():
    """Starts this program again inside new user, mount and process namespaces."""
    os.environ["FAKEDEVICES_INSIDE"] = "1"
    # A network of its own, too: locks on hardware are sockets there, and another broker may use the sensors of an iiod.
    flags = ["--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"]
    os.execvp("unshare", ["unshare", *flags, sys.executable, *sys.argv])


def mount(path):
    os.makedirs(path, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", path], check=True)


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text + "\n")


def build(devices):
    mount("/sys")
    # What udev knows is read from here; an ordinary user's /run may have no place for it.
    mount("/run")
    os.makedirs("/sys/bus/iio/devices")
    for number, (name, device) in enumerate(devices.items()):
        path = f"/sys/devices/{device.get('at', f'platform/{number:03}')}/{name}"
        for file, text in device["files"].items():
            put(f"{path}/{file}", text)
        put(f"{path}/dev", f"240:{number}")
        os.symlink(path, f"/sys/bus/iio/devices/{name}")
        if "udev" in device:
            put(f"/run/udev/data/c240:{number}", "\n".join(f"E:{key}={value}" for key, value in device["udev"].items()))


def main():
    if not os.environ.get("FAKEDEVICES_INSIDE"):
        enter()
    place = sys.argv.index("--")
    with open(sys.argv[place - 1]) as file:
        build(json.load(file))
    sys.exit(subprocess.run(sys.argv[place + 1:]).returncode)


if __name__ == "__main__":
    main()
