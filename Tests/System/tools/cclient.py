"""The C library as tests use it: its sources, and its test program, which does what lines say and tells events."""

import json
import queue
import subprocess
import sys
import threading

import pytest

from tools import commands
from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT

sys.path.insert(0, str(ROOT / "Clients/conformance"))
from clients import C  # noqa: E402

SOURCES = ROOT / "Clients/c"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wshadow"]


def run(*command, **options):
    result = commands.run(*command, **options)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def conform():
    """The test program with the library in it, under the sanitizers."""
    return C.build()


class Client:
    """A running test program: its events as they come, and its standard input."""

    def __init__(self, program, *arguments, **options):
        self.process = subprocess.Popen([str(program), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1, preexec_fn=die_with_parent, **options)
        self.queue = queue.Queue()
        self.events = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.queue.put(json.loads(line))
        self.queue.put(None)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def take(self, is_wanted, what):
        """Takes events up to the wanted one, and returns it."""
        while True:
            event = self.queue.get(timeout=PATIENCE)
            assert event is not None, f"ended before {what}: {self.events[-5:]}"
            self.events.append(event)
            if is_wanted(event):
                return event

    def await_event(self, kind, **members):
        return self.take(lambda event: event["event"] == kind and members.items() <= event.items(), f"{kind} {members}")

    def readings(self, count, resource="accelerometer", label=None):
        """The next readings of a request."""
        return [self.await_event("reading", resource=resource, **({"label": label} if label else {})) for _ in range(count)]

    def close(self):
        """Quits it: the sanitizers must have nothing to say."""
        if self.process.poll() is None:
            self.tell("quit")
        status = self.process.wait(PATIENCE)
        self.process.stdin.close()
        assert status in (0, 1), f"the client ended with {status}"


@pytest.fixture
def client(conform):
    clients = []

    def start_client(*arguments, program=conform, **options):
        clients.append(Client(program, *arguments, **options))
        return clients[-1]

    yield start_client
    for one in clients:
        one.close()
