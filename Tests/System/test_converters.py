"""Converters and other devices with many channels: all are served, under names that stay; devices of a fake sysfs."""

import json

import pytest

from tools.fakesysfs import run
from tools.programs import SENSORCTL
from tools.waiting import until

INA226 = {
    "name": "ina226", "in_voltage0_raw": "40", "in_voltage0_scale": "0.0025", "in_voltage1_raw": "9600", "in_voltage1_scale": "1.25",
    "in_voltage1_label": "vbus", "in_power2_raw": "2000", "in_power2_scale": "25", "in_current3_raw": "-400", "in_current3_scale": "1",
}


def output(directory, devices, *command, **options):
    """What a command says that succeeds beside a broker of these devices, whose files are given."""
    result = run(directory, [{"files": files} for files in devices], *command, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def readings(directory, names, *devices, **options):
    script = " && ".join(f"{SENSORCTL} get {name} --format json" for name in names)
    lines = output(directory, devices, "sh", "-c", script, **options).splitlines()
    return {reading["resource"]: reading["values"]["columns"]["value"][0] for reading in map(json.loads, lines)}


def listed(directory, *devices):
    """The resources of these devices, each with its description, which a device has once its thread has looked at it."""
    own = ("location", "accelerometer", "orientation", "tilt")

    def described():
        lines = output(directory, devices, SENSORCTL, "list", "--format", "json").splitlines()
        found = {resource["name"]: resource.get("description") for resource in map(json.loads, lines) if resource["name"] not in own}
        return found if found and all(found.values()) else None

    return until(described, "descriptions")


def test_all_of_an_ina226_is_served(directory):
    values = readings(directory, ["voltage", "voltage:1", "power", "current"], INA226)
    assert values == {"voltage": pytest.approx(0.0001), "voltage:1": 12.0, "power": 50.0, "current": pytest.approx(-0.4)}


def test_each_input_is_described_by_its_channel_and_its_label(directory):
    told = listed(directory, INA226)
    assert list(told) == ["voltage", "current", "power", "voltage:1"]
    assert told["voltage"].startswith("voltage0 of ina226,") and told["voltage:1"].startswith("voltage1 (vbus) of ina226,")
    assert told["power"].startswith("ina226, iio:device0")


def test_of_two_converters_the_first_inputs_have_the_first_names(directory):
    other = INA226 | {"in_voltage0_raw": "80", "in_voltage1_raw": "4000"}
    values = readings(directory, ["voltage", "voltage:1", "voltage:2", "voltage:3", "power:1"], INA226, other)
    assert values == {"voltage": pytest.approx(0.0001), "voltage:1": pytest.approx(0.0002), "voltage:2": 12.0, "voltage:3": 5.0,
                      "power:1": 50.0}


def test_inputs_are_read_at_one_moment(directory):
    names = ["voltage", "voltage:1", "power", "current"]
    lines = output(directory, [INA226], SENSORCTL, "watch", *names, "--rate", "20Hz", "--count", "40", "--format", "json")
    stamps = {}
    for line in map(json.loads, lines.splitlines()):
        if "timestampNanoseconds" in line and "values" in line:
            stamps.setdefault(line["sequence"], {}).setdefault(line["timestampNanoseconds"], set()).add(line["resource"])
    # The beginning and the end of the stream may cut a scan.
    scans = [stamps[number] for number in sorted(stamps)[1:-1]]
    assert all(len(scan) == 1 for scan in scans) and sum(set(names) in scan.values() for scan in scans) >= 5, stamps


def test_an_input_is_calibrated_by_its_name(directory):
    chosen = {"configuration": "[Voltage]\nScale=1 voltage:1=2\n"}
    assert readings(directory, ["voltage", "voltage:1"], INA226, **chosen) == {"voltage": pytest.approx(0.0001), "voltage:1": 24.0}


def test_an_adc_with_names_differences_and_holes(directory):
    adc = {"name": "adc", "in_voltage_scale": "0.5", "in_voltage-voltage_scale": "0.25", "in_voltage5_raw": "10", "in_voltage2_raw": "20",
           "in_voltage11_main_battery_raw": "30", "in_voltage2-voltage3_raw": "-40"}
    values = readings(directory, ["voltage", "voltage:1", "voltage:2", "voltage:3"], adc)
    assert values == {"voltage": 0.01, "voltage:1": 0.005, "voltage:2": 0.015, "voltage:3": -0.01}
    assert [text.split(" of ")[0] for text in listed(directory, adc).values()] == [
        "voltage2", "voltage5", "voltage11 (main_battery)", "voltage2-voltage3"]


def test_more_channels_than_resources_harm_nothing(directory):
    wide = {"name": "adc", "in_voltage_scale": "1", **{f"in_voltage{number}_raw": str(number) for number in range(80)}}
    assert readings(directory, ["voltage", "voltage:31"], wide) == {"voltage": 0.0, "voltage:31": 0.031}
    assert "voltage:32" not in listed(directory, wide)


@pytest.mark.parametrize("files, wanted", [
    ({"in_concentration_co2_raw": "0.0612"}, {}),
    ({"in_concentration_co2_input": "0.061200"}, {"co2": 612}),
    ({"in_concentration_co2_raw": "612", "in_concentration_co2_scale": "0.0001", "in_concentration_voc_input": "0.000030"},
     {"co2": 612, "voc": 0.3}),
    ({"in_massconcentration_pm1_input": "3.5", "in_massconcentration_pm2p5_input": "7.25", "in_massconcentration_pm4_input": "8",
      "in_massconcentration_pm10_input": "12.5"}, {"pm1": 3.5, "pm2p5": 7.25, "pm4": 8, "pm10": 12.5}),
    ({"in_temp_ambient_raw": "14700", "in_temp_object_raw": "15500", "in_temp_offset": "-13657.5", "in_temp_scale": "20"},
     {"ambienttemperature": 20.85, "objecttemperature": 36.85}),
    ({"in_concentration_o2_raw": "2095", "in_concentration_scale": "0.01"}, {"oxygen": 20.95}),
    ({"in_resistance_input": "10200"}, {"resistance": 10200}),
    ({"in_uvindex_input": "5.5"}, {"uvindex": 5.5}),
    ({"in_uvindex_raw": "310", "in_uvindex_scale": "0.025"}, {"uvindex": 7.75}),
    ({"in_energy1_raw": "500", "in_energy1_scale": "0.5", "in_energy2_raw": "10", "in_energy2_scale": "0.5"},
     {"energy": 250, "energy:1": 5}),
    ({"in_steps_input": "4711", "in_steps_en": "1"}, {"steps": 4711}),
], ids=lambda value: None if isinstance(value, dict) and not value else "+".join(value))
def test_what_is_in_the_air_and_temperatures_are_kinds(directory, files, wanted):
    if wanted:
        assert readings(directory, list(wanted), {"name": "chip", **files}) == {name: pytest.approx(value) for name, value in wanted.items()}
    else:
        # A count without a scale says nothing.
        assert "no usable scale" in run(directory, [{"files": {"name": "chip", **files}}], SENSORCTL, "get", "co2").stderr


def test_a_number_stands_before_what_modifies_a_type(directory):
    chip = {"name": "chip", "in_temp_object_raw": "20", "in_temp1_object_raw": "30", "in_temp_scale": "1000",
            "in_rot0_from_north_magnetic_tilt_comp_raw": "90", "in_rot_scale": "1"}
    values = {"objecttemperature": 20, "objecttemperature:1": 30, "heading": 90}
    assert readings(directory, list(values), chip) == values
    particles = {"name": "chip", "in_massconcentration_pm10_input": "12.5"}
    assert readings(directory, ["pm10"], particles) == {"pm10": 12.5} and list(listed(directory, particles)) == ["pm10"]


def test_light_without_a_scale_is_its_count_as_for_iio_sensor_proxy(directory):
    light = {"name": "als", "in_illuminance_raw": "123"}
    assert readings(directory, ["light"], light) == {"light": 123}
    assert "light without a scale, which counts as 1" in listed(directory, light)["light"]
    assert readings(directory, ["light"], light | {"in_illuminance_scale": "0.5"}) == {"light": 61.5}
    assert readings(directory, ["light"], light, configuration="[Light]\nScale=2\n") == {"light": 246}


def test_a_step_counter_is_on_while_somebody_reads_it(directory):
    chip = {"name": "chip", "in_steps_input": "12", "in_steps_en": "0"}
    # The fake sysfs is the one that the broker and its command see.
    enable = "/sys/bus/iio/devices/iio:device0/in_steps_en"
    script = f"{SENSORCTL} get steps --format json && echo $(cat {enable}) && {SENSORCTL} release steps >/dev/null && echo $(cat {enable})"
    reading, on, off = output(directory, [chip], "sh", "-c", script).split("\n")[:3]
    assert json.loads(reading)["values"]["columns"]["value"] == [12] and (on.strip(), off.strip()) == ("1", "0")
