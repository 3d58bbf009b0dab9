"""Processes that go with the bench, and what the kernel says they cost."""

import ctypes
import os
import pathlib
import resource
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent
C = HERE / ".build/c"
PATIENCE = 60
LIBC = ctypes.CDLL(None)

# The server has a core of its own, where there is more than one; everything else shares the others.
CORES = sorted(os.sched_getaffinity(0))
SERVER_CORE, LOAD_CORES = {CORES[0]}, set(CORES[1:]) or {CORES[0]}


# What was started and not stopped.
running = []


def start(command, cores, **options):
    """Starts a process on some cores; it does not outlive the bench."""
    def prepare():
        LIBC.prctl(1, signal.SIGKILL)
        # On a machine that others use too, as root.
        if os.environ.get("BENCH_REALTIME"):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setaffinity(0, cores)
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)

    running.append(subprocess.Popen([str(word) for word in command], preexec_fn=prepare, **options))
    return running[-1]


def stop_all():
    for process in list(running):
        stop(process)


def stop(process):
    if process in running:
        running.remove(process)
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {PATIENCE} s until {what}")
        time.sleep(0.01)


def process_nanoseconds(pid):
    """Processor time of all threads of a process. /proc/PID/task/TID/schedstat"""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in pathlib.Path(f"/proc/{pid}/task").iterdir())


def status(pid, key):
    """A number of /proc/PID/status: VmRSS in KiB, voluntary_ctxt_switches and others as they are."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0])
    raise KeyError(key)
