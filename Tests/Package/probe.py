"""Runs in place of the daemon in its sandbox, and tries what the daemon must not be able to do and what it needs.

Prints one JSON object: the result of each attempt, as the name of an errno or `done`.
"""

import ctypes
import errno
import json
import mmap
import os
import resource
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
AF_VSOCK, CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 40, 0x20000, 0x10000000, 0x40000000
SYSCALL = {"personality": 135, "init_module": 175, "reboot": 169, "bpf": 321, "ptrace": 101, "mount": 165}


def outcome(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
    except ValueError as error:
        return str(error)
    return "done"


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")


def call(name, *arguments):
    check(libc.syscall(ctypes.c_long(SYSCALL[name]), *map(ctypes.c_long, arguments)))


def opened(path, flags=os.O_RDONLY):
    os.close(os.open(path, flags | os.O_NONBLOCK))


def written(path):
    with open(path, "w") as file:
        file.write("x")


def sent(host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as endpoint:
        endpoint.sendto(b"x", (host, 9))


def made_suid():
    written("/tmp/program")
    os.chmod("/tmp/program", 0o4755)


def set_clock():
    import time
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))


def scheduled():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


device = sys.argv[1]
tries = {
    "write /usr": lambda: written("/usr/x"),
    "write /etc": lambda: written("/etc/x"),
    "write /var": lambda: written("/var/lib/x"),
    "write /run/sensorbroker": lambda: written("/run/sensorbroker/x"),
    "list /home": lambda: os.listdir("/home/alice"),
    "see the host's /tmp": lambda: opened("/tmp/of-the-host"),
    "see process 1": lambda: opened("/proc/1/status"),
    "read /proc/meminfo": lambda: opened("/proc/meminfo"),
    "read /proc/self/maps": lambda: opened("/proc/self/maps"),
    "write /proc/sys": lambda: written("/proc/sys/kernel/hostname"),
    "write /sys/kernel": lambda: opened("/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY),
    "write the cgroup": lambda: os.mkdir("/sys/fs/cgroup/x"),
    "write an attribute of the sensor": lambda: opened(f"/sys/bus/iio/devices/{device}/buffer/length", os.O_WRONLY),
    "write another attribute of it": lambda: opened(f"/sys/bus/iio/devices/{device}/uevent", os.O_WRONLY),
    "open the sensor": lambda: opened(f"/dev/{device}"),
    "open /dev/mem": lambda: opened("/dev/mem"),
    "open /dev/uhid": lambda: opened("/dev/uhid", os.O_RDWR),
    "open /dev/kmsg": lambda: opened("/dev/kmsg"),
    "set the clock": set_clock,
    "set the host's name": lambda: check(libc.sethostname(b"x", 1)),
    "load a module": lambda: call("init_module", 0, 0, 0),
    "change the personality": lambda: call("personality", 0x0008),
    "trace": lambda: call("ptrace", 0, 0, 0, 0),
    "reboot": lambda: call("reboot", 0, 0, 0, 0),
    "load a filter": lambda: call("bpf", 0, 0, 0),
    "mount": lambda: call("mount", 0, 0, 0, 0, 0),
    "change the root": lambda: os.chroot("/"),
    "map memory to write and execute": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
    "make a user namespace": lambda: check(libc.unshare(CLONE_NEWUSER)),
    "make a mount namespace": lambda: check(libc.unshare(CLONE_NEWNS)),
    "make a network namespace": lambda: check(libc.unshare(CLONE_NEWNET)),
    "run in real time": scheduled,
    "run before others": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "make a program set-user-id": made_suid,
    "change the owner": lambda: os.chown("/tmp", 0, 0),
    "open a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(),
    "open a vsock": lambda: socket.socket(AF_VSOCK, socket.SOCK_STREAM).close(),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "open a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15).close(),
    "send to this host": lambda: sent("127.0.0.1"),
    "send to another host": lambda: sent("192.0.2.1"),
}
facts = {"tries": {what: outcome(act) for what, act in tries.items()}}
facts["limits"] = {name: resource.getrlimit(getattr(resource, name))[1] for name in ("RLIMIT_NOFILE", "RLIMIT_CORE")}
facts["umask"] = oct(os.umask(0))
facts["oom"] = open("/proc/self/oom_score_adj").read().strip()
facts["groups"] = os.getgroups()
facts["processes"] = [name for name in os.listdir("/proc") if name.isdigit()]
facts["ipc"] = os.readlink("/proc/self/ns/ipc")
facts["net"] = os.readlink("/proc/self/ns/net")
print(json.dumps(facts), flush=True)
