"""Unix sockets that listen, as the kernel lists them."""

import os


def listening(path, pid="self"):
    """The inodes of the sockets that listen at a path, in the network of a process. proc_net_unix(5)

    A socket is at its path before it listens: whoever waits for the path alone may be refused.
    """
    # The names of others may be any bytes.
    with open(f"/proc/{pid}/net/unix", errors="replace") as file:
        return {line.split()[6] for line in file if line.rstrip().endswith(" " + path) and line.split()[3] == "00010000"}


def listener(pid, path):
    """The descriptor of a process that listens at a path."""
    inodes = listening(path)
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{number}")
        except FileNotFoundError:
            continue
        if target.startswith("socket:[") and target[8:-1] in inodes:
            return int(number)
    raise AssertionError(f"nobody listens at {path}")
