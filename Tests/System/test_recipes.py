"""Each recipe of docs/recipes.md, typed as it stands there."""

import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import sys
import threading
import types

import pytest

from tools import commands, container
from tools.programs import ROOT, SENSORBROKERD, SENSORCTL
from tools.ports import free_port
from tools.receiver import GPSD, Gpsd
from tools.road import drive

RECIPES = {heading: [re.sub("^    ", "", block, flags=re.MULTILINE) for block in re.findall(
    r"(?:^    .*\n(?:\n(?=    ))*)+", text, re.MULTILINE)] for heading, text in re.findall(
    r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", (ROOT / "docs/recipes.md").read_text(), re.MULTILINE | re.DOTALL)}


def needs(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}, so a recipe was not tried")


@pytest.fixture
def tmp_path(directory):
    """A folder with a short name: what is typed makes sockets in it."""
    return pathlib.Path(directory)


@pytest.fixture
def shell(tmp_path):
    """Types a block into a shell in a folder; returns the output."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, program in (("sensorctl", SENSORCTL), ("sensorbrokerd", SENSORBROKERD)):
        (programs / name).symlink_to(program)

    def run(block, **environment):
        result = commands.run(
            "bash", "-euo", "pipefail", "-c", block, cwd=tmp_path,
            environment={"PATH": f"{programs}:{os.environ['PATH']}", **environment})
        assert result.returncode == 0, (block, result)
        return result.stdout

    return run


def blocks(heading):
    return RECIPES[heading]


@needs("jq")
def test_the_strongest_acceleration(shell, daemon):
    (block,) = blocks("The strongest acceleration, with jq")
    assert 5 < float(shell(block, SENSORBROKER_SOCKET=daemon.broker)) < 50


@needs("jq")
def test_a_line_when_something_changes(shell, start):
    (block,) = blocks("A line when something changes, with jq")
    lines = shell(block, SENSORBROKER_SOCKET=start("--mock=phone").broker).splitlines()
    assert len(lines) == 2 and set(lines) <= {"it is dark", "it is bright"}


@needs("jq")
def test_how_far(shell, daemon, tmp_path):
    (block,) = blocks("How far a recording went, with jq")
    speed = float(shell(block, SENSORBROKER_SOCKET=daemon.broker))
    readings = [json.loads(line) for line in (tmp_path / "drive.ndjson").read_text().splitlines()]
    speeds = [line["location"]["speedMetersPerSecond"] for line in readings if "location" in line]
    assert len(speeds) == 4 and speed == pytest.approx(sum(speeds) / 4 * 3.6)


@needs("gnuplot")
def test_curves(shell, daemon, tmp_path):
    (block,) = blocks("Curves with gnuplot")
    shell(block, SENSORBROKER_SOCKET=daemon.broker)
    picture = (tmp_path / "shake.svg").read_text()
    assert all(f"<title>{axis}" in picture or f">{axis}<" in picture for axis in "xyz") and picture.count("<path") > 3


@needs("systemd-analyze")
def test_a_service(shell, start, tmp_path):
    (block,) = blocks("A service that logs a track")
    unit = tmp_path / "track.service"
    unit.write_text(block.replace("/usr/bin/sensorctl", SENSORCTL))
    # Each directive is known, and the program is there; the socket's unit belongs to the package.
    (tmp_path / "sensorbrokerd.socket").write_text((ROOT / "systemd/sensorbrokerd.socket").read_text())
    (tmp_path / "sensorbrokerd.service").write_text("[Service]\nExecStart=/bin/true\n")
    result = commands.run("systemd-analyze", "verify", "--man=no", unit, environment={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
    assert result.returncode == 0 and "track.service" not in result.stderr, result.stderr
    # Its command writes a table of the track, of a host that moves.
    daemon = start("--mock=city-drive")
    command = re.search(r"^ExecStart=/usr/bin/(.*)$", block, re.MULTILINE)[1]
    table = shell(f"{command} --count 2", SENSORBROKER_SOCKET=daemon.broker).splitlines()
    assert table[0].startswith("resource,sequence,") and len(table) == 3


@pytest.mark.skipif(not os.path.exists(GPSD), reason="gpsd is not installed: the recipe of another host's receiver was not tried")
def test_the_receiver_of_another_host(shell, road, tmp_path):
    block, configuration = blocks("The receiver of another host")
    way = road(itertools.cycle(list(itertools.islice(drive(), 40))))
    way.receiver.talking.set()
    address = way.option[way.option.index("--gpsd") + 1]
    assert "°" in shell(block.replace("boat.local:2947", address))
    (tmp_path / "boat.conf").write_text(configuration.replace("boat.local:2947", address))
    shown = shell("sensorbrokerd --check-config --config boat.conf")
    assert f"Gpsd={address}" in shown


@pytest.mark.skipif(not os.path.exists(GPSD), reason="gpsd is not installed: the recipe of a phone was not tried")
def test_a_phone(shell, start, directory, closing):
    setting, block = blocks("A phone as the receiver")
    # A phone's port is one of UDP; which one is free is as good as for TCP.
    address = re.search('DEVICES="(.*)"', setting)[1].replace("0.0.0.0:5000", f"127.0.0.1:{free_port()}")
    gpsd = closing(Gpsd(directory, types.SimpleNamespace(path=address)))
    daemon = start("--gpsd", f"127.0.0.1:{gpsd.port}", "--iio", f"ip:127.0.0.1:{free_port()}")
    end = threading.Event()

    def send():
        host, port = address.removeprefix("udp://").split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
            for epoch in drive():
                phone.sendto(epoch.encode(), (host, int(port)))
                if end.wait(0.2):
                    return

    phone = threading.Thread(target=send)
    phone.start()
    try:
        table = shell(block, SENSORBROKER_SOCKET=daemon.broker).splitlines()
    finally:
        end.set()
        phone.join()
    assert len(table) == 4 and table[0].startswith("resource,") and all(row.startswith("location,") for row in table[1:])


@needs("stty")
def test_an_arduino(shell, start, tmp_path):
    configuration, block, _ = blocks("An Arduino as an accelerometer")
    configuration = configuration.replace("robot", "root")
    (tmp_path / "arduino.conf").write_text(configuration)
    daemon = start("--mock", "--config", str(tmp_path / "arduino.conf"))
    imu = commands.start(sys.executable, ROOT / "Examples/Feed/imu.py")
    try:
        line = imu.stdout.readline().strip()
        shown = shell(
            block.replace("/dev/ttyUSB0", line).rstrip() + " &\nfeed=$!\n"
            "until sensorctl watch accelerometer:arduino --count 10 --format csv; do sleep 0.1; done\nkill $feed\nwait $feed\n",
            SENSORBROKER_SOCKET=daemon.broker).splitlines()
    finally:
        imu.kill()
        imu.communicate()
    assert len(shown) == 11 and all(float(row.split(",")[-1]) > 6 for row in shown[1:])


@needs("systemd-analyze")
def test_the_service_of_an_arduino(tmp_path):
    *_, block = blocks("An Arduino as an accelerometer")
    (tmp_path / "arduino.service").write_text(block.replace("/usr/bin/sensorctl", SENSORCTL))
    (tmp_path / "sensorbrokerd-feed.socket").write_text((ROOT / "systemd/sensorbrokerd-feed.socket").read_text())
    (tmp_path / "sensorbrokerd.service").write_text("[Service]\nExecStart=/bin/true\n")
    result = commands.run("systemd-analyze", "verify", "--man=no", tmp_path / "arduino.service",
                          environment={"SYSTEMD_UNIT_PATH": f"{tmp_path}:"})
    assert result.returncode == 0 and "arduino.service" not in result.stderr, result.stderr


@needs("bwrap")
def test_a_sandbox(shell, daemon):
    block, _ = blocks("In a sandbox or a container")
    attempt = commands.run("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true")
    if attempt.returncode != 0:
        pytest.skip(f"this host allows no namespaces ({attempt.stderr.strip()}): the recipe of a sandbox was not tried")
    assert "m/s²" in shell(block, SENSORBROKER_SOCKET=daemon.broker)


@pytest.mark.packages
def test_a_container(daemon, tmp_path):
    """The package's sensorctl, in an image's files with exactly the libraries that the recipe names: without its docker."""
    _, block = blocks("In a sandbox or a container")
    libraries = re.search(r"--no-install-recommends (.*)", block)[1].split()
    command = re.search(r"^ *sensors (sensorctl .*)", block, re.MULTILINE)[1].split()
    packages = sorted((ROOT / ".build/deb").glob("sensorbroker_*.deb"))
    if not packages:
        pytest.skip("NOT RUN: there is no package (make deb builds it), so the recipe of a container was not tried")
    commands.must("dpkg-deb", "-x", packages[-1], tmp_path / "package")
    image = container.image(libraries)

    def attempt(root):
        return container.run(root, {
            os.path.dirname(daemon.broker): "run/sensorbroker", tmp_path / "package/usr/bin/sensorctl": "usr/bin/sensorctl"},
            *command)

    result = attempt(image)
    assert result.returncode == 0 and "m/s²" in result.stdout, result
    # Each of them is needed.
    for library in libraries:
        with container.without(image, library) as root:
            result = attempt(root)
            assert result.returncode == 127 and "shared libraries" in result.stderr, (library, result)


def test_a_picture_for_a_document(shell, daemon, tmp_path):
    (block,) = blocks("A picture of a drive for a document")
    shell(block, SENSORBROKER_SOCKET=daemon.broker)
    assert (tmp_path / "track.svg").read_text().startswith("<svg") and (tmp_path / "drive.html").exists()


def test_each_recipe_has_a_test():
    with open(__file__, encoding="utf-8") as file:
        named = re.findall(r'blocks\("([A-Z].*?)"\)', file.read())
    assert set(named) == set(RECIPES)
