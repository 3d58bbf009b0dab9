"""The host on which the package is installed, as its administrator and its users see it."""

import contextlib
import grp
import json
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import threading

from tools.waiting import until

SERVICE = "sensorbrokerd.service"
SOCKETS = ["sensorbrokerd.socket", "sensorbrokerd-admin.socket", "sensorbrokerd-feed.socket"]
#: A broker that its administrator named.
SECOND = "sensorbrokerd@two.service"
SECOND_SOCKETS = ["sensorbrokerd@two.socket", "sensorbrokerd-admin@two.socket", "sensorbrokerd-feed@two.socket"]
SECOND_CONFIGURATION = "/etc/sensorbroker/sensorbrokerd.two.conf"
BROKER_SOCKET = "/run/sensorbroker/io.sensorbroker.Broker"
ADMIN_SOCKET = "/run/sensorbroker/io.sensorbroker.Admin"
CONFIGURATION = "/etc/sensorbroker/sensorbrokerd.conf.d/50-test.conf"
# An emulated machine on a busy host: this only ends what hangs, and measures nothing.
PATIENCE = 600.0


def run(*command, user=None, status=0, **options):
    """Runs a command, optionally as another user with all of that user's groups; returns its output."""
    result = attempt(*command, user=user, **options)
    assert result.returncode == status, (command, result.returncode, result.stdout, result.stderr)
    return result.stdout


def attempt(*command, user=None, **options):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    settings = {"text": True, "timeout": PATIENCE, **streams, **(identity(user) if user else {}), **options}
    return subprocess.run([str(word) for word in command], **settings)


def identity(user):
    """For subprocess: a user, with all of that user's groups."""
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": os.getgrouplist(user, entry.pw_gid)}


def dpkg(*arguments):
    """Runs the package manager, which must succeed; returns its whole output."""
    return run("dpkg", *arguments, stderr=subprocess.STDOUT, timeout=2 * PATIENCE)


def show(name, unit=SERVICE):
    """A property of a unit."""
    return run("systemctl", "show", unit, "--property", name, "--value").strip()


def forget_recordings():
    """Recordings are the user's: removing the package leaves them."""
    shutil.rmtree("/var/lib/private/sensorbroker-record", ignore_errors=True)
    for path in ("/var/lib/sensorbroker-record", "/var/lib/sensorbroker-record/accelerometer"):
        if os.path.islink(path):
            os.unlink(path)
    shutil.rmtree("/var/lib/sensorbroker-record", ignore_errors=True)


def main_process():
    return int(show("MainPID"))


def eventually(condition, what):
    """Repeats a function until its result satisfies a condition; returns the result."""
    return until(condition, lambda: f"{what}\n{log()}")


def needs_no_swift(program, is_service=True):
    """It brings what it needs of Swift; a service does without the library of regular expressions, a megabyte of memory."""
    libraries = run("ldd", program)
    assert "swift" not in libraries and "not found" not in libraries, libraries
    if is_service:
        assert b"RegexParser" not in pathlib.Path(program).read_bytes(), "a regular expression, or contains(String)"


def log(*matches):
    """The end of the service's journal, for messages."""
    attempt("journalctl", "--sync")
    return attempt("journalctl", "--no-pager", "-n", "30", "-u", SERVICE, *matches).stdout


def entries(*matches):
    """Entries of the journal, with all their fields."""
    attempt("journalctl", "--sync")
    text = attempt("journalctl", "--no-pager", "-o", "json", *matches).stdout
    return [json.loads(line) for line in text.splitlines()]


def owner(path):
    """Permission bits, user and group of a file."""
    status = os.stat(path)
    return oct(status.st_mode & 0o777), name(pwd.getpwuid, status.st_uid), name(grp.getgrgid, status.st_gid)


def name(database, number):
    try:
        return database(number)[0]
    except KeyError:
        return number


def configure(text):
    os.makedirs(os.path.dirname(CONFIGURATION), exist_ok=True)
    with open(CONFIGURATION, "w") as file:
        file.write(text)


def findings(user=None, verdict="bad"):
    """What doctor says, by subject, with that verdict: words and remedy."""
    result = attempt("sensorctl", "doctor", "--format", "json", user=user)
    assert result.stderr == "", result.stderr
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.returncode == 69) == any(item["verdict"] == "bad" for item in found)
    return {item["subject"]: (item["words"], item.get("remedy")) for item in found if item["verdict"] == verdict}


class DropIn:
    """Settings of the service during a test."""

    path = "/run/systemd/system/sensorbrokerd.service.d/test.conf"

    def __init__(self, *lines):
        self.lines = lines

    def __enter__(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w") as file:
            file.write("\n".join(("[Service]", *self.lines, "")))
        run("systemctl", "daemon-reload")
        run("systemctl", "restart", SERVICE)

    def __exit__(self, *_):
        os.remove(self.path)
        run("systemctl", "daemon-reload")
        run("systemctl", "restart", SERVICE)


@contextlib.contextmanager
def no_bus():
    """A stopped D-Bus; its socket stays and refuses."""
    units = "dbus.socket", "dbus.service"
    run("systemctl", "stop", *units)
    try:
        yield
    finally:
        run("systemctl", "start", *units)


class Receiver:
    """A substitute for a gpsd with a receiver, at an address of the loopback interface."""

    VERSION = b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n'
    DEVICES = b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyS9","driver":"NMEA0183"}]}\r\n'

    def __init__(self, address):
        self.address = address
        run("ip", "address", "add", f"{address}/32", "dev", "lo")
        self.clients = []
        self.listener = socket.create_server((address, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                self.clients.append(self.listener.accept()[0])
                self.clients[-1].sendall(self.VERSION + self.DEVICES)
        except OSError:
            return

    def close(self):
        for each in (*self.clients, self.listener):
            each.close()
        run("ip", "address", "del", f"{self.address}/32", "dev", "lo")
