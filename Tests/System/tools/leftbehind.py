"""A hook for conftest.py: when the last test of a file is over, no process below the one that runs the tests may live."""

import pytest

from tools.processes import end_those_left

# So long may a process take to end that is about to.
SECONDS = 30


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    try:
        return (yield)
    finally:
        if nextitem is None or nextitem.path != item.path:
            left = end_those_left(SECONDS)
            assert not left, f"left behind by the tests of {item.path.name}: {left}"
