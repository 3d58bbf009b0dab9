"""What a message to each of a hundred clients costs the daemon, in instructions of all its threads, the kernel's included; and a sample on
its whole way to one client, from a device of the kernel and from a program.

`Tests/VM/count messages` runs it with release builds in a machine that counts instructions; nothing is asserted of a figure. Another
build is measured beside it where MESSAGE_COSTS_BESIDE names one."""

import collections
import json
import os
import pathlib
import selectors
import subprocess
import sys
import tempfile
import time

import pytest

from sensor import Sensor
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


PROVIDER = """if True:
    import json, socket, sys, time
    feed = socket.socket(socket.AF_UNIX)
    feed.connect(sys.argv[1])
    offer = {"resources": [{"name": "accelerometer:arm"}], "intervalNanoseconds": 10_000_000}
    feed.sendall(json.dumps({"method": "io.sensorbroker.Feed.Provide", "parameters": offer, "more": True}).encode() + b"\\0")
    print("ready", flush=True)
    due = time.monotonic()
    while True:
        due += 0.01
        time.sleep(max(0, due - time.monotonic()))
        feed.sendall(b'{"method":"io.sensorbroker.Feed.Push","oneway":true,"parameters":{"samples":[{"resource":"accelerometer:arm",'
                     b'"timestampNanoseconds":%d,"values":{"columns":{"x":[0.1234567],"y":[-1.5],"z":[9.80665]}}}]}}\\0'
                     % time.clock_gettime_ns(time.CLOCK_BOOTTIME))
"""


@pytest.mark.parametrize("source", ["a device of the kernel", "a program"])
def test_what_a_sample_costs(source):
    sensor = Sensor()
    try:
        with tempfile.TemporaryDirectory() as directory:
            settings = pathlib.Path(directory, "conf")
            settings.write_text("[Feed accelerometer:arm]\n")
            runtime = pathlib.Path(directory, "run")
            process = subprocess.Popen([SENSORBROKERD, "--config", settings, "--runtime-directory", runtime], stderr=subprocess.DEVNULL)
            path = runtime / "io.sensorbroker.Broker"
            until(path.exists, "its socket")
            name = "accelerometer"
            if source == "a program":
                name += ":arm"
                program = subprocess.Popen([sys.executable, "-c", PROVIDER, runtime / "io.sensorbroker.Feed"], stdout=subprocess.PIPE)
                program.stdout.readline()
            client = Connection(path)
            until(lambda: name in json.dumps(client.result("io.sensorbroker.Broker.ListResources")), name)
            client.send(call("io.sensorbroker.Broker.Subscribe", {
                "requests": [{"resource": name, "intervalNanoseconds": 10_000_000}]}, more=True))
            client.socket.setblocking(False)
            selector = selectors.DefaultSelector()
            selector.register(client.socket, selectors.EVENT_READ)
            read(selector, 3)
            before = instructions(process)
            count = read(selector, SECONDS)
            spent = {thread: round(total / count) for thread, total in (instructions(process) - before).items()}
            if source == "a program":
                program.kill()
                program.wait(PATIENCE)
            process.kill()
            process.wait(PATIENCE)
            assert count >= SECONDS * 20
            print(f"\nfrom {source}: {count} messages, {sum(spent.values())} instructions a sample: {spent}", flush=True)
    finally:
        sensor.close()


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
