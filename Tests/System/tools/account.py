"""Computes from the timestamps of a stream's readings how many were due: each due time must be delivered once or
reported as lost once.

Clients do not know the grid of due times, and not every reading lies on it: a new client's first reading comes at once,
a reading held until the source fell silent comes before its due time, and the first one after a hole comes after it. So
due times are counted from one steady run of readings to the next: between the two, as many must have been delivered or
reported.
"""

import dataclasses
import statistics

# This many regular readings show where the grid lies.
STEADY = 3


@dataclasses.dataclass
class Run:
    """Readings at regular intervals, with the ideal times of the first and the last one."""

    stamps: list
    interval: int

    def __post_init__(self):
        phase = statistics.median(stamp - index * self.interval for index, stamp in enumerate(self.stamps))
        self.first, self.last = phase, phase + (len(self.stamps) - 1) * self.interval


@dataclasses.dataclass
class Stretch:
    """From the end of one run to the beginning of the next: how many readings were due, delivered and reported."""

    before: Run
    after: Run
    stamps: list
    gaps: list

    @property
    def due(self):
        return round((self.after.first - self.before.last) / self.before.interval) - 1

    @property
    def delivered(self):
        return len(self.stamps)

    @property
    def told(self):
        """How many readings the gaps count; None if one of them has no count."""
        counts = [gap.get("count") for gap in self.gaps]
        return None if None in counts else sum(counts)

    @property
    def surplus(self):
        """How many were accounted for twice, or if negative, how many not at all."""
        return 0 if self.told is None else self.delivered + self.told - self.due

    def __str__(self):
        start, interval = self.before.last, self.before.interval

        def on_grid(stamp):
            return f"{(stamp - start) / interval:.3f}"

        shown = self.before.stamps[-2:] + self.stamps + self.after.stamps[:2]
        gaps = [f"{gap['cause']} {gap.get('count')} from {on_grid(gap['fromNanoseconds'])} "
                f"until {on_grid(gap['untilNanoseconds'])}" for gap in self.gaps]
        return (f"{self.due} due, {self.delivered} delivered, {self.told} told; in intervals of {interval / 1e6:g} ms from "
                f"{start:.0f} on: readings {', '.join(map(on_grid, shown))}; gaps {'; '.join(gaps) or 'none'}")


class Account:
    """The account of a stream with one reading per interval, up to its last steady run."""

    def __init__(self, stamps, gaps, interval):
        self.stamps, self.interval = stamps, interval
        # A gap comes before the first reading that arrived after it.
        self.gaps = sorted(gaps, key=lambda gap: gap["untilNanoseconds"])
        self.runs = [Run(stamps[start:end], interval) for start, end in self.find_runs()]
        self.stretches = [self.stretch(before, after) for before, after in zip(self.runs, self.runs[1:])]

    @classmethod
    def of(cls, stream, interval, resource="accelerometer"):
        gaps = [gap for gap in stream.gaps if gap["resource"] == resource]
        return cls([stamp for stamp, _, _ in stream.samples], gaps, interval)

    def is_in_rhythm(self, earlier, later):
        return self.interval < 2 * (later - earlier) < 3 * self.interval and not self.gaps_in(earlier, later)

    def gaps_in(self, earlier, later):
        return [gap for gap in self.gaps if earlier < gap["untilNanoseconds"] <= later]

    def find_runs(self):
        start = 0
        for index in range(1, len(self.stamps) + 1):
            if index < len(self.stamps) and self.is_in_rhythm(self.stamps[index - 1], self.stamps[index]):
                continue
            if index - start >= STEADY:
                yield start, index
            start = index

    def stretch(self, before, after):
        earlier, later = before.stamps[-1], after.stamps[0]
        return Stretch(before, after, [stamp for stamp in self.stamps if earlier < stamp < later], self.gaps_in(earlier, later))

    @property
    def is_steady(self):
        """Whether everything received so far can be judged."""
        return bool(self.runs) and self.runs[-1].stamps[-1] == self.stamps[-1]

    @property
    def wrong(self):
        return [stretch for stretch in self.stretches if stretch.surplus]

    @property
    def delivered(self):
        return sum(len(run.stamps) for run in self.runs) + sum(stretch.delivered for stretch in self.stretches)

    @property
    def told(self):
        return sum(stretch.told or 0 for stretch in self.stretches)

    @property
    def due(self):
        return sum(len(run.stamps) for run in self.runs) + sum(
            stretch.delivered if stretch.told is None else stretch.due for stretch in self.stretches)
