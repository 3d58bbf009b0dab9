"""Waits between attempts."""

from __future__ import annotations

import random


class Backoff:
    """Waits that grow from a quarter of a second to two seconds, with jitter: many programs come back at the same time."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._failures = 0

    def next_ns(self) -> int:
        """The wait after another failure."""
        wait = min(2.0, 0.25 * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return int(wait * (0.8 + 0.4 * self._chance.random()) * 1_000_000_000)

    def reset(self) -> None:
        """Notes a success."""
        self._failures = 0
