"""The shim for libgps compiles with the installed gps.h, and with each additional one that is given.

GPSD_HEADERS names folders of gps.h of other releases, separated by colons.
"""

import os
import shutil
import subprocess

import pytest

from tools.programs import ROOT

HEADERS = ["/usr/include", *filter(None, os.environ.get("GPSD_HEADERS", "").split(":"))]


@pytest.mark.parametrize("folder", HEADERS)
def test_shim_compiles(folder):
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "no C compiler: the shim was compiled against no header"
    assert os.path.exists(f"{folder}/gps.h"), f"there is no gps.h in {folder}"
    command = [compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}",
               "-include", str(ROOT / "CGps/shim.h"), "-x", "c", "/dev/null"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
