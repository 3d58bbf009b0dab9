"""The figures as lines for people, as JSON for programs, and the machine that they are of."""

import json
import os
import pathlib
import platform
import statistics
import subprocess

from .iio import IIOD
from .process import CORES

OURS = "sensorbrokerd"
LIMIT = "bare C loop"


def lines(bench):
    """One line a figure: the median of each system, its spread, and how ours compares with it."""
    suite = case = None
    for (a_suite, a_case, name), systems in bench.figures.items():
        if a_suite != suite:
            suite = a_suite
            yield f"\n{suite.upper()}"
        if a_case != case:
            case = a_case
            yield f"  {case}"
        yield f"    {name}: " + "; ".join(words(system, values, systems.get(OURS)) for system, values in systems.items())


def words(system, values, ours):
    median = statistics.median(values)
    text = f"{system} {number(median)}"
    if len(values) > 1:
        text += f" ({number(min(values))} to {number(max(values))})"
    if ours and system != OURS and median:
        # Of rounds that belong together, since the machine is not the same in each.
        ratios = [mine / theirs for mine, theirs in zip(ours, values) if theirs]
        text += f", ours {number(statistics.median(ratios))} of it"
        if len(ratios) > 1:
            text += f" ({number(min(ratios))} to {number(max(ratios))})"
    return text


def number(value):
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def versions():
    def first_line(*command):
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=20)
        except OSError:
            return "not there"
        return (ran.stdout or ran.stderr).splitlines()[0]

    model = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    return {
        "processor": f"{model}, {len(CORES)} cores for the bench of {os.cpu_count()}",
        "kernel": platform.release(),
        "gpsd": first_line("/usr/sbin/gpsd", "-V"),
        "iiod": first_line(IIOD or "iiod", "--version"),
        "dbus-daemon": first_line("dbus-daemon", "--version"),
        "cc": first_line("cc", "--version"),
        "swift": first_line("swift", "--version"),
    }


def write(bench, directory, took):
    directory.mkdir(parents=True, exist_ok=True)
    figures = [{"suite": suite, "case": case, "figure": name, "system": system, "median": statistics.median(values), "rounds": values}
               for (suite, case, name), systems in bench.figures.items() for system, values in systems.items()]
    everything = {"machine": versions(), "seconds per window": bench.seconds, "took seconds": round(took), "not measured": bench.failures,
                  "figures": figures}
    (directory / "results.json").write_text(json.dumps(everything, indent=1) + "\n")
    text = [*(f"{key}: {value}" for key, value in everything["machine"].items()), *lines(bench)]
    text += ["\nNOT MEASURED", *(f"  {failure}" for failure in bench.failures)] if bench.failures else []
    (directory / "results.txt").write_text("\n".join(text) + "\n")
