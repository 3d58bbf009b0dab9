"""What a phone's sensors cost its battery in an hour, in instructions: Benchmarks/battery.py in a machine that counts them.

`Tests/VM/count battery` runs it with release builds; nothing is asserted of a figure."""

import os
import subprocess
import sys

import pytest

from tools.programs import ROOT

SECONDS = os.environ.get("VM_SECONDS", "5")

pytestmark = pytest.mark.skipif(not os.environ.get("VM_COUNTS"), reason="only a machine that counts instructions says what they cost")


def test_what_a_battery_pays():
    command = [sys.executable, ROOT / "Benchmarks/battery.py", "--instructions", "--rounds", "1", "--seconds", SECONDS]
    result = subprocess.run([*command], stdout=subprocess.PIPE, text=True)
    assert result.returncode == 0
    print(f"\n{result.stdout}", flush=True)
