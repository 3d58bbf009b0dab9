"""What a message to each of a hundred clients costs the daemon, in instructions of all its threads, the kernel's included; and a sample on
its whole way to one client, from a device of the kernel and from a program.

`Tests/VM/count messages` runs it with release builds in a machine that counts instructions; nothing is asserted of a figure. The same
bytes are sent by a loop in C (BARE_LOOP), alone and behind a thread, and by another build where MESSAGE_COSTS_BESIDE names one."""

import collections
import contextlib
import itertools
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
STAMP = b'"timestampNanoseconds":'
SECONDS = int(os.environ.get("VM_SECONDS", "5"))
BATCH = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000, "batchNanoseconds": 1_000_000_000}
REQUESTS = {
    "acceleration": {"resource": "accelerometer", "intervalNanoseconds": 10_000_000},
    "location": {"resource": "location", "intervalNanoseconds": 100_000_000},
    "100 accelerations in a batch": BATCH,
    "the same, packed": {**BATCH, "packed": True},
}
PROGRAMS = [SENSORBROKERD, *filter(None, [os.environ.get("MESSAGE_COSTS_BESIDE")])]
LOOPS = {"the loop in C": [], "the loop in C behind a thread": ["-t"]} if os.environ.get("BARE_LOOP") else {}

pytestmark = pytest.mark.skipif(not os.environ.get("VM_COUNTS"), reason="only a machine that counts instructions says what they cost")


@pytest.mark.parametrize("what", REQUESTS)
@pytest.mark.parametrize("server", [*PROGRAMS, *LOOPS])
def test_what_a_message_costs(server, what):
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        if server in PROGRAMS:
            serving = broker(server, directory)
        else:
            with broker(SENSORBROKERD, directory) as (_, path), subscribed(path, REQUESTS[what]) as connection:
                # A batch's first message may have one reading only, and a host that is held up cuts another one.
                messages = (message for message in iter(connection.receive_bytes, b"") if STAMP in message)
                (directory / "message").write_bytes(max(itertools.islice(messages, 1, 5), key=len) + b"\0")
            serving = loop(LOOPS[server], directory, REQUESTS[what])
        with serving as (process, path), contextlib.ExitStack() as stack:
            selector = selectors.DefaultSelector()
            for _ in range(CLIENTS):
                connection = stack.enter_context(subscribed(path, REQUESTS[what]))
                connection.socket.setblocking(False)
                selector.register(connection.socket, selectors.EVENT_READ)
            read(selector, 3)
            before = instructions(process)
            count = read(selector, SECONDS)
            spent = {name: round(total / count) for name, total in (instructions(process) - before).items()}
        assert count >= CLIENTS
        print(f"\n{server}: {what}: {count} messages, {sum(spent.values())} instructions a message: {spent}", flush=True)


@contextlib.contextmanager
def broker(program, directory):
    """The process of a broker with simulated sensors, and its socket."""
    settings = directory / "conf"
    settings.write_text("[Clients]\nMaxSubscriptionsPerUser=1000\nMaxConnectionsPerUser=1000\n")
    with running([program, "--config", settings, "--mock", "--runtime-directory", directory], directory / "io.sensorbroker.Broker") as served:
        yield served


@contextlib.contextmanager
def loop(options, directory, request):
    """The process of the loop in C, which sends the newest message of the broker as often as the request says, and its socket."""
    period = request.get("batchNanoseconds", request["intervalNanoseconds"])
    path = directory / "loop"
    with running([os.environ["BARE_LOOP"], *options, path, str(period), directory / "message"], path) as served:
        yield served


@contextlib.contextmanager
def running(command, path):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until(path.exists, "its socket")
        yield process, path
    finally:
        process.kill()
        process.wait(PATIENCE)


@contextlib.contextmanager
def subscribed(path, request):
    with Connection(path) as connection:
        connection.send(call("io.sensorbroker.Broker.Subscribe", {"requests": [request]}, more=True))
        yield connection


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
    spent = collections.Counter()
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        spent[(task / "comm").read_text().strip()] += int((task / "schedstat").read_text().split()[0])
    return spent


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
