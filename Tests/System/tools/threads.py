"""The threads of a process, as the kernel shows them."""

import os
import time

from tools.waiting import until

# A thread that spins is never found asleep this many times in a row, however little of the processor it gets.
LOOKS = 50


def told(pid, name):
    """What the kernel says of each thread in a file; of one that ends meanwhile, nothing. proc_pid_task(5)"""
    for number in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{number}/{name}") as file:
                text = file.read()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield text


def names(pid):
    """The name of each thread. proc_pid_comm(5)"""
    return sorted(text.strip() for text in told(pid, "comm"))


def states(pid):
    """The name and the state of each thread. proc_pid_stat(5)"""
    return [(text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2]) for text in told(pid, "stat")]


def await_rest(pid, name):
    """Waits until the threads of a name, of which there must be some, are asleep several times in a row."""
    def sleeps():
        ours = [state for thread, state in states(pid) if thread == name]
        return bool(ours) and set(ours) == {"S"}

    def sleeps_on():
        for _ in range(LOOKS):
            if not sleeps():
                return False
            time.sleep(0.005)
        return True

    until(sleeps_on, f"the thread {name} to rest")


def is_waited_for(pid, descriptor):
    """Whether an epoll of a process watches one of its descriptors. proc_pid_fdinfo(5)"""
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{number}") != "anon_inode:[eventpoll]":
                continue
            with open(f"/proc/{pid}/fdinfo/{number}") as file:
                if any(line.split()[:2] == ["tfd:", str(descriptor)] for line in file):
                    return True
        except FileNotFoundError:
            continue
    return False
