"""ARM with 32 bits, and a big-endian machine: the C parts compile for them, their assertions of layouts hold, and the C client
passes its tests there. Nothing else is built for them.
"""

import pathlib
import shutil

import pytest

from tools import commands
from tools.programs import ROOT

LONG = ["-D_FILE_OFFSET_BITS=64", "-D_TIME_BITS=64"]
ARM = ("armv7-linux-gnueabihf", "/usr/arm-linux-gnueabihf")
HOSTS = [(*ARM, LONG), ("s390x-linux-gnu", "/usr/s390x-linux-gnu", [])]
# What calls something with times or lengths.
USER = """
int (*wait_for)(int, struct clinux_ready *, int, int64_t) = clinux_epoll_wait;
int (*poll_two)(int, int, int64_t) = clinux_poll_two;
int (*reserve)(int, int64_t, int64_t) = clinux_reserve;
void (*limit)(pid_t, int64_t, int64_t, int64_t) = clinux_limit;
"""


def compiled(target, root, options, *words):
    compiler = shutil.which("clang")
    assert compiler, "no clang: nothing was compiled for other hosts"
    assert pathlib.Path(root, "include/stdio.h").exists(), f"no {root}/include: .ci/packages test installs it"
    return commands.run(
        compiler, "-target", target, "-isystem", f"{root}/include", "-Wall", "-Werror", *options, *words)


def shim(target, root, options, directory):
    (directory / "user.c").write_text(f'#include "{ROOT}/CLinux/shim.h"\n{USER}')
    return compiled(target, root, ["-std=gnu11", "-Wno-unused-but-set-parameter", *options], "-c", directory / "user.c", "-o", directory / "user.o")


@pytest.mark.parametrize("target, root, options", HOSTS)
def test_the_shim_compiles_and_calls_what_the_library_has(target, root, options, tmp_path):
    result = shim(target, root, options, tmp_path)
    assert result.returncode == 0, result.stderr
    wanted = {line.split()[-1] for line in commands.must("nm", "-u", tmp_path / "user.o").splitlines()}
    offered = commands.must("readelf", "--dyn-syms", "--wide", f"{root}/lib/libc.so.6")
    there = {line.split()[7].split("@")[0] for line in offered.splitlines() if len(line.split()) > 7}
    assert {name for name in wanted if not name.startswith("__aeabi") and name != "sensorbroker_simulation"} <= there
    if options:
        assert {"__ppoll64", "__epoll_pwait2_time64", "fallocate64"} <= wanted


def test_short_times_are_refused_with_words(tmp_path):
    result = shim(*ARM, [], tmp_path)
    assert result.returncode != 0 and "-D_TIME_BITS=64" in result.stderr


def test_samples_of_libiio_are_refused_where_they_would_be_wrong(tmp_path):
    (tmp_path / "iio.h").write_text(pathlib.Path("/usr/include/iio.h").read_text())
    for (target, root, options), status in zip(HOSTS, (0, 1)):
        result = compiled(
            target, root, ["-std=gnu11", "-Wno-unused-function", *options], f"-I{tmp_path}", "-fsyntax-only", "-x", "c",
            ROOT / "CIio/shim.h")
        assert result.returncode == status and ("little-endian" in result.stderr) == bool(status), result.stderr


# With 64 bits the options change nothing.
@pytest.mark.parametrize("host, machine, options", [
    ("arm-linux-gnueabihf", "arm", []), ("arm-linux-gnueabihf", "arm", LONG), ("s390x-linux-gnu", "s390x", [])])
def test_the_client_passes_its_tests(host, machine, options, tmp_path):
    """Under emulation, which runs programs of another processor on this kernel."""
    compiler = shutil.which(f"{host}-gcc")
    emulator = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
    assert compiler and emulator, f"no {host}-gcc or qemu-{machine}: .ci/packages test installs them"
    commands.must(compiler, "-std=c99", "-O2", *options, "-o", tmp_path / "unit", ROOT / "Clients/c/tests/unit.c", "-lm")
    output = commands.must(emulator, "-L", f"/usr/{host}", tmp_path / "unit")
    assert output.endswith(" checks, 0 failed\n"), output
