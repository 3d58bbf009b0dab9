"""Eight users make calls as fast as they can, each on many connections, while another client gets a reading every ten
milliseconds.
"""

import contextlib
import mmap
import os
import random
import signal
import struct

import pytest

from tools.daemon import die_with_parent
from tools.programs import ADMIN, BROKER
from tools.rates import Witnesses, check_account
from tools.stream import MILLISECOND, Stream, boot_nanoseconds
from tools.users import as_user, let_everybody_in, needs_root
from tools.wire import Closed, Connection, call

VICTIM, POLITE, HOSTILE = 61_001, 61_002, range(61_011, 61_019)
CONNECTIONS = 60
# One rate, as fast as the victim requests: the requests of others do not change the device.
SCENARIO = """[Scenario]
Seed=4
[accelerometer]
Rates=100Hz
Motion=walk at 1.8Hz for 60s
[location]
Rates=10Hz
Position=50,10,3m
"""


def slow_request(number=0):
    return {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND + number, "minimumChange": 1000.0}


class Flood:
    """One user's connections: each is sent as many calls as it accepts, and the replies are counted."""

    def __init__(self, path, count):
        self.path, self.count = path, count
        self.connections = []

    def connect(self):
        for _ in range(CONNECTIONS):
            connection = Connection(self.path)
            connection.socket.setblocking(False)
            self.connections.append(connection)

    def send(self, calls):
        """Sends as much as fits; half a call does not count, and is completed the next time."""
        for connection in self.connections:
            with contextlib.suppress(BlockingIOError):
                if not connection.buffer:
                    connection.buffer += calls
                sent = connection.socket.send(connection.buffer)
                del connection.buffer[:sent]

    def hear(self):
        for connection in self.connections:
            with contextlib.suppress(BlockingIOError):
                answer = connection.socket.recv(1 << 18)
                assert answer, "a connection was closed"
                self.count(answer.count(b"\0"))


def text(*calls):
    return b"".join(bytes(str(one).replace("'", '"').replace("True", "true"), "utf-8") + b"\0" for one in calls)


def modify(flood):
    stream = Stream(flood.path, slow_request())
    flood.connect()
    number = 0
    while True:
        number += 1
        parameters = {"subscription": stream.subscription, "requests": [slow_request(number % 1000)]}
        flood.send(text(*[call(f"{BROKER}.Modify", parameters)] * 4))
        flood.hear()
        stream.note_what_is_there()


def read(flood):
    flood.connect()
    while True:
        flood.send(text(*[call(f"{BROKER}.Read", {"resource": "accelerometer", "maximumAgeNanoseconds": 10**9})] * 4))
        flood.hear()


def lists(flood):
    flood.connect()
    while True:
        flood.send(text(*[call(f"{BROKER}.ListResources")] * 8))
        flood.hear()


def churn(flood):
    """Connects, subscribes and leaves, sometimes without reading the reply."""
    dice = random.Random(5)
    while True:
        streams = []
        for number in range(20):
            connection = Connection(flood.path)
            connection.send(call(f"{BROKER}.Subscribe", {"requests": [slow_request(number)]}, more=True))
            streams.append(connection)
        for connection in streams:
            with contextlib.suppress(Closed):
                if dice.random() < 0.5:
                    connection.receive()
                    flood.count(1)
            connection.close()


@pytest.fixture
def hostile():
    """Starts processes of several users, and counts the replies to each."""
    counts, processes = mmap.mmap(-1, 4096), []

    def count_of(place):
        return struct.unpack_from("=Q", counts, 8 * place)[0]

    def start(user, place, act, path):
        process = os.fork()
        if process:
            processes.append(process)
            return
        try:
            die_with_parent()
            os.nice(5)
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            # setresuid(2) resets this.
            die_with_parent()
            act(Flood(path, lambda more: struct.pack_into("=Q", counts, 8 * place, count_of(place) + more)))
        finally:
            os._exit(1)

    yield start, lambda: [count_of(place) for place in range(len(processes))], processes
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


@needs_root
def test_eight_hostile_users_cost_another_no_reading(start, tmp_path, hostile):
    begin, counts, processes = hostile
    scenario = tmp_path / "steady.scenario"
    scenario.write_text(SCENARIO)
    daemon = start(f"--mock={scenario}")
    let_everybody_in(daemon)
    with as_user(VICTIM):
        victim = Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND})
    victim.until(lambda s: len(s.samples) >= 3, "readings")
    for place, user in enumerate(HOSTILE):
        begin(user, place, (modify, read, lists, churn)[place % 4], daemon.broker)

    def await_progress():
        """Waits until each of the eight gets more replies, so none of them waits for the others to finish."""
        before = counts()
        victim.until(lambda _: all(now > former for now, former in zip(counts(), before)),
                     "an answer to each of the eight")

    await_progress()
    first = len(victim.samples)
    with as_user(POLITE):
        polite = Connection(daemon.broker)
    administrator = Connection(daemon.admin)
    for _ in range(10):
        # A client that calls now and then, and an administrator, are answered amid all of it, and each of the eight continues.
        assert polite.result(f"{BROKER}.Read", {"resource": "accelerometer", "maximumAgeNanoseconds": 10**9})["reading"]
        assert len(administrator.result(f"{ADMIN}.GetStatus")["clients"]) > CONNECTIONS
        await_progress()
        now = boot_nanoseconds()
        victim.until(lambda s: s.samples[-1][0] > now, "a reading that was measured by now")
    victim.until(lambda s: len(s.samples) >= first + 500, "readings")
    # The device reports stalls of the host, and a victim that is not scheduled notices it; nothing else is missing.
    check_account(victim, first, Witnesses([victim]))
    for process in processes:
        assert os.waitpid(process, os.WNOHANG) == (0, 0), "a hostile user has given up"
