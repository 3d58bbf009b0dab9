"""What iio-sensor-proxy and sensorbroker-desktop, with its broker, cost beside each other, and how soon they tell a turn.

They take turns on one hub, in rounds. `Tests/VM/count` runs it in a machine that counts instructions, with release builds, for the
table of docs/desktop.md. The figures with two processors, which that machine does not have, come from

    SENSORBROKERD_BIN=… SENSORBROKER_DESKTOP_BIN=… VM_SECONDS=40 VM_ROUNDS=2 Tests/VM/run test_desktop_costs.py -s

Nothing is asserted of times: only of instructions, and of how often somebody wakes up."""

import contextlib
import math
import os
import pathlib
import random
import re
import statistics
import tempfile
import time

import pytest

import proxy
from tools.desktop import Bus
from tools.waiting import until
from services import POSITIONS, Ours, Theirs, answered, caller, hub, orientations, turn, udev  # noqa: F401

pytestmark = pytest.mark.skipif(
    bool(proxy.MISSING), reason=f"NOT RUN: there is no {', '.join(proxy.MISSING)}: the desktop's service was not compared")

COUNTS = bool(os.environ.get("VM_COUNTS"))
UNIT = "thousand instructions" if COUNTS else "µs of a processor"
SECONDS = int(os.environ.get("VM_SECONDS", "5"))
ROUNDS = int(os.environ.get("VM_ROUNDS", "1"))
TURNS = max(1, SECONDS // 3)


def tasks(process):
    """Wake-ups so far, and nanoseconds on a processor, or instructions, of each thread of a process."""
    found = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            status, times = (task / "status").read_text(), (task / "schedstat").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            # It has ended meanwhile.
            continue
        name = re.search(r"^Name:\s+(.*)", status, re.MULTILINE).group(1)
        wakeups = re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status, re.MULTILINE).group(1)
        found[name, task.name] = int(wakeups), int(times[0])
    return found


def cost(processes, seconds, act=lambda index: None):
    """Wake-ups, and microseconds on a processor or thousands of instructions, in a second, by thread; `act` is called ten times in each
    of the seconds."""
    before, start = [tasks(process) for process in processes], time.monotonic()
    for index in range(seconds * 10):
        act(index)
        time.sleep(max(0, start + (index + 1) / 10 - time.monotonic()))
    after, elapsed = [tasks(process) for process in processes], time.monotonic() - start
    threads = {}
    for former, now in zip(before, after):
        for task, (wakeups, nanoseconds) in now.items():
            was = former.get(task, (0, 0))
            sums = threads.setdefault(task[0], [0, 0])
            sums[0] += (wakeups - was[0]) / elapsed
            sums[1] += (nanoseconds - was[1]) / elapsed / 1000
    return threads


def leaning(degrees):
    """The acceleration of a device that is upright, and turned by an angle around the axis through its screen; in milli-g."""
    angle = math.radians(degrees)
    return f"{1000 * math.sin(angle):.0f} {-1000 * math.cos(angle):.0f} 0"


def measure(side, hub, udev, figures):
    hub.tell(f"set accel {POSITIONS[-2][0]}")
    bus = Bus(tempfile.mkdtemp(prefix="bus-"))
    service = side(bus, udev)
    service.callers = []
    try:
        note = figures.setdefault(side.name, {})

        def window(name, act=lambda index: None):
            threads = cost(service.processes, SECONDS, act)
            note.setdefault(name, []).append(threads)

        time.sleep(3)  # What starting and calls have begun is over.
        window("nobody has claimed anything")
        claimer = caller(service)
        assert answered(claimer, "ClaimAccelerometer") == "answered"
        turn(hub, claimer, "0 -1000 0", "normal")
        note["the chip measures every"] = hub.tell("stats")["accel"]
        time.sleep(3)  # As above; also, a device runs slower only after two seconds.
        window("claimed, at rest")
        dice = random.Random(1)
        window("claimed, in a hand", lambda index: hub.tell(f"set accel {dice.randint(-40, 40)} -1000 {dice.randint(-40, 40)}"))
        window("claimed, turned by 36° a second", lambda index: hub.tell(f"set accel {leaning(index * 3.6)}"))
        claimer.process()
        told = len(orientations(claimer))
        # At random, since who looks every eighth time at a device that turns in fours sees it at rest.
        window("claimed, turned ten times a second", lambda index: hub.tell(f"set accel {dice.choice(POSITIONS)[0]}"))
        claimer.process()
        note.setdefault("orientations told a second, of ten", []).append((len(orientations(claimer)) - told) / SECONDS)
        for index in range(TURNS):
            position, word = POSITIONS[index % 2]
            turn(hub, claimer, *POSITIONS[(index + 1) % 2])
            # At any time between two looks, whether they are 0.7 s apart or 0.85.
            time.sleep(dice.uniform(0, 5.95))
            begin = time.monotonic()
            turn(hub, claimer, position, word)
            note.setdefault("turn", []).append((time.monotonic() - begin) * 1000)
    finally:
        for one in service.callers:
            one.close()
        service.close()
        bus.close()


