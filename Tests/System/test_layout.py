"""The order in which the linker lays the daemon's functions names functions that there are."""

import re
import subprocess

import pytest

from tools.programs import ROOT, SENSORBROKERD

ORDER = (ROOT / "CLinux/functions.order").read_text().split()
# Of our own rooms, and made by the compiler in any build: no copy for certain types or arguments, and no part that others share.
OF_ROOMS = re.compile(r"\$s\d+[A-Z]")
MADE_BY_THE_OPTIMIZER = re.compile(r"T[fgmsAR]\w*$|WO\w+$")


def test_most_of_them_are_in_the_program():
    lines = subprocess.run(["nm", "--defined-only", SENSORBROKERD], capture_output=True, text=True, check=True).stdout.splitlines()
    there = {line.split(None, 2)[2] for line in lines}
    if not there:
        pytest.skip(f"NOT RUN: {SENSORBROKERD} has no names of functions")
    ours = [name for name in ORDER if OF_ROOMS.match(name) and not MADE_BY_THE_OPTIMIZER.search(name)]
    missing = [name for name in ours if name not in there]
    assert len(ours) > 200 and len(set(ORDER)) == len(ORDER)
    assert len(missing) < len(ours) / 10, f"`make layout` writes CLinux/functions.order again: it names {missing[:10]}, which are gone"
