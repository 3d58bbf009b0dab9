"""A virtual machine that hangs is ended by what its console shows, and one that is only slow is not."""

import importlib.machinery
import importlib.util
import signal
import sys

import pytest

from tools.commands import run, start
from tools.programs import PATIENCE, ROOT

WATCH = ROOT / "Tests/VM/watch"
SHOWS_AND_SLEEPS = "import time; print('boot', flush=True); time.sleep(600)"
SHOWS_AND_SPINS = "print('boot', flush=True)\nwhile True: pass"


@pytest.fixture(scope="module")
def watch():
    loader = importlib.machinery.SourceFileLoader("watch", str(WATCH))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("watch", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("idle, used, hangs", [
    (8_000, 800, False),  # a tenth of a processor, or less: the host is busy
    (100, 901, True),  # it computes, and shows nothing
    (2600, 0, False),
    (2701, 0, True),  # it waits for what never comes
    (2701, 53, True),  # the timer of a kernel that waits
    (2701, 55, False),
])
def test_one_hangs_by_what_it_was_given(watch, idle, used, hangs):
    assert watch.hangs(1000 + idle, 50 + used, (1000, 50)) is hangs


@pytest.mark.parametrize("program, limit", [(SHOWS_AND_SLEEPS, "VM_IDLE_SECONDS"), (SHOWS_AND_SPINS, "VM_PROCESSOR_SECONDS")])
def test_one_whose_console_shows_nothing_new_is_ended(program, limit):
    result = run(WATCH, sys.executable, "-c", program, environment={limit: "1"})
    assert result.returncode == 124 and result.stdout == "boot\n" and "hangs" in result.stderr, result


def test_the_status_and_what_the_console_shows_are_passed_on():
    result = run(WATCH, sys.executable, "-c", "print(0); print(1)\nraise SystemExit(67)")
    assert (result.returncode, result.stdout, result.stderr) == (67, "0\n1\n", "")


def test_an_interruption_reaches_the_machine():
    process = start(WATCH, sys.executable, "-c", SHOWS_AND_SLEEPS)
    assert process.stdout.readline() == "boot\n"
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 128 + signal.SIGTERM