def total(threads):
    return [sum(values) for values in zip(*threads.values())]


def costs(figures):
    """Theirs and ours, by what happens and unit."""
    found = {}
    for name in [name for name in figures[Ours.name] if name.startswith(("nobody", "claimed"))]:
        totals = {side: [total(threads) for threads in figures[side][name]] for side in (Theirs.name, Ours.name)}
        for place, unit in enumerate(("wake-ups", UNIT)):
            found[name, unit] = [statistics.median(one[place] for one in each) for each in totals.values()]
    return found


def table(figures):
    lines = [f"| in a second | {Theirs.name} | {Ours.name} |", "| --- | --- | --- |"]
    for (name, unit), values in costs(figures).items():
        lines.append(f"| {name}: {unit} | " + " | ".join(f"{value:.{2 if unit == 'wake-ups' else 0}f}" for value in values) + " |")
    return lines


def told(figures):
    """How soon, and how often, each tells a turn."""
    lines = []
    for side, note in figures.items():
        late = sorted(note["turn"])
        lines.append(
            f"{side}: a turn is told after {statistics.mean(late):.0f} ms, at most {late[-1]:.0f} ms, {len(late)} turns;"
            f" told while turned ten times a second: {statistics.median(note['orientations told a second, of ten']):.2f} a second;"
            f" the chip measures every {note['the chip measures every']} ms")
    return lines


@pytest.mark.skipif(not COUNTS and SECONDS < 40, reason="it is for a machine that counts instructions: Tests/VM/count")
def test_what_they_cost(hub, udev):
    figures = {}
    for _ in range(ROUNDS):
        for side in (Theirs, Ours):
            measure(side, hub, udev, figures)
    print("\n".join(["", *table(figures), *told(figures)]))
    for side, note in figures.items():
        print(side)
        for name, windows in note.items():
            if name.startswith(("nobody", "claimed")):
                print("   ", name, {thread: [round(value, 2) for value in values] for thread, values in windows[-1].items() if any(values)})
    if COUNTS:
        for (name, unit), (theirs, ours) in costs(figures).items():
            assert ours <= theirs, f"{name}: more {unit} than iio-sensor-proxy"


def wakeups(service):
    """Of the threads that read devices, and of those that serve clients and programs of the desktop."""
    counts = {True: 0, False: 0}
    for process in service.processes:
        for (_, thread), (count, _) in tasks(process).items():
            counts[thread == str(process)] += count
    return counts[False], counts[True]


def reads(service):
    """How often the threads of devices have read something."""
    found = 0
    for process in service.processes:
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            # One that ends meanwhile has read nothing more.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if task.name != str(process):
                    found += int(re.search(r"^syscr: (\d+)", (task / "io").read_text(), re.MULTILINE).group(1))
    return found


def test_at_rest_a_look_at_the_sensor_wakes_one_thread(hub, udev):
    """Not the loop, nor the service, and it reads once. Whatever the pace is, both are counted beside the wake-ups in which something
    is read."""
    hub.tell(f"set accel {POSITIONS[0][0]}")
    bus = Bus(tempfile.mkdtemp(prefix="bus-"))
    service = Ours(bus, udev)
    service.callers = []
    claimer = caller(service)
    assert answered(claimer, "ClaimAccelerometer") == "answered"
    turn(hub, claimer, *POSITIONS[1])
    until(lambda: hub.tell("stats")["accel"] == 850, "the chip measures as seldom as it is looked at")

    def looks():
        """How often, in 24 looks at the sensor, others were woken, and how many reads there were for each."""
        before, (reading, serving) = reads(service), wakeups(service)
        until(lambda: wakeups(service)[0] >= reading + 24, "24 looks at the sensor")
        return wakeups(service)[1] - serving, (reads(service) - before) / (wakeups(service)[0] - reading)

    # Now and then there is a look whether a driver hangs, a sign of life in the stream, and the end of what came before; and a host
    # that stands still adds some. One wake-up for each look would be in all of them.
    for _ in range(3):
        served, taken = looks()
        # A thread that was late reads until nothing is left.
        if served <= 12 and taken <= 1.5:
            break
    assert served <= 12, "the loop, or the service, is woken for samples from which nothing follows"
    assert taken <= 1.5, "each look reads more than once"
    for one in service.callers:
        one.close()
    service.close()
    bus.close()
