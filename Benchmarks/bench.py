"""Measures the broker beside its rivals, in interleaved rounds on one machine; prints a table, and writes it to a directory.

usage: bench.py [--quick] [--rounds N] [--seconds S] [--suites NAME,...] [--only TEXT] [--out DIRECTORY]
"""

import argparse
import pathlib
import sys
import time

from conductor import beside_gpsd, beside_iiod, fanout, faults, fidelity, latency, micro, report, scale
from conductor.bench import Bench, clock
from conductor.process import HERE

SUITES = {"fan-out": fanout, "latency": latency, "gpsd": beside_gpsd, "iiod": beside_iiod, "fidelity": fidelity, "scale": scale, "micro": micro}
# Not among the figures of speed: `make bench-faults`.
APART = {"faults": faults}


def main():
    everything = {**SUITES, **APART}
    parser = argparse.ArgumentParser(description="Measures the broker beside its rivals.")
    parser.add_argument("--quick", action="store_true", help="under two minutes: fewer cases, one round")
    parser.add_argument("--rounds", type=int, help="how often each case is measured (3; quick: 1)")
    parser.add_argument("--seconds", type=float, default=1, help="how long a window is open, where a case needs no longer (1)")
    parser.add_argument("--suites", default=",".join(SUITES), help="which (all but faults): " + ", ".join(everything))
    parser.add_argument("--only", default="", help="only the steps that have this in their names, as told while they run")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / ".build/results", help="where the results go")
    options = parser.parse_args()
    bench = Bench(options.quick, options.seconds)
    steps = [step for name in options.suites.split(",") for step in everything[name].steps(bench) if options.only in step.name]
    began = time.monotonic()
    bench.run(steps, options.rounds or (1 if options.quick else 3))
    report.write(bench, options.out, time.monotonic() - began)
    # Those for which there are figures.
    if not options.quick:
        from conductor import plot
        plot.draw(bench, options.out)
    print((options.out / "results.txt").read_text(), end="")
    print(f"took {clock(time.monotonic() - began)}; written to {options.out}", file=sys.stderr)
    sys.exit(1 if bench.failures else 0)


main()
