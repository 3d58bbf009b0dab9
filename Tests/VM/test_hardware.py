"""docs/hardware.md, typed as it stands there: a chip that is declared and has no driver, its module, and its readings.

The chips are registers on a bus, and have no interrupts.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from tools import commands
from tools.programs import ROOT
from tools.waiting import until
from registers import WORD_DATA, Registers
from sensor import devices

BUSES = pathlib.Path("/sys/bus/i2c/devices")
TABLE = (ROOT / "Sources/Command/sensorctl/Doctor/ChipDriver.swift").read_text()
PAGE = (ROOT / "docs/hardware.md").read_text()

# What each chip answers: its identity, and one measurement.
CHIPS = {
    # The high byte first: 16384, -16384, 0 and 131, 0, 0.
    "mpu6050": (0x68, dict([(0x75, 0x68), *enumerate(bytes.fromhex("4000c0000000"), 0x3B),
                            *enumerate(bytes.fromhex("008300000000"), 0x43)])),
    # The low byte first.
    "lsm6ds3": (0x6A, dict([(0x0F, 0x69), *enumerate(bytes.fromhex("0040" "00c0" "0000"), 0x28),
                            *enumerate(bytes.fromhex("8300" "0000" "0000"), 0x22)])),
    # The calibration and one measurement of the data sheet's example.
    "bmp280": (0x76, dict([(0xD0, 0x58), *enumerate(bytes.fromhex("706b436718fc7d8e43d6d00b270b8c00f9ff8c3cf8c67017"), 0x88),
                           *enumerate(bytes.fromhex("655ac07eedfc00"), 0xF7)])),
    # Its conversion register, as a word with the high byte first.
    "ads1115": (0x48, {}),
}


def modprobe(*words):
    """As on the machine itself, whose modules lie elsewhere here."""
    return subprocess.run(["modprobe", "-d", str(ROOT / ".build/vm/kernel"), *words], check=True)


def modules():
    """The modules of the kernel that is here: their names, and the chips that they take."""
    version = os.uname().release
    lines = (ROOT / f".build/vm/kernel/lib/modules/{version}/modules.alias").read_text().splitlines()
    found = {}
    for _, alias, module in (line.split() for line in lines if line.startswith("alias i2c:")):
        found.setdefault(module.replace("-", "_"), set()).add(alias.removeprefix("i2c:"))
    return found


def findings(daemon):
    result = commands.run(commands.SENSORCTL, "doctor", "--format", "json", broker=daemon)
    return {item["subject"]: item for item in map(json.loads, result.stdout.splitlines())}


@pytest.fixture
def declare():
    """Puts a chip on the bus, as the page says; it goes with its test."""
    declared = []

    def put(name):
        address, registers = CHIPS[name]
        chip = Registers(address, registers.items())
        if name == "ads1115":
            chip.transfer(0, WORD_DATA, 0x0040)
        recipe = "echo lsm6ds3 0x6a | sudo tee /sys/bus/i2c/devices/i2c-1/new_device"
        assert recipe in PAGE
        line = recipe.replace("lsm6ds3 0x6a", f"{name} {address:#04x}").replace("i2c-1", f"i2c-{chip.bus}").replace("sudo ", "")
        commands.must("sh", "-c", line)
        declared.append((chip.bus, address))
        return f"{chip.bus}-{address:04x}"

    yield put
    for bus, address in declared:
        (BUSES / f"i2c-{bus}/delete_device").write_text(f"{address:#04x}")


@pytest.mark.parametrize("name, module, wanted", [
    ("mpu6050", "inv-mpu6050-i2c", {"accelerometer": ("x", 9.8), "gyroscope": ("x", 0.1396)}),
    ("lsm6ds3", "st_lsm6dsx_i2c", {"accelerometer": ("x", 9.8), "gyroscope": ("x", None)}),
    ("bmp280", "bmp280-i2c", {"pressure": ("value", 100_653), "temperature": ("value", 25.08)}),
    ("ads1115", "ti-ads1015", {"voltage": ("value", 1.024)}),
])
def test_a_chip_of_the_page(start, declare, name, module, wanted):
    subject = f"{declare(name)} ({name})"
    daemon = start("--gpsd", "localhost:1")
    if name != "bmp280":  # whose driver the machine has loaded
        finding = findings(daemon)[subject]
        assert finding["verdict"] == "note" and f"sudo modprobe {module}" in finding["remedy"], finding
        modprobe(module)
    until(devices, "the driver has the chip")
    assert subject not in findings(daemon)
    for resource, (channel, value) in wanted.items():
        line = commands.must(
            commands.SENSORCTL, "get", resource, "--wait", "--timeout", "60s", "--format", "json", broker=daemon)
        (reading,) = json.loads(line)["values"]["columns"][channel]
        assert value is None or reading == pytest.approx(value, rel=0.01), (resource, line)


def test_a_driver_that_refuses_a_chip_is_named(start, declare):
    modprobe("inv-mpu6050-i2c")
    _, registers = CHIPS["mpu6050"]
    identity, registers[0x75] = registers[0x75], 0
    try:
        subject = f"{declare('mpu6050')} (mpu6050)"
    finally:
        registers[0x75] = identity
    finding = findings(start("--gpsd", "localhost:1"))[subject]
    assert "does not take it" in finding["words"] and "dmesg" in finding["remedy"]


def test_the_table_is_what_this_kernel_has():
    rows = re.findall(r'Self\(\s*"([\w-]+)",\s*((?:"[^"]*"[\s+]*)+)', TABLE)
    assert len(rows) > 30
    here = modules()
    for module, text in rows:
        chips = set("".join(re.findall(r'"([^"]*)"', text)).split())
        taken = here.get(module.replace("-", "_"))
        # Not each kernel has each module, and a driver has learnt more chips since.
        assert taken is None or chips & taken, (module, chips - taken)
    assert sum(module.replace("-", "_") in here for module, _ in rows) > 25
