"""The processes below one, as the kernel shows them: none may outlive the tests that started it."""

import ctypes
import os
import select
import signal

LIBC = ctypes.CDLL(None)
PR_SET_CHILD_SUBREAPER = 36
# So long may the kernel take to end a process that is killed.
KILLED = 30


def adopt_orphans():
    """Makes this process the parent of every orphan below it, so that none of them gets out of sight. prctl(2)"""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents():
    """The parent of each process that has not ended. proc_pid_stat(5)"""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state not in "ZX":
            found[int(name)] = int(parent)
    return found


def descendants(pid):
    """All processes below one that have not ended."""
    of, below = parents(), {pid}
    while more := {child for child, parent in of.items() if parent in below} - below:
        below |= more
    return sorted(below - {pid})


def command(pid):
    """The command line of a process. proc_pid_cmdline(5)"""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def resident_bytes(pid):
    """proc_pid_statm(5)"""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def have_ended(pids, seconds):
    """Gives processes so much time to end; whether all have."""
    for pid in pids:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        ended, _, _ = select.select([descriptor], [], [], seconds)
        os.close(descriptor)
        if not ended:
            return False
    return True


def end_those_left(seconds):
    """Ends all processes below this one; by pid, the command of each that did not end by itself in so much time.

    Most of them are about to end when a test has: what they were connected to has gone. One that does not is a fault.
    """
    left = {}
    while found := descendants(os.getpid()):
        if have_ended(found, seconds):
            continue
        names = {pid: command(pid) for pid in found}
        for pid in names.keys() & set(descendants(os.getpid())):
            left[pid] = names[pid]
            os.kill(pid, signal.SIGKILL)
        have_ended(names, KILLED)
    return left


def processor_seconds(pid):
    """What a process has taken of the processors. proc_pid_stat(5)"""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def writes(pid):
    """How often a process has called write(2). proc_pid_io(5)"""
    with open(f"/proc/{pid}/io") as file:
        return int(dict(line.split(": ") for line in file)["syscw"])
