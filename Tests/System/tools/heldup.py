"""Holds tests up where they read, as a busy host does: `--held-up SEED` finds tests that take their own pauses for the daemon's.

A socket holds half a second of readings, so a stream whose test was held up for longer has gaps; see `Stream.losses`.
"""

import random
import time

from tools.wire import Connection

#: How many of the reads are late, and by how many seconds.
SHARE = 0.03
SECONDS = 0.3, 1.5


def pytest_addoption(parser):
    parser.addoption("--held-up", type=int, metavar="SEED", help="hold tests up at random where they read")


def pytest_configure(config):
    seed = config.getoption("held_up")
    if seed is None:
        return
    dice, receive = random.Random(seed), Connection.receive_some

    def receive_late(connection):
        if dice.random() < SHARE:
            time.sleep(dice.uniform(*SECONDS))
        return receive(connection)

    Connection.receive_some = receive_late
