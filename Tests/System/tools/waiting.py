"""The one way in which tests wait for something that they must ask for again and again."""

import time

from tools.programs import PATIENCE


def until(condition, what, details=None):
    """Asks until a condition holds, and returns what it found.

    Fails with what was waited for: a text, or a function that makes it; and with the details that another function gives.
    """
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, (
            f"waited {PATIENCE:.0f} s in vain: {what() if callable(what) else what}" + (f"; {details()}" if details else ""))
        time.sleep(0.01)
    return found
