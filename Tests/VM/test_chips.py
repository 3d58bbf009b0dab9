"""Chips on a bus of registers: an IMU that is one device with two kinds, weather sensors whose drivers give no counts, and a
power monitor."""

import errno
import fcntl
import os
import pathlib

import pytest

from tools.programs import BROKER
from registers import WORD_DATA, Registers
from sensor import DEVICES, devices
from tools.stream import Stream, samples_of, scans_of
from tools.waiting import until
from tools.wire import Connection

BMI160 = {0x00: 0xD1, 0x12: 0x10, 0x13: 0x20, 0x0C: 0x01, 0x0D: 0x02, 0x03: 0x14, 0x40: 0x28, 0x41: 0x03, 0x42: 0x28, 0x43: 0x00}
# The calibration and one measurement of the data sheet's example.
BMP280 = dict([(0xD0, 0x58), *enumerate(bytes.fromhex("706b436718fc7d8e43d6d00b270b8c00f9ff8c3cf8c67017"), 0x88),
               *enumerate(bytes.fromhex("655ac07eedfc00"), 0xF7)])
# The same with a calibration and a measurement of humidity.
BME280 = {**BMP280, 0xD0: 0x60, 0xA1: 75, **dict(enumerate(bytes.fromhex("6a01001329031e"), 0xE1)), 0xFD: 0x75, 0xFE: 0x30}
# Words: the voltages at the shunt (2.5 µV) and of the bus, power, current, and that a conversion is ready.
INA226 = {0x01: 4_000, 0x02: 9_600, 0x03: 0x10, 0x04: 1_234, 0x06: 0x0008}
# A count of 60, the high byte first.
STK3310 = {0x3E: 0x13, 0x11: 0, 0x12: 60}
IIO_GET_EVENT_FD_IOCTL = 0x80046990


@pytest.fixture
def chip():
    """Puts a chip on the bus, and returns its device; it goes with its test."""
    plugged = []

    def plug(driver, address, registers, words=None):
        before = devices()
        chip = Registers(address, registers.items())
        for register, word in (words or {}).items():
            # The chip has its high byte first.
            chip.transfer(register, WORD_DATA, word >> 8 | (word & 0xFF) << 8)
        bus = pathlib.Path(f"/sys/bus/i2c/devices/i2c-{chip.bus}")
        (bus / "new_device").write_text(f"{driver} {address:#04x}")
        plugged.append((bus, address))
        until(lambda: devices() - before, f"the driver has the {driver}")
        [device] = devices() - before
        return DEVICES / device

    yield plug
    for bus, address in plugged:
        (bus / "delete_device").write_text(f"{address:#04x}")


def served(daemon):
    with Connection(daemon.broker) as client:
        return {item["name"]: item for item in client.result(f"{BROKER}.ListResources")["resources"]}


def read(device, attribute):
    return float((device / attribute).read_text())


def test_an_imu_is_one_device_whose_kinds_are_asked_together(chip, start):
    device = chip("bmi160", 0x68, BMI160)
    daemon = start("--gpsd", "localhost:1")
    until(lambda: "gyroscope" in served(daemon), "the gyroscope is listed")
    wanted = [{"resource": name, "intervalNanoseconds": 20_000_000} for name in ("accelerometer", "gyroscope")]
    with Stream(daemon.broker, *wanted) as stream:
        stream.until(lambda s: len(s.samples) >= 60, "samples of both")
    whole = [scan for scan in scans_of(stream).values() if len(scan) == 2]
    assert len(whole) > 10 and all(scan["accelerometer"][0] == scan["gyroscope"][0] for scan in whole)
    assert served(daemon)["accelerometer"]["description"] == served(daemon)["gyroscope"]["description"]
    for name, kind in (("accelerometer", "accel"), ("gyroscope", "anglvel")):
        # Another test covers the mounting of the axes.
        truth = [abs(read(device, f"in_{kind}_{axis}_raw") * read(device, f"in_{kind}_scale")) for axis in "xyz"]
        assert any(truth) and [abs(value) for value in whole[-1][name][1]] == pytest.approx(truth, rel=1e-6, abs=1e-9)


