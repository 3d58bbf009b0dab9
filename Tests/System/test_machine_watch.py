"""A virtual machine that hangs is ended by what its console shows, and one that is only slow is not."""

import sys

import pytest

from tools.commands import run
from tools.programs import ROOT

WATCH = ROOT / "Tests/VM/watch"
SHOWS_AND_SLEEPS = "import time; print('boot', flush=True); time.sleep(600)"
SHOWS_AND_SPINS = "print('boot', flush=True)\nwhile True: pass"


@pytest.mark.parametrize("program, limit", [(SHOWS_AND_SLEEPS, "VM_IDLE_SECONDS"), (SHOWS_AND_SPINS, "VM_PROCESSOR_SECONDS")])
def test_one_whose_console_shows_nothing_new_is_ended(program, limit):
    result = run(WATCH, sys.executable, "-c", program, environment={limit: "1"})
    assert result.returncode == 124 and result.stdout == "boot\n" and "hangs" in result.stderr, result


def test_one_that_shows_something_now_and_then_takes_as_long_as_it_takes():
    program = "import time\nfor step in range(4):\n    print(step, flush=True); time.sleep(2)\nraise SystemExit(67)"
    result = run(WATCH, sys.executable, "-c", program, environment={"VM_IDLE_SECONDS": "6", "VM_PROCESSOR_SECONDS": "1"})
    assert result.returncode == 67 and result.stdout == "0\n1\n2\n3\n", result


def test_an_interruption_reaches_the_machine():
    result = run("timeout", "1", WATCH, sys.executable, "-c", SHOWS_AND_SLEEPS)
    assert result.returncode in (124, 143) and "hangs" not in result.stderr, result
