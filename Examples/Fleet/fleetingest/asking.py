"""When to ask a host for what is missing: a decision from what is missing, who is online, and the time, which it takes as arguments.

A host sends what is left from before by itself, so a hole is asked for once it has been there for a while, and again after ever
longer waits. Nothing is asked while the host is away, and all begins anew when it is back.
"""

LONGEST_SECONDS = 300
RANGES_A_HOST, RANGES = 10, 500


class Wait:
    """Of a stream: what was missing, up to which number it was at the last request, how long to wait, and until when."""

    __slots__ = ("ranges", "newest", "seconds", "due")

    def __init__(self, ranges, seconds, now):
        self.ranges, self.newest, self.seconds, self.due = ranges, ranges[-1][1], seconds, now + seconds


class Asking:
    def __init__(self, every_seconds):
        self.every, self.online = every_seconds, set()
        # By host, resource and epoch; and when each host was asked last.
        self.waits, self.asked = {}, {}

    def due(self, missing, online, now):
        """Of rows (host, resource, epoch, first, last) those to ask for now."""
        back, self.online = set(online) - self.online, set(online)
        holes = {}
        for host, resource, epoch, first, last in missing:
            if host in self.online:
                holes.setdefault((host, resource, epoch), []).append((first, last))
        self.waits = {key: wait for key, wait in self.waits.items() if key in holes and key[0] not in back}
        self.asked = {host: when for host, when in self.asked.items() if host in self.online}
        found, each = [], {}
        # Whoever was asked longest ago comes first.
        for key in sorted(holes, key=lambda key: self.asked.get(key[0], -1)):
            host, ranges = key[0], sorted(holes[key])
            wait = self.waits.setdefault(key, Wait(ranges, self.every, now))
            if wait.ranges != ranges:
                # Something came, or more is missing: whoever answers is asked at the shortest interval.
                wait.ranges, wait.seconds, wait.due = ranges, self.every, min(wait.due, now + self.every)
            room = min(RANGES - len(found), RANGES_A_HOST - each.get(host, 0))
            if wait.due > now or room <= 0:
                continue
            # What is missing only since then may still be on its way.
            asked = [(*key, first, min(last, wait.newest)) for first, last in ranges if first <= wait.newest][:room]
            found += asked
            each[host], self.asked[host] = each.get(host, 0) + len(asked), now
            wait.seconds = min(wait.seconds * 2, LONGEST_SECONDS)
            wait.newest, wait.due = ranges[-1][1], now + wait.seconds
        return found
