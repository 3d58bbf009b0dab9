"""`sensorctl feed` as a process, with a pipe for its lines, and a broker that reads when it is told to."""

import os
import signal
import subprocess
import tempfile

import pytest

from .commands import start as start_program
from .feedbroker import FeedBroker
from .programs import PATIENCE, SENSORCTL
from .waiting import until


@pytest.fixture
def double(closing, directory):
    """A broker for what feeds, which reads when it is told to."""
    return closing(FeedBroker(directory))


class Feed:
    """`sensorctl feed` with a pipe for its lines."""

    def __init__(self, broker, *words, **options):
        self.errors = tempfile.TemporaryFile("w+")
        self.told = 0
        self.process = start_program(SENSORCTL, "feed", *words, broker=broker,
                                     **{"stdin": subprocess.PIPE, "stdout": self.errors, "stderr": self.errors, **options})

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def notes(self):
        """The notes that were not taken yet."""
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), size - self.told, self.told).decode()

    def note(self):
        """Waits for the next note."""
        until(lambda: "\n" in self.notes(), "a note")
        line = self.notes().splitlines(keepends=True)[0]
        self.told += len(line.encode())
        return line

    def end(self, status=0):
        """The remaining notes, after the end of its lines."""
        self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == status, self.notes()
        return self.notes()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.end()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.errors.close()


@pytest.fixture
def feed(closing):
    return lambda *words, **options: closing(Feed(*words, **options))


def wanting(double, feed, *words, **demand):
    """A feed whose samples are wanted."""
    double.first["parameters"].update(wanted=True, **demand)
    running = feed(double, *words)
    double.provided()
    return running


def lives(process):
    try:
        return open(f"/proc/{process}/stat").read().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
