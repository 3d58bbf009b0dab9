"""The parts around a send by themselves, and how often the daemon allocates while it serves."""

import functools
import json
import pathlib
import struct
import subprocess
import tempfile
import time

from .bench import Step
from .process import C, HERE, PATIENCE
from .systems import READINGS, Broker

CLIENTS = 100


def steps(bench):
    return [
        Step("micro: parts", functools.partial(parts, bench), rounds=1),
        *(Step(f"micro: allocations, {kind}", functools.partial(allocations, bench, kind), rounds=1)
          for kind in READINGS if kind == "acceleration" or not bench.quick),
    ]


def parts(bench):
    lines = subprocess.run([HERE / ".build/release/micro"], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout
    for line in lines.splitlines():
        figure = json.loads(line)
        bench.note("micro", figure["name"], Broker.name, {"nanoseconds": figure["nanoseconds"]})


def allocations(bench, kind):
    hertz, requests = READINGS[kind]
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(8))
        file.flush()
        environment = {"LD_PRELOAD": str(C / "count-allocations.so"), "ALLOCATIONS_FILE": file.name}
        with bench.started(Broker, requests, environment=environment) as broker, broker.clients(CLIENTS) as clients:
            clients.wait_ready()
            # Buffers have grown to their size by then.
            time.sleep(1)
            before = count(file.name)
            clients.open()
            time.sleep(2 * bench.seconds)
            allocated = count(file.name) - before
            messages = clients.close()["messages"]
            bench.note("micro", f"allocations, {kind} to {CLIENTS} clients", broker.name, {
                "allocations per message": allocated / messages,
                "allocations per turn of the loop": allocated / messages * CLIENTS})


def count(path):
    return struct.unpack("=Q", pathlib.Path(path).read_bytes())[0]
