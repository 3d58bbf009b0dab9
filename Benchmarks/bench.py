"""Measures the broker beside its rivals, in interleaved rounds on one machine; prints a table, and writes it to a directory.

usage: bench.py [--quick] [--rounds N] [--seconds S] [--suites NAME,...] [--out DIRECTORY]
"""

import argparse
import pathlib
import sys
import time

from conductor import fanout, faults, fidelity, latency, micro, report, scale
from conductor.bench import Bench
from conductor.process import HERE

SUITES = {"fan-out": fanout, "latency": latency, "fidelity": fidelity, "scale": scale, "micro": micro}
# Not among the figures of speed: `make bench-faults`.
APART = {"faults": faults}
# These depend little on what the machine does meanwhile.
ONCE = ("fidelity", "micro")


def main():
    parser = argparse.ArgumentParser(description="Measures the broker beside its rivals.")
    parser.add_argument("--quick", action="store_true", help="under two minutes: fewer cases, one round")
    parser.add_argument("--rounds", type=int, help="how often each case is measured (3; quick: 1)")
    parser.add_argument("--seconds", type=float, help="how long a window is open (3; quick: 1)")
    parser.add_argument("--suites", default=",".join(SUITES), help="which (all but faults): " + ", ".join({**SUITES, **APART}))
    parser.add_argument("--out", type=pathlib.Path, default=HERE / ".build/results", help="where the results go")
    options = parser.parse_args()
    bench = Bench(options.quick, options.seconds or (1 if options.quick else 3))
    began = time.monotonic()
    for turn in range(options.rounds or (1 if options.quick else 3)):
        for name in options.suites.split(","):
            if turn == 0 or name not in ONCE:
                print(f"round {turn + 1}: {name}", file=sys.stderr)
                {**SUITES, **APART}[name].run(bench)
    report.write(bench, options.out, time.monotonic() - began)
    # The pictures show several suites side by side.
    if not options.quick and options.suites == ",".join(SUITES):
        from conductor import plot
        plot.draw(bench, options.out)
    print((options.out / "results.txt").read_text(), end="")


main()
