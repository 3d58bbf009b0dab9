"""Clients: a program in C that connects, reads and counts, and is told when the window opens and closes."""

import json
import subprocess

from .process import C, LOAD_CORES, start, stop


class Clients:
    """Some clients of one server, by the program that speaks its protocol; `options` come after their number."""

    def __init__(self, count, program, options, inside=()):
        self.process = start(
            [*inside, C / program, "-n", count, *options], LOAD_CORES, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wait_ready(self):
        """Waits until every client has had a message."""
        line = self.process.stdout.readline()
        if line != "ready\n":
            raise RuntimeError(f"clients ended before they were ready: {line!r}")

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def open(self):
        self.tell("open")

    def close(self):
        """Closes the window and returns what was counted in it."""
        self.tell("close")
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
