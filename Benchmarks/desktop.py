"""What the desktop's service costs on this host's own processor, beside iio-sensor-proxy: wake-ups, and time of all threads.

usage: desktop.py [--seconds N] [--rounds N] [--out FILE]

Both take turns on one accelerometer in namespaces of their own: handheld.py's. So what the kernel's driver does is not in the figures,
on either side; Tests/VM/count has it, in instructions. What is done and how it is counted is Tests/VM/test_desktop_costs.py's.
"""

import argparse
import os
import pathlib

from handheld import Chip, enter


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    enter("sensorbrokerd", "sensorbroker-desktop")
    os.environ["VM_SECONDS"] = str(options.seconds)
    from test_desktop_costs import Ours, Theirs, measure, table, told  # Only now: it takes the time from there.

    chip, figures = Chip(), {}
    for _ in range(options.rounds):
        for side in (Theirs, Ours):
            chip.reset()
            measure(side, chip, None, figures)
    lines = [*table(figures), "", *told(figures)]
    print("\n".join(lines))
    if options.out:
        options.out.write_text("\n".join([f"Medians of {options.rounds} rounds of {options.seconds} s, in turns.", "", *lines, ""]))


main()
