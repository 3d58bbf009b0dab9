"""What the daemon does, by perf: how much of it is the kernel's and how much ours, for each message and by symbol.

usage: hotspots.py [--kind KIND] [--clients N] [--seconds S]
"""

import argparse
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from conductor.bench import Bench
from conductor.systems import READINGS, BareLoop, Broker

COUNTED = ("instructions:u", "instructions:k", "cycles:u", "cycles:k")
# So that a thread that is idle most of the time gives some thousand samples.
CYCLES_PER_SAMPLE = 20_000
SYMBOLS = 25


def main():
    parser = argparse.ArgumentParser(description="Shows what the daemon does, by perf.")
    parser.add_argument("--kind", choices=READINGS, default="acceleration", help="what is sent (acceleration)")
    parser.add_argument("--clients", type=int, default=100, help="to how many (100)")
    parser.add_argument("--seconds", type=int, default=5, help="for how long (5)")
    options = parser.parse_args()
    if not shutil.which("perf"):
        unable("there is no perf (on Debian: apt-get install linux-perf)")
    hertz, requests = READINGS[options.kind]
    bench = Bench(quick=True, seconds=options.seconds)
    message = bench.message(options.kind)
    print(f"{options.kind}, {options.clients} clients: of all threads, for each message")
    with bench.started(Broker, requests) as broker:
        tell_counts(broker, options)
        symbols = sampled(broker, options)
    with bench.started(BareLoop, hertz, message) as loop:
        tell_counts(loop, options)
    tell_symbols(Broker.name, symbols)


def unable(why):
    print(f"hotspots: {why}", file=sys.stderr)
    sys.exit(69)


def perf(*words):
    ran = subprocess.run(["perf", *map(str, words)], capture_output=True, text=True)
    if ran.returncode:
        unable(f"perf {words[0]} may not, or cannot, look here (see /proc/sys/kernel/perf_event_paranoid):\n{ran.stderr.strip()}")
    return ran


@contextlib.contextmanager
def busy(system, count):
    """Its clients are there, and count from here on."""
    with system.clients(count) as clients:
        clients.wait_ready()
        time.sleep(0.5)
        clients.open()
        yield clients


def tell_counts(system, options):
    with busy(system, options.clients) as clients:
        words = ["stat", "-x,", "-e", ",".join(COUNTED), "-p", system.processes[0].pid, "--", "sleep", options.seconds]
        lines = [line.split(",") for line in perf(*words).stderr.splitlines() if line.count(",") > 2]
        messages = clients.close()["messages"]
    counts = {line[2]: line[0] for line in lines}
    if not all(counts.get(name, "").isdigit() for name in COUNTED):
        unable(f"perf cannot count here: {counts}")
    each = {name: int(counts[name]) / messages for name in COUNTED}
    share = each["cycles:k"] / (each["cycles:u"] + each["cycles:k"])
    print(f"  {system.name:14} user {each['instructions:u']:6.0f} instructions, {each['cycles:u']:6.0f} cycles;"
          f" kernel {each['instructions:k']:6.0f} instructions, {each['cycles:k']:6.0f} cycles, {share:.0%} of them all")


def sampled(system, options):
    """(share in percent, whose, symbol), the largest first."""
    with tempfile.TemporaryDirectory() as directory, busy(system, options.clients):
        data = pathlib.Path(directory) / "perf.data"
        perf("record", "-q", "-e", "cycles", "-c", CYCLES_PER_SAMPLE, "-o", data, "-p", system.processes[0].pid, "--",
             "sleep", options.seconds)
        text = perf("report", "-q", "--stdio", "-i", data, "-F", "overhead,symbol", "-t", ";").stdout
    if shutil.which("swift"):
        text = subprocess.run(["swift", "demangle", "--simplified"], input=text, capture_output=True, text=True, check=True).stdout
    found = []
    for line in text.splitlines():
        share, separator, symbol = line.partition(";")
        if separator:
            found.append((float(share.strip().rstrip("%")), "kernel" if symbol.strip().startswith("[k]") else "ours", symbol.strip()[4:]))
    return sorted(found, reverse=True)


def tell_symbols(name, symbols):
    for whose in ("ours", "kernel"):
        its = [(share, symbol) for share, owner, symbol in symbols if owner == whose]
        print(f"{name}, {whose}: {sum(share for share, _ in its):.1f} % of the samples")
        for share, symbol in its[:SYMBOLS]:
            print(f"  {share:5.2f} %  {symbol[:140]}")


main()
