"""How long a program is ready to wait, in seconds."""

from __future__ import annotations

from typing import Optional

from . import errors

#: So many seconds are three hundred years, and fit 64 bits as nanoseconds.
_ENDLESS = 9e9
#: How long the broker may take for an answer that it need not wait for, if no longer wait is asked for.
REPLY = 1.0
#: No limit, where a number has to be sent.
ENDLESS_NS = 9 * 10**18


def limit(name: str, seconds: Optional[float]) -> Optional[float]:
    """The seconds of a time that is called so; None if there is no limit, as where they are infinitely many."""
    if seconds is None:
        return None
    if seconds != seconds:
        raise errors.InvalidRequest(f"{name}={seconds} is not valid; it is a number of seconds, or None for no limit")
    return max(0.0, seconds) if seconds < _ENDLESS else None


def limit_ns(name: str, seconds: Optional[float]) -> Optional[int]:
    """The same in nanoseconds."""
    limited = limit(name, seconds)
    return None if limited is None else round(limited * 1e9)
