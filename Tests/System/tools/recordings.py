"""Compares recordings: the output of the devices must be equal up to one constant offset of the clock.

`python3 -m tools.recordings A B` says whether B, recorded while A was replayed, is the same: each resource's samples with
their values, numbers and spacing to the nanosecond, its gaps with cause, count and span, and its states, in order.
States count from the first one after the opening of the device, and without the state at the end of the recording.
"""

import json
import sys

from tools.stream import samples_of

OVER = "the recording has ended"


class Recording:
    def __init__(self, path):
        self.samples, self.gaps, self.states, self.order = {}, {}, {}, {}
        self.headers = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                self.take(json.loads(line))

    def take(self, line):
        if "recording" in line:
            self.headers.append(line["recording"])
        elif "sequence" in line:
            samples = [(stamp, sequence if index == 0 else None, values)
                       for index, (stamp, sequence, values) in enumerate(samples_of(line))]
            self.samples.setdefault(line["resource"], []).extend(samples)
            self.order.setdefault(line["resource"], []).extend(["sample"] * len(samples))
        elif "gap" in line:
            gap = line["gap"]
            self.gaps.setdefault(gap["resource"], []).append(
                (gap["cause"], gap.get("count"), gap["fromNanoseconds"], gap["untilNanoseconds"]))
        elif "resource" in line:
            self.note(line["resource"])

    def note(self, resource):
        state = (resource["state"], resource.get("reason"))
        states = self.states.setdefault(resource["name"], [])
        if (not states and state[0] in ("idle", "warm", "starting")) or (states and states[-1] == state):
            return
        if OVER in (state[1] or ""):
            return
        states.append(state)
        self.order.setdefault(resource["name"], []).append(state[0])

    @property
    def start(self):
        """The first instant of all resources."""
        return min([samples[0][0] for samples in self.samples.values()])


def same(sample, other):
    """Of the readings in one reply, only the first has a number."""
    return sample[::2] == other[::2] and (None in (sample[1], other[1]) or sample[1] == other[1])


def difference(first, second):
    """The difference between two recordings as text; None if they are equal."""
    offset = second.start - first.start
    if set(first.samples) != set(second.samples):
        return f"resources {sorted(first.samples)} and {sorted(second.samples)}"
    for name, samples in first.samples.items():
        moved = [(stamp + offset, sequence, values) for stamp, sequence, values in samples]
        others = second.samples[name]
        if len(moved) != len(others) or not all(map(same, moved, others)):
            place = next((i for i, (a, b) in enumerate(zip(moved, others)) if not same(a, b)),
                         min(len(moved), len(others)))
            return (f"{name}: {len(moved)} and {len(others)} samples, sample {place}: "
                    f"{moved[place:place + 1]} and {others[place:place + 1]}")
        gaps = [(cause, count, start + offset, end + offset) for cause, count, start, end in first.gaps.get(name, [])]
        if gaps != second.gaps.get(name, []):
            return f"{name}: gaps {gaps} and {second.gaps.get(name)}"
        if first.states.get(name) != second.states.get(name):
            return f"{name}: states {first.states.get(name)} and {second.states.get(name)}"
    return None


if __name__ == "__main__":
    found = difference(Recording(sys.argv[1]), Recording(sys.argv[2]))
    print(found or "the same")
    sys.exit(found is not None)
