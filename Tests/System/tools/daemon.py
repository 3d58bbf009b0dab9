"""sensorbrokerd as a process: started, waited for by its own notification, stopped, and examined afterwards."""

import contextlib
import ctypes
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import uuid

from tools.programs import ADMIN, BROKER, PATIENCE, SENSORBROKERD

LIBC = ctypes.CDLL(None)
#: How a broker that is refused names the one that is there.
HELD = re.compile(r"pid (\d+) holds ([^)\s]+)")


def die_with_parent():
    """Run in the child, so that no process outlives the test run, however that ends. prctl(PR_SET_PDEATHSIG)"""
    LIBC.prctl(1, signal.SIGKILL)


class ServiceManager:
    """systemd's end of sd_notify."""

    def __init__(self):
        self.name = f"sensorbroker-test-{uuid.uuid4()}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self.socket.bind("\0" + self.name)
        self.messages = []

    @property
    def environment(self):
        return {"NOTIFY_SOCKET": "@" + self.name}

    def close(self):
        self.socket.close()

    def fill(self):
        """Sends itself what it does not read, until there is no room for more."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            with contextlib.suppress(BlockingIOError):
                while True:
                    sender.sendto(b"STATUS=full", "\0" + self.name)

    def receive(self, timeout):
        """Waits this long for another notification; returns whether one arrived."""
        self.socket.settimeout(timeout)
        try:
            data = self.socket.recv(4096)
        except TimeoutError:
            return False
        self.messages.append(dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line))
        return True

    def drain(self):
        while self.receive(0.001):
            pass
        return self.messages

    def count(self, variable, value=None):
        return sum(variable in message and value in (None, message[variable]) for message in self.messages)


class Daemon:
    def __init__(self, directory, *arguments, program=SENSORBROKERD, environment=None, prefix=(), umask=-1,
                 stderr=None):
        self.directory = str(directory)
        self.broker = os.path.join(self.directory, BROKER)
        self.admin = os.path.join(self.directory, ADMIN)
        self.manager = ServiceManager()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*prefix, program, "--runtime-directory", self.directory, *arguments],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=stderr or self.log, umask=umask, preexec_fn=die_with_parent,
            env={**os.environ, **self.manager.environment, **(environment or {})})

    @property
    def pid(self):
        return self.process.pid

    def output(self):
        # Without moving the file's offset: the daemon shares it, and would write over what it has written.
        return os.pread(self.log.fileno(), os.fstat(self.log.fileno()).st_size, 0).decode(errors="replace")

    def await_ready(self):
        """Waits for READY=1."""
        deadline = time.monotonic() + PATIENCE
        while not self.manager.count("READY", "1"):
            self.manager.receive(0.1)
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.output()}"
            assert time.monotonic() < deadline, f"no READY=1: {self.output()}"
        return self

    def wait(self):
        """Waits for the end of the process and returns its exit status."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            self.kill()
            raise AssertionError(f"did not end: {self.output()}") from error

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        """Stops it properly; it must exit with 0."""
        if self.process.poll() is None:
            self.send_signal(number)
        status = self.wait()
        self.manager.drain()
        assert status == 0, f"exit status {status}: {self.output()}"

    def kill(self):
        """Ends it at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.manager.close()
        self.log.close()
