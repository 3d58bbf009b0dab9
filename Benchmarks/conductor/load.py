"""Clients: a program in C that connects, reads and counts, and is told when the window opens and closes."""

import json
import subprocess
import tempfile

from .process import C, LOAD_CORES, start, stop


class Clients:
    """Some clients of one server.

    `call` is what each sends first. `processes`: each in a process of its own. `log`: the first one writes down what it gets.
    `step`: INTERVAL in the call is 10 ms and so many nanoseconds more for each further client.
    """

    def __init__(self, address, count, call=b"", *, program="sink", terminator=0, key="", processes=False, behaviour=None,
                 log=None, step=None):
        self.call_file = None
        command = [C / program, "-n", count]
        if processes:
            command.append("-p")
        if program == "sink":
            self.call_file = tempfile.NamedTemporaryFile()
            self.call_file.write(call)
            self.call_file.flush()
            command += ["-c", self.call_file.name, "-t", terminator, "-k", key]
            command += ["-b", behaviour] if behaviour else []
            command += ["-l", log] if log else []
            command += ["-s", step] if step else []
        self.process = start([*command, address], LOAD_CORES, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

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
        counted = json.loads(self.process.stdout.readline())
        self.end()
        return counted

    def end(self):
        stop(self.process)
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
        if self.call_file:
            self.call_file.close()
