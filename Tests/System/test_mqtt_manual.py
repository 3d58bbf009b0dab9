"""The manual of sensorbroker-mqtt describes the program completely, and nothing else."""

import os
import re
import subprocess

import pytest

from tools.programs import PATIENCE, ROOT, SENSORBROKER_FLEET, SENSORBROKER_MQTT, exit_statuses

PAGES = ROOT / "docs/mqtt"


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, env={**os.environ, **environment})


def source(files):
    return "".join(path.read_text() for path in sorted((ROOT / "Sources").glob(f"*/{files}")))


def help_options(program):
    """The options of a program, from its help, which is made from the parser's table."""
    return set(re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", run(program, "--help").stdout, re.MULTILINE))


def test_the_options_are_those_of_the_code():
    options = help_options(SENSORBROKER_MQTT)
    assert len(options) > 5
    page = (PAGES / "sensorbroker-mqtt.8").read_text()
    assert {f"-{name}" for name in re.findall(r"^\.It (?:Fl h , )?Fl (-[a-z-]+)", page, re.MULTILINE)} == options


def test_the_installed_configuration_has_no_setting_and_valid_examples(tmp_path):
    text = (PAGES / "sensorbroker-mqtt.conf").read_text()
    assert all(not line or line[0] in "#[" for line in text.splitlines())
    configuration = tmp_path / "mqtt.conf"
    configuration.write_text(re.sub(r"^#(?=\w+=)", "", text, flags=re.MULTILINE))
    result = run(SENSORBROKER_MQTT, "--check-config", "--config", configuration)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_examples_of_the_manual_are_valid(number, tmp_path):
    page = (PAGES / "sensorbroker-mqtt.conf.5").read_text()
    example = re.findall(r"^\.Bd -literal.*\n((?:.*\n)*?)\.Ed$", page[page.index(".Sh EXAMPLES"):], re.MULTILINE)[number]
    for name in ("host.crt", "host.key"):
        (tmp_path / name).touch()
    configuration = tmp_path / "mqtt.conf"
    configuration.write_text(example.replace("/etc/sensorbroker", str(tmp_path)))
    result = run(SENSORBROKER_MQTT, "--check-config", "--config", configuration)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_events_are_those_of_the_code():
    page = (PAGES / "sensorbroker-mqtt.8").read_text()
    assert re.findall(r"^\.It Li ([0-9a-f]{32})$", page, re.MULTILINE) == re.findall(
        r'case fleet\w+ = "([0-9a-f]{32})"', source("Platform/Journal.swift"))


def test_the_exit_statuses_are_those_of_the_code():
    page = (PAGES / "sensorbroker-mqtt.8").read_text()
    assert re.findall(r"^\.It (\d+)$", page, re.MULTILINE) == exit_statuses("sensorbroker-mqtt/*.swift", "MQTT/Credential.swift")


@pytest.mark.parametrize("name", ["sensorbroker-mqtt.8", "sensorbroker-mqtt.conf.5", "sensorbroker-fleet.1"])
def test_it_is_well_formed_and_has_examples(name):
    assert ".Sh EXAMPLES\n" in (PAGES / name).read_text()
    result = run("mandoc", "-T", "lint", "-W", "warning", PAGES / name)
    assert result.stdout + result.stderr == ""
    assert run("man", "--warnings", "-l", PAGES / name, MANWIDTH="80", LC_ALL="C.UTF-8").stderr == ""


def test_the_options_of_the_consumers_side_are_those_of_the_code():
    options = help_options(SENSORBROKER_FLEET)
    assert len(options) > 15
    page = (PAGES / "sensorbroker-fleet.1").read_text()
    named = re.findall(r"Fl (-[a-z-]+)", "\n".join(re.findall(r"^\.It Fl .*$", page, re.MULTILINE)))
    assert {f"-{name}" for name in named} == options


def test_the_exit_statuses_of_the_consumers_side_are_those_of_the_code():
    page = (PAGES / "sensorbroker-fleet.1").read_text()
    numbers = re.findall(r"^\.It (\d+)$", page, re.MULTILINE)
    assert numbers == exit_statuses("sensorbroker-fleet/*.swift", "MQTT/*.swift")