def test_a_barometer_whose_driver_has_no_counts_is_asked_for_pressure_and_temperature(chip, start):
    device = chip("bmp280", 0x76, BMP280)
    assert not (device / "in_pressure_raw").exists() and not (device / "buffer").exists()
    kilopascals, millidegrees = read(device, "in_pressure_input"), read(device, "in_temp_input")
    daemon = start("--gpsd", "localhost:1")
    until(lambda: {"pressure", "temperature"} <= set(served(daemon)), "both are listed")
    wanted = [{"resource": name, "intervalNanoseconds": 50_000_000} for name in ("pressure", "temperature")]
    with Stream(daemon.broker, *wanted) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "samples of both")
        assert "polled (it has no buffer)" in served(daemon)["pressure"]["description"]
    told = {reading["resource"]: samples_of(reading)[-1][2][0] for reading in stream.readings}
    assert told["pressure"] == pytest.approx(kilopascals * 1_000) and 80_000 < told["pressure"] < 120_000
    assert told["temperature"] == pytest.approx(millidegrees / 1_000) and 0 < told["temperature"] < 50


def test_the_humidity_of_a_weather_chip_is_told_in_percent(chip, start):
    device = chip("bme280", 0x77, BME280)
    truth = read(device, "in_humidityrelative_input") / 1_000
    daemon = start("--gpsd", "localhost:1")
    until(lambda: {"pressure", "temperature", "humidity"} <= set(served(daemon)), "all three are listed")
    with Stream(daemon.broker, {"resource": "humidity", "intervalNanoseconds": 50_000_000}) as stream:
        stream.until(lambda s: len(s.samples) >= 10, "samples")
    assert [values for _, _, values in stream.samples] == [pytest.approx((truth,))] * len(stream.samples)
    assert 20 < truth < 80


def thresholds(device):
    ends = ("rising_value", "falling_value", "rising_en", "falling_en")
    return [int((device / f"events/in_proximity_thresh_{end}").read_text()) for end in ends]


def test_a_proximity_chip_with_thresholds_sleeps_between_readings(chip, start):
    """The driver and its thresholds are real, but no event comes, since the bus has no interrupt line."""
    device = chip("STK3310", 0x48, STK3310)
    for end, limit in (("rising", 100), ("falling", 7)):
        (device / f"events/in_proximity_thresh_{end}_value").write_text(str(limit))
    found = thresholds(device)
    daemon = start("--gpsd", "localhost:1")
    until(lambda: "proximity" in served(daemon), "the sensor is listed")
    wish = {"resource": "proximity", "intervalNanoseconds": 20_000_000, "minimumChange": 10_000}
    with Stream(daemon.broker, wish) as stream:
        stream.until(lambda s: s.samples, "the first reading")
        assert stream.samples[0][2] == (1, 60)
        assert "polled on events (it has no buffer)" in served(daemon)["proximity"]["description"]
        # Any count above 0 is near. The driver refuses a threshold as far away as wanted, which is 9,960.
        until(lambda: thresholds(device)[1:] == [1, 1, 1], "the thresholds are set")
        assert 60 < thresholds(device)[0] < 9_960
        node = os.open(f"/dev/{device.name}", os.O_RDONLY)
        try:
            with pytest.raises(OSError) as refused:
                fcntl.ioctl(node, IIO_GET_EVENT_FD_IOCTL, bytearray(4))
        finally:
            os.close(node)
        assert refused.value.errno == errno.EBUSY
        Registers(0x48, [(0x11, 0), (0x12, 0)])
        stream.until(lambda s: s.samples[-1][2] == (0, 0), "a change that no event reports")
        assert [values for _, _, values in stream.samples] == [(1, 60), (0, 0)]
        assert stream.samples[1][0] - stream.samples[0][0] > 4_000_000_000
        assert not any(state == "stale" for _, state, _ in stream.states)
        until(lambda: thresholds(device)[:2] == [0, 0], "the thresholds have moved")
    daemon.stop()
    assert thresholds(device) == [*found[:2], 0, 0]


