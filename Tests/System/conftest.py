"""Fixtures of all tests in this folder."""

import signal

from tools import temporary
from tools.fixtures import authority, bridge, closing, daemon, directory, replay, sensorctl, server, silent, start  # noqa: F401
from tools.heldup import pytest_addoption, pytest_configure  # noqa: F401  hooks
from tools.leftbehind import pytest_runtest_teardown  # noqa: F401  a hook
from tools.road import road  # noqa: F401  a fixture

temporary.shorten(37)

# Programs honour signals that they inherit as ignored, as below nohup or in the background of a script: the programs of the
# tests inherit them as they usually are.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
