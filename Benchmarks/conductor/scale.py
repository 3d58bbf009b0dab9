"""How cost and memory grow with clients, lanes and rate; how long a start takes; what an idle daemon does."""

import functools
import os
import pathlib
import resource
import socket
import subprocess
import tempfile
import time

from .bench import Step
from .process import SERVER_CORE, start, status, stop
from .systems import ACCELEROMETER, BROKER, Broker
from .window import measure, observe

COST = "microseconds of all threads per message"
RESIDENT = "resident, KiB"
SHARE = "share of a core, percent"


def steps(bench):
    clients_of = (1, 100, 1000) if bench.quick else (1, 10, 100, 1000, 2000, 4000)
    lanes_of = (1, 100) if bench.quick else (1, 10, 100, 1000)
    rates_of = (100, 1000) if bench.quick else (1, 10, 100, 1000, 4000)
    found = [
        *((f"{count} clients of 10 Hz", functools.partial(clients, bench, count)) for count in clients_of),
        *((f"{count} lanes", functools.partial(lanes, bench, count)) for count in lanes_of),
        *((f"{hertz} Hz, 10 clients", functools.partial(rate, bench, hertz, 10)) for hertz in rates_of),
        ("100 Hz, 1024 clients", functools.partial(rate, bench, 100, 1024)),
        ("4000 Hz in batches of 10 ms, 100 clients", functools.partial(rate, bench, 4000, 100, 10_000_000)),
        ("start", functools.partial(starting, bench)),
        ("idle", functools.partial(idle, bench)),
    ]
    return [Step(f"scale: {name}", run, rounds=1 if name == "idle" else None) for name, run in found]


def clients(bench, count):
    spare = 64
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < count + spare:
        raise RuntimeError(f"{count} clients need more descriptors than this shell may have: raise `ulimit -Hn`")
    with bench.started(Broker, [{**ACCELEROMETER, "intervalNanoseconds": 100_000_000}]) as broker:
        label = f"{count} {'client' if count == 1 else 'clients'} of 10 Hz"
        first = observe(broker, 1, bench.seconds / 4)["resident"]
        figures = measure(broker, count, bench.seconds)
        bench.note("scale", label, broker.name, {
            COST: figures["whole"] / 1000,
            RESIDENT: figures["resident"],
            "lost": figures["lost"]})
        if count > 1:
            bench.note("scale", label, broker.name, {
                "resident for each further client, KiB": (figures["resident"] - first) / (count - 1)})


def lanes(bench, count):
    """All ask for 10 to 20 ms: what grows is the number of lanes and not that of messages."""
    with bench.started(Broker, [{**ACCELEROMETER, "intervalNanoseconds": "INTERVAL"}]) as broker:
        broker.call = broker.call.replace(b'"INTERVAL"', b"INTERVAL")
        figures = measure(broker, 100 if bench.quick else 1000, bench.seconds, lanes=count)
        label = f"{count} {'lane' if count == 1 else 'lanes'}"
        bench.note("scale", label, broker.name, {COST: figures["whole"] / 1000, "lost": figures["lost"]})


def rate(bench, hertz, count, batch=0):
    request = {**ACCELEROMETER, "intervalNanoseconds": 1_000_000_000 // hertz, "batchNanoseconds": batch}
    with bench.started(Broker, [request]) as broker:
        figures = measure(broker, count, max(bench.seconds, 4 if hertz == 1 else 0))
        label = f"{hertz} Hz" + (f" in batches of {batch // 1_000_000} ms" if batch else "") + f", {count} clients"
        bench.note("scale", label, broker.name, {
            COST: figures["whole"] / 1000,
            "messages a second for each client": figures["messages"] / figures["seconds"] / count,
            SHARE: figures["whole"] * figures["messages"] / figures["seconds"] / 1e7,
            "lost": figures["lost"]})


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
            "wake-ups in 5 s": wakes(pid) - before, RESIDENT: status(pid, "VmRSS")})


def wakes(pid):
    return sum(status(f"{pid}/task/{thread.name}", "voluntary_ctxt_switches") for thread in pathlib.Path(f"/proc/{pid}/task").iterdir())
