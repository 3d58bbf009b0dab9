"""What a message to each of a hundred clients costs the daemon, in instructions of all its threads, the kernel's included.

`Tests/VM/count messages` runs it with release builds in a machine that counts instructions; nothing is asserted of a figure. Another
build is measured beside it where MESSAGE_COSTS_BESIDE names one."""

import collections
import os
import pathlib
import selectors
import subprocess
import tempfile
import time

import pytest

from tools.programs import PATIENCE, SENSORBROKERD
from tools.waiting import until
from tools.wire import Connection, call

CLIENTS = 100
SECONDS = int(os.environ.get("VM_SECONDS", "5"))
BATCH = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000, "batchNanoseconds": 1_000_000_000}
REQUESTS = {
    "acceleration": {"resource": "accelerometer", "intervalNanoseconds": 10_000_000},
    "location": {"resource": "location", "intervalNanoseconds": 100_000_000},
    "100 accelerations in a batch": BATCH,
    "the same, packed": {**BATCH, "packed": True},
}
PROGRAMS = [SENSORBROKERD, *filter(None, [os.environ.get("MESSAGE_COSTS_BESIDE")])]

pytestmark = pytest.mark.skipif(not os.environ.get("VM_COUNTS"), reason="only a machine that counts instructions says what they cost")


@pytest.mark.parametrize("what", REQUESTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_a_message_costs(program, what):
    with tempfile.TemporaryDirectory() as directory:
        settings = pathlib.Path(directory, "conf")
        settings.write_text("[Clients]\nMaxSubscriptionsPerUser=1000\nMaxConnectionsPerUser=1000\n")
        runtime = pathlib.Path(directory, "run")
        process = subprocess.Popen([program, "--config", settings, "--mock", "--runtime-directory", runtime], stderr=subprocess.DEVNULL)
        path = runtime / "io.sensorbroker.Broker"
        until(path.exists, "its socket")
        connections = [Connection(path) for _ in range(CLIENTS)]
        for connection in connections:
            connection.send(call("io.sensorbroker.Broker.Subscribe", {"requests": [REQUESTS[what]]}, more=True))
        selector = selectors.DefaultSelector()
        for connection in connections:
            connection.socket.setblocking(False)
            selector.register(connection.socket, selectors.EVENT_READ)
        read(selector, 3)
        before = instructions(process)
        count = read(selector, SECONDS)
        spent = {name: round(total / count) for name, total in (instructions(process) - before).items()}
        process.kill()
        process.wait(PATIENCE)
        assert count >= CLIENTS
        print(f"\n{program}: {what}: {count} messages, {sum(spent.values())} instructions a message: {spent}", flush=True)


def instructions(process):
    """Those of each of its threads so far, by name; the machine's clock advances by a nanosecond with each."""
    tasks = pathlib.Path(f"/proc/{process.pid}/task").iterdir()
    return collections.Counter({(task / "comm").read_text().strip(): int((task / "schedstat").read_text().split()[0]) for task in tasks})


def read(selector, seconds):
    """How many messages came in this time."""
    count, start = 0, time.monotonic()

    def is_over():
        nonlocal count
        for key, _ in selector.select(0.1):
            count += key.fileobj.recv(1 << 20).count(b"\0")
        elapsed = time.monotonic() - start
        return elapsed > seconds

    until(is_over, "the end of the measurement")
    return count
