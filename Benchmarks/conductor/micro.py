"""The parts around a send by themselves, and how often the daemon allocates while it serves."""

import json
import pathlib
import struct
import subprocess
import tempfile
import time

from .process import C, HERE, PATIENCE
from .systems import READINGS, Broker

CLIENTS = 100


def run(bench):
    lines = subprocess.run([HERE / ".build/release/micro"], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    for line in lines.splitlines():
        figure = json.loads(line)
        bench.note("micro", figure["name"], Broker.name, {"nanoseconds": figure["nanoseconds"]})
    for kind in READINGS:
        allocations(bench, kind)


def allocations(bench, kind):
    hertz, requests = READINGS[kind]
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8))
        file.flush()
        environment = {"LD_PRELOAD": str(C / "count-allocations.so"), "ALLOCATIONS_FILE": file.name}
        with bench.started(Broker, requests, environment=environment) as broker:
            clients = broker.clients(CLIENTS)
            clients.wait_ready()
            # Buffers have grown to their size by then.
            time.sleep(1)
            before = count(file.name)
            clients.open()
            time.sleep(bench.seconds)
            allocated = count(file.name) - before
            messages = clients.close()["messages"]
            bench.note("micro", f"allocations, {kind} to {CLIENTS} clients", broker.name, {
                "allocations per message": allocated / messages,
                "allocations per turn of the loop": allocated / messages * CLIENTS})


def count(path):
    return struct.unpack("=Q", pathlib.Path(path).read_bytes())[0]
