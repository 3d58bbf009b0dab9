"""iio-sensor-proxy on the host, as its package installs it, and a program of the desktop that claims the accelerometer there."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from host import attempt, run, show
from tools.waiting import until

# What Tests/VM/fetch has unpacked.
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / ".build/vm/proxy"
SERVICE = "iio-sensor-proxy.service"


@contextlib.contextmanager
def files():
    """Its files; systemd and udev know of them, as after dpkg."""
    if not PACKAGE.exists():
        pytest.skip("NOT RUN: iio-sensor-proxy could not be fetched")
    put = []
    for file in PACKAGE.rglob("*"):
        name = file.relative_to(PACKAGE)
        place = pathlib.Path("/") / name
        if file.is_dir() and not file.is_symlink() or place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place, follow_symlinks=False)
        put.append(place)
    changed()
    try:
        # Since 3.1 it asks polkit who may claim a sensor, and that is not here.
        if "polkit" in attempt("ldd", *PACKAGE.glob("usr/*/iio-sensor-proxy")).stdout:
            pytest.skip("NOT RUN: this iio-sensor-proxy needs polkit")
        yield
    finally:
        # udev starts it where there is a sensor.
        run("systemctl", "stop", SERVICE)
        for place in put:
            place.unlink()
        changed()


def changed():
    run("systemctl", "daemon-reload")
    run("udevadm", "control", "--reload")
    run("udevadm", "trigger", "--settle", "-s", "iio")


def log():
    """The end of its journal, since it was started."""
    invocation = show("InvocationID", SERVICE)
    return attempt("journalctl", "--no-pager", "-n", "20", f"_SYSTEMD_INVOCATION_ID={invocation}").stdout


@contextlib.contextmanager
def claim():
    """A program of the desktop, which has claimed the accelerometer on the system's bus."""
    run("systemctl", "start", "dbus.socket", "dbus.service")
    run("systemctl", "reload", "dbus.service")
    run("systemctl", "restart", SERVICE)
    with tempfile.NamedTemporaryFile() as file:
        program = subprocess.Popen(["monitor-sensor"], stdout=file, stderr=file)
        said = pathlib.Path(file.name).read_text
        try:
            until(lambda: "Has accelerometer" in said(), "iio-sensor-proxy to have the accelerometer",
                  lambda: said() + log())
            yield
        finally:
            program.kill()
            program.wait()
