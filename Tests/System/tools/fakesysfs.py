"""A broker of devices in a fake sysfs, with a command beside it."""

import json
import sys

from tools import commands
from tools.ports import free_port
from tools.programs import ROOT, SENSORBROKERD


def run(directory, devices, *command, configuration=""):
    """Runs a command beside a broker of these devices, each as fakedevices.py takes it; the result is the command's."""
    devices_file, configuration_file = f"{directory}/devices.json", f"{directory}/sensorbrokerd.conf"
    with open(devices_file, "w") as file:
        json.dump({f"iio:device{number}": device for number, device in enumerate(devices)}, file)
    with open(configuration_file, "w") as file:
        file.write(configuration)
    return commands.run(
        sys.executable, ROOT / "Tests/Support/fakedevices.py", devices_file, "--", SENSORBROKERD, "--runtime-directory", directory,
        "--config", configuration_file, "--gpsd", f"localhost:{free_port()}", "--exec", *command)