def test_a_sleeping_chip_that_goes_and_comes_back_is_noticed_at_once_and_sleeps_again(chip, start):
    device = chip("STK3310", 0x48, STK3310)
    bus = device.resolve().parents[1]
    daemon = start("--gpsd", "localhost:1")
    until(lambda: "proximity" in served(daemon), "the sensor is listed")
    with Stream(daemon.broker, {"resource": "proximity"}) as stream:
        stream.until(lambda s: s.samples, "the first reading")
        until(lambda: thresholds(device)[:2] == [60, 60], "the thresholds are set")
        (bus / "delete_device").write_text("0x48")
        stream.until(lambda s: s.states[-1][1] == "unavailable", "that it is gone")
        others = devices()
        Registers(0x48, {**STK3310, 0x12: 70}.items())
        (bus / "new_device").write_text("STK3310 0x48")
        until(lambda: devices() - others, "the driver has the chip again")
        # It has another number if it comes before the events of the old one are closed, which keep the old number.
        [again] = devices() - others
        stream.until(lambda s: s.samples[-1][2] == (1, 70), "a reading of the new one")
        until(lambda: thresholds(DEVICES / again)[:2] == [70, 70], "the thresholds are set again")
        assert "polled on events" in served(daemon)["proximity"]["description"]


def test_a_proximity_chip_is_polled_once_its_driver_takes_no_threshold_at_its_count(chip, start):
    device = chip("STK3310", 0x48, STK3310)
    found = thresholds(device)
    daemon = start("--gpsd", "localhost:1")
    until(lambda: "proximity" in served(daemon), "the sensor is listed")
    with Stream(daemon.broker, {"resource": "proximity", "intervalNanoseconds": 20_000_000}) as stream:
        stream.until(lambda s: s.samples, "the first reading")
        for count in (5_000, 20, 30, 40):
            Registers(0x48, [(0x11, count >> 8), (0x12, count & 0xFF)])
            stream.until(lambda s: s.samples[-1][2] == (1, count), f"a count of {count}")
        said = served(daemon)["proximity"]["description"]
        assert "polled (it has no buffer; no events: write " in said and "Invalid argument" in said
        assert thresholds(device) == [*found[:2], 0, 0] and stream.gaps == []


def test_a_power_monitor_has_a_voltage_and_a_current_of_one_scan(chip, start):
    device = chip("ina226", 0x40, {}, INA226)
    daemon = start("--gpsd", "localhost:1")
    until(lambda: {"voltage", "current"} <= set(served(daemon)), "both are listed")
    wanted = [{"resource": name, "intervalNanoseconds": 20_000_000} for name in ("voltage", "current")]
    with Stream(daemon.broker, *wanted) as stream:
        stream.until(lambda s: len(s.samples) >= 40, "samples of both")
        assert served(daemon)["voltage"]["description"].endswith(", buffered")
    whole = [scan for scan in scans_of(stream).values() if len(scan) == 2]
    assert len(whole) > 10 and all(scan["voltage"][0] == scan["current"][0] for scan in whole)
    # The first input of each: that at the shunt, in millivolts, and milliamperes.
    volts = read(device, "in_voltage0_raw") * read(device, "in_voltage0_scale") / 1_000
    amperes = read(device, "in_current3_raw") * read(device, "in_current3_scale") / 1_000
    assert volts == pytest.approx(0.01) and amperes > 0
    assert whole[-1]["voltage"][1][0] == pytest.approx(volts) and whole[-1]["current"][1][0] == pytest.approx(amperes)
