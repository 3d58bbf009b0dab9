"""Converters and other devices with many channels: all are served, under names that stay; devices of a fake sysfs."""

import json
import subprocess
import sys

import pytest

from tools.programs import ROOT, SENSORBROKERD, SENSORCTL
from tools.ports import free_port

FAKE = ROOT / "Tests/Support/fakedevices.py"
INA226 = {
    "name": "ina226", "in_voltage0_raw": "40", "in_voltage0_scale": "0.0025", "in_voltage1_raw": "9600", "in_voltage1_scale": "1.25",
    "in_voltage1_label": "vbus", "in_power2_raw": "2000", "in_power2_scale": "25", "in_current3_raw": "-400", "in_current3_scale": "1",
}


def run(directory, script, *devices, configuration=""):
    """What a shell's script says that runs beside a broker of these devices, whose files are given."""
    with open(f"{directory}/devices.json", "w") as file:
        json.dump({f"iio:device{number}": {"files": device} for number, device in enumerate(devices)}, file)
    with open(f"{directory}/sensorbrokerd.conf", "w") as file:
        file.write(configuration)
    result = subprocess.run(
        [sys.executable, FAKE, f"{directory}/devices.json", "--", SENSORBROKERD, "--runtime-directory", directory, "--config",
         f"{directory}/sensorbrokerd.conf", "--gpsd", f"localhost:{free_port()}", "--exec", "sh", "-c", script],
        capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def readings(directory, names, *devices, **options):
    script = "; ".join(f"{SENSORCTL} get {name} --format json" for name in names)
    lines = run(directory, f"set -e; {script}", *devices, **options).splitlines()
    return {reading["resource"]: reading["values"]["columns"]["value"][0] for reading in map(json.loads, lines)}


def listed(directory, *devices):
    """The resources of these devices, each with its description."""
    resources = [json.loads(line) for line in run(directory, f"{SENSORCTL} list --format json", *devices).splitlines()]
    own = ("location", "accelerometer", "orientation", "tilt")
    return {resource["name"]: resource.get("description") for resource in resources if resource["name"] not in own}


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
    lines = run(directory, f"{SENSORCTL} watch voltage voltage:1 power current --rate 20Hz --count 40 --format json", INA226)
    stamps = {}
    for line in map(json.loads, lines.splitlines()):
        if "timestampNanoseconds" in line and "values" in line:
            stamps.setdefault(line["sequence"], {}).setdefault(line["timestampNanoseconds"], set()).add(line["resource"])
    whole = [scan for scan in stamps.values() if {len(names) for names in scan.values()} == {4}]
    assert len(whole) >= 5 and all(len(scan) == 1 for scan in whole)


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
    ({"in_energy1_raw": "500", "in_energy1_scale": "0.5", "in_energy2_raw": "10", "in_energy2_scale": "0.5"},
     {"energy": 250, "energy:1": 5}),
], ids=lambda value: None if isinstance(value, dict) and not value else "+".join(value))
def test_what_is_in_the_air_and_temperatures_are_kinds(directory, files, wanted):
    if wanted:
        assert readings(directory, list(wanted), {"name": "chip", **files}) == {name: pytest.approx(value) for name, value in wanted.items()}
    else:
        # A count without a scale says nothing.
        assert "no usable scale" in run(directory, f"{SENSORCTL} get co2 2>&1; true", {"name": "chip", **files})


def test_light_without_a_scale_is_its_count_as_for_iio_sensor_proxy(directory):
    light = {"name": "als", "in_illuminance_raw": "123"}
    assert readings(directory, ["light"], light) == {"light": 123}
    assert "light without a scale, which counts as 1" in listed(directory, light)["light"]
    assert readings(directory, ["light"], light | {"in_illuminance_scale": "0.5"}) == {"light": 61.5}
    assert readings(directory, ["light"], light, configuration="[Light]\nScale=2\n") == {"light": 246}
