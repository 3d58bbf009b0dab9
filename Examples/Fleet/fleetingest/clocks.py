"""UTC from CLOCK_BOOTTIME, by what a host told of both clocks; it knows neither the database nor the host's clock.

Both clocks of a host run at one speed, so what is between them changes only where the clock is set. Once it follows a reference, it was wrong
before; without any reference it was so if it jumps forward by more than a minute, since clocks begin in the past. Then what was computed until
now is put right. Any other step changes nothing before it: the newest relation before an instant is right, or else the first one. Of those in a
row that say the same, the first and the last are kept.
"""

import bisect

SET_MICROSECONDS = 60_000_000
SAME_MICROSECONDS = 1_000
# A host that steps its clock more often is not followed any further.
RELATIONS = 10_000


class Change:
    """What follows from a relation: whether it is in force, what is superseded, and whether earlier readings have to be put right."""

    __slots__ = ("is_in_force", "superseded", "corrects")

    def __init__(self, is_in_force=False, superseded=(), corrects=False):
        self.is_in_force, self.superseded, self.corrects = is_in_force, superseded, corrects


def offset(relation):
    return relation[1] - relation[0] // 1000


class Relations:
    """Those of one boot that are in force, by their instant: (boot nanoseconds, UTC microseconds, is synchronized)."""

    def __init__(self, relations=()):
        self.rows = sorted(relations)

    def add(self, nanoseconds, microseconds, is_synchronized):
        """Takes a relation; returns what follows from it."""
        new, newest = (nanoseconds, microseconds, bool(is_synchronized)), self.rows[-1] if self.rows else None
        if newest is None or new[2] and not newest[2]:
            return self.begin(new)
        if newest[2] and not new[2] or len(self.rows) >= RELATIONS:
            return Change()
        if not new[2] and new[0] > newest[0] and offset(new) - offset(newest) > SET_MICROSECONDS:
            return self.begin(new)
        if not new[2] and new[0] < newest[0] and offset(newest) - offset(new) > SET_MICROSECONDS:
            return Change()
        place = bisect.bisect_left(self.rows, (nanoseconds,))
        if place < len(self.rows) and self.rows[place][0] == nanoseconds:
            return Change()
        if place == len(self.rows) > 1 and all(abs(offset(new) - offset(row)) <= SAME_MICROSECONDS for row in self.rows[-2:]):
            self.rows[-1] = new
            return Change(True, (newest[0],))
        self.rows.insert(place, new)
        return Change(True)

    def begin(self, new):
        outdated, self.rows = self.rows, [new]
        return Change(True, [row[0] for row in outdated], True)

    def at(self, stamp):
        """UTC in microseconds, and whether the clock was synchronized; nothing without a stamp, or if nothing is known."""
        if stamp is None or not self.rows:
            return None, False
        nanoseconds, microseconds, is_synchronized = self.rows[max(0, bisect.bisect_right(self.rows, (stamp, float("inf"))) - 1)]
        return microseconds + (stamp - nanoseconds) // 1000, is_synchronized
