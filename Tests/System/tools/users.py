"""Clients of other users: the kernel tells the daemon who connects, and with which groups."""

import atexit
import contextlib
import functools
import os
import shutil
import tempfile

import pytest

# Ids without an account: no such user need exist.
ALICE, BOB = 61001, 61002

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="NOT RUN: only root can connect as other users, so what they may do was not tried")


@functools.cache
def everybodys(program):
    """A copy of a program that every user may run: a checkout is often closed to others, as home directories are."""
    directory = tempfile.mkdtemp(prefix="sb-program-")
    atexit.register(shutil.rmtree, directory)
    os.chmod(directory, 0o755)
    copy = shutil.copy(program, directory)
    os.chmod(copy, 0o755)
    return copy


@contextlib.contextmanager
def as_user(user, groups=()):
    """Connections made within this context belong to that user, with these groups and the one of the same number."""
    former = os.getgroups()
    os.setgroups(groups)
    os.setegid(user)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(former)


def let_everybody_in(daemon):
    """Opens the test's directory and socket, which are root's, to all users."""
    os.chmod(daemon.directory, 0o755)
    os.chmod(daemon.broker, 0o666)
