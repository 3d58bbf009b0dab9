"""What tests leave behind is named and removed: after each file by a hook, and after a run by `.ci/leftovers`."""

import os
import re
import signal
import sys

import pytest

from tools.commands import run, start
from tools.processes import command, descendants
from tools.programs import PATIENCE, ROOT, SENSORBROKERD

LEFTOVERS = ROOT / ".ci/leftovers"
# What is left on purpose is not waited for.
AT_ONCE = {"LEFTOVERS_SECONDS": "0"}
# A daemon in a session of its own, which has closed what it inherited, so that nobody waits for the end of its output.
DAEMON = f"setsid {SENSORBROKERD} --mock --runtime-directory $TMPDIR >/dev/null 2>&1 </dev/null & echo $!; until grep -q mock /proc/$!/cmdline; do :; done"

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="NOT RUN: only root can mount, so mounts that are left were not tried")


def leftovers(*words, environment=None, **options):
    return run(LEFTOVERS, *words, environment={**AT_ONCE, **(environment or {})}, **options)


def test_a_command_that_leaves_nothing_keeps_its_status_and_its_output():
    for status in (0, 3):
        result = leftovers("sh", "-c", f"echo output; exit {status}")
        assert (result.returncode, result.stdout, result.stderr) == (status, "output\n", "")


@pytest.mark.parametrize("status", [0, 3])
def test_processes_are_named_and_ended(status):
    result = leftovers("sh", "-c", f"({DAEMON}) ; exit {status}")
    pid = int(result.stdout.splitlines()[0])
    # Its sockets are left as well, if it got so far.
    assert re.search(r"\n0 passed, [1-4] failed\n$", result.stdout)
    assert result.returncode == (status or 1)
    assert re.match(f"left behind: process: {pid} .*{SENSORBROKERD} --mock", result.stderr), result.stderr
    assert command(pid) == ""


def test_a_process_whose_parent_has_ended_is_found():
    result = leftovers("sh", "-c", f"setsid sh -c '{DAEMON}'")
    assert result.returncode == 1 and f"process: {int(result.stdout.splitlines()[0])} " in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_nothing_either(number):
    with start(LEFTOVERS, "sh", "-c", f"{DAEMON}; exec sleep 1000", environment=AT_ONCE) as process:
        pid = int(process.stdout.readline())
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert f"left behind: process: {pid} " in errors and command(pid) == ""


def test_sockets_are_named_and_removed():
    script = "import os, socket; path = os.environ['TMPDIR'] + '/x'; socket.socket(socket.AF_UNIX).bind(path); print(path)"
    result = leftovers(sys.executable, "-c", script)
    path = result.stdout.splitlines()[0]
    assert (result.returncode, result.stderr) == (1, f"left behind: socket: {path}\n") and not os.path.exists(os.path.dirname(path))


def test_paths_of_sockets_are_short_whatever_the_directory_for_temporary_files(tmp_path):
    result = leftovers("sh", "-c", "echo $TMPDIR", environment={"TMPDIR": str(tmp_path)})
    assert result.returncode == 0 and len(result.stdout) < 30


@needs_root
def test_mounts_and_network_namespaces_are_named_and_removed():
    # In a mount namespace of its own, so that other tests don't see them; its mounts are this test's whole business.
    # Under names that nobody else on this host uses, whose mounts are seen here, too.
    disk, namespace = f"disk-{os.getpid()}", f"sb-left-{os.getpid()}"
    script = f"mkdir $TMPDIR/{disk} && mount -t tmpfs none $TMPDIR/{disk} && echo $TMPDIR/{disk}; ip netns add {namespace} || true"
    result = run("unshare", "--mount", "--propagation", "private", "sh", "-c",
                 f"{LEFTOVERS} sh -c '{script}'; echo $?; grep -c '/{disk} \\|{namespace}' /proc/self/mountinfo", environment=AT_ONCE)
    path, *_, status, mounts = result.stdout.split()
    assert (status, mounts) == ("1", "0"), result
    assert f"left behind: mount: {path} (tmpfs)\n" in result.stderr
    assert f"left behind: network namespace: /run/netns/{namespace}\n" in result.stderr


@needs_root
def test_what_others_mount_meanwhile_is_left_alone():
    disk = f"/run/sensorbroker-test-{os.getpid()}"
    script = f"mkdir {disk} && mount -t tmpfs none {disk}"
    result = run("unshare", "--mount", "--propagation", "private", "sh", "-c",
                 f"{LEFTOVERS} sh -c '{script}'; echo $?; grep -c {disk} /proc/self/mountinfo; umount {disk}", environment=AT_ONCE)
    os.rmdir(disk)
    assert (result.stdout, result.stderr) == ("0\n1\n", "")


def test_a_file_of_tests_that_leaves_a_process_fails_by_name(tmp_path):
    (tmp_path / "conftest.py").write_text("from tools.leftbehind import pytest_runtest_teardown")
    (tmp_path / "test_it.py").write_text(
        "import pathlib, subprocess\n"
        "def test_first():\n"
        "    pid = subprocess.Popen(['sleep', '1000']).pid\n"
        # A program has no command line for a moment after its start is known.
        "    while not pathlib.Path(f'/proc/{pid}/cmdline').read_bytes(): pass\n"
        "def test_second(): assert False\n")
    script = "import tools.leftbehind, pytest, sys; tools.leftbehind.SECONDS = 0; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))"
    result = run(sys.executable, "-c", script, cwd=tmp_path, environment={"PYTHONPATH": str(ROOT / "Tests/System")})
    assert result.returncode == 1 and "1 failed, 1 passed, 1 error" in result.stdout, result.stdout
    assert "left behind by the tests of test_it.py" in result.stdout and "'sleep 1000'" in result.stdout


def test_descendants_are_those_of_every_generation():
    with start("sh", "-c", "sh -c 'sleep 1000 & echo $!; wait' & wait") as process:
        grandchild = int(process.stdout.readline())
        assert grandchild in descendants(process.pid) and grandchild in descendants(os.getpid())
        os.kill(grandchild, signal.SIGKILL)
    assert grandchild not in descendants(os.getpid())
