"""How cost and memory grow with clients, lanes and rate; how long a start takes; what an idle daemon does."""

import os
import pathlib
import socket
import subprocess
import tempfile
import time

from .process import SERVER_CORE, start, status, stop
from .systems import BROKER, Broker
from .window import measure

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def run(bench):
    clients(bench)
    lanes(bench)
    rates(bench)
    starting(bench)
    idle(bench)


def clients(bench):
    request = {**ACCELEROMETER, "intervalNanoseconds": 100_000_000}
    for count in (1, 100, 1000) if bench.quick else (1, 10, 100, 1000, 2000, 4000):
        with bench.started(Broker, [request]) as broker:
            before = broker.resident_kibibytes()
            figures = measure(broker, count, bench.seconds)
            bench.note("scale", f"{count} clients of 10 Hz", broker.name, {
                "microseconds of the serving thread per message": figures["serving"] / 1000,
                "resident, KiB": broker.resident_kibibytes(),
                "resident per client, KiB": (broker.resident_kibibytes() - before) / count})


def lanes(bench):
    request = {**ACCELEROMETER, "intervalNanoseconds": "INTERVAL"}
    for count in (1, 100) if bench.quick else (1, 10, 100, 1000):
        with bench.started(Broker, [request]) as broker:
            broker.call = broker.call.replace(b'"INTERVAL"', b"INTERVAL")
            # All ask for 10 to 20 ms: what grows is the number of lanes and not that of messages.
            figures = measure(broker, 1000 if not bench.quick else 100, bench.seconds, step=0 if count == 1 else 10_000_000 // count)
            bench.note("scale", f"{count} lanes", broker.name, {
                "microseconds of the serving thread per message": figures["serving"] / 1000})


def rates(bench):
    for hertz in (1, 100, 1000) if bench.quick else (1, 10, 100, 1000, 4000):
        with bench.started(Broker, [{**ACCELEROMETER, "intervalNanoseconds": 1_000_000_000 // hertz}]) as broker:
            seconds = max(bench.seconds, 4) if hertz == 1 else bench.seconds
            figures = measure(broker, 10, seconds)
            bench.note("scale", f"10 clients of {hertz} Hz", broker.name, {
                "microseconds of the serving thread per message": figures["serving"] / 1000,
                "share of a core, percent": figures["serving"] * figures["messages"] / seconds / 1e7,
                "gaps": figures["gaps"]})


def starting(bench):
    """From fork to READY=1, by the socket that systemd would have."""
    for _ in range(5):
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(f"{directory}/notify")
            began = time.monotonic_ns()
            process = start([BROKER, "--mock", "--runtime-directory", f"{directory}/run"], SERVER_CORE,
                            env={**os.environ, "NOTIFY_SOCKET": f"{directory}/notify"}, stderr=subprocess.DEVNULL)
            while b"READY=1" not in manager.recv(4096):
                pass
            bench.note("scale", "start", Broker.name, {"milliseconds to READY=1": (time.monotonic_ns() - began) / 1e6})
            stop(process)


def idle(bench):
    with bench.started(Broker, []) as broker:
        time.sleep(1)
        pid = broker.processes[0].pid
        before = wakes(pid)
        time.sleep(5)
        bench.note("scale", "idle, nobody subscribed", broker.name, {
            "wake-ups in 5 s": wakes(pid) - before, "resident, KiB": status(pid, "VmRSS")})


def wakes(pid):
    return sum(status(f"{pid}/task/{thread.name}", "voluntary_ctxt_switches") for thread in pathlib.Path(f"/proc/{pid}/task").iterdir())
