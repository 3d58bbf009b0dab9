"""The limits of a client, a user, and all together; and that nobody else is affected when one is exceeded."""

import contextlib
import json
import select
import time

import pytest

from tools.administration import admin
from tools.bystander import Bystander
from tools.commands import run
from tools.processes import resident_bytes
from tools.programs import ADMIN, BROKER, PATIENCE, SENSORCTL
from tools.stream import MILLISECOND, Stream, read_all
from tools.users import ALICE, BOB, as_user, everybodys, let_everybody_in, needs_root
from tools.waiting import until
from tools.wire import Closed, Connection, call

EVERY_10_MS = {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}
GET_INFO = "org.varlink.service.GetInfo"
CONNECTIONS_A_USER, SUBSCRIPTIONS_A_USER, BURST = 128, 64, 400


@pytest.fixture
def open_daemon(start):
    daemon = start("--mock")
    let_everybody_in(daemon)
    return daemon


@pytest.fixture
def bystander(open_daemon):
    with Bystander(open_daemon) as made:
        yield made
        made.check()


def connect(daemon, count):
    return [Connection(daemon.broker) for _ in range(count)]


def refusal(connection):
    """The error that arrives without a call, followed by the end of the connection."""
    reply = connection.receive()
    assert connection.is_closed_without_reply()
    return reply["error"], reply["parameters"]


def clients(daemon):
    """The connected clients, except the one that asks."""
    return len(admin(daemon, "GetStatus")["clients"]) - 1


@needs_root
class TestConnections:
    def test_connections_are_limited_for_each_user_and_others_can_connect(self, open_daemon, bystander):
        with as_user(ALICE):
            mine = connect(open_daemon, CONNECTIONS_A_USER)
            for connection in mine:
                connection.result(GET_INFO)
            # The test waits for the end of each.
            for refused in connect(open_daemon, 100):
                assert refusal(refused) == (f"{BROKER}.TooManyConnections", {"limit": CONNECTIONS_A_USER})
            # A client that sends its call first, as nearly all do, finds the error in place of the answer.
            for _ in range(20):
                with Connection(open_daemon.broker) as late:
                    late.send(call(GET_INFO))
                    assert late.receive()["error"] == f"{BROKER}.TooManyConnections"
        with as_user(BOB):
            others = connect(open_daemon, CONNECTIONS_A_USER)
            assert all(other.result(GET_INFO) for other in others)
        # The share of a client that goes is given back.
        mine.pop().close()
        until(lambda: clients(open_daemon) == 2 * CONNECTIONS_A_USER, "the end of a connection")
        with as_user(ALICE):
            assert Connection(open_daemon.broker).result(GET_INFO)

    def test_each_of_many_users_gets_a_share(self, start, tmp_path):
        """With 64 connections in all, another user can still connect, however many are connected already."""
        (tmp_path / "few.conf").write_text("[Clients]\nMaxConnections=64\nMaxConnectionsPerUser=64\n")
        daemon = start("--mock", "--config", tmp_path / "few.conf")
        let_everybody_in(daemon)
        kept, shares = [], []
        for user in range(ALICE, ALICE + 5):
            count = 0
            with as_user(user):
                while True:
                    connection = Connection(daemon.broker)
                    connection.socket.settimeout(PATIENCE)
                    connection.send(call(GET_INFO))
                    kept.append(connection)
                    if "error" in connection.receive():
                        break
                    count += 1
            shares.append(count)
        # Half; then (64 - 32) / 3 = 10, (64 - 42) / 4 = 5, (64 - 47) / 5 = 3, (64 - 50) / 6 = 2
        assert shares == [32, 10, 5, 3, 2]

    def test_an_administrator_can_connect_when_clients_use_all_connections(self, start, tmp_path):
        (tmp_path / "few.conf").write_text("[Clients]\nMaxConnections=8\n")
        daemon = start("--mock", "--config", tmp_path / "few.conf")
        connections = connect(daemon, 20)
        answers = []
        for connection in connections:
            try:
                connection.send(call(GET_INFO))
                answers.append("error" in connection.receive())
            except (BrokenPipeError, Closed):
                answers.append(True)
        assert answers.count(False) == 6
        with Connection(daemon.admin) as administrator:
            assert len(administrator.result(f"{ADMIN}.GetStatus")["clients"]) == 7


@needs_root
def test_subscriptions_are_limited_for_each_user_and_others_keep_their_rate(open_daemon, bystander):
    """Ten thousand requests in a loop, as by a fork bomb."""
    with as_user(ALICE):
        streams = [Stream(open_daemon.broker, EVERY_10_MS) for _ in range(SUBSCRIPTIONS_A_USER)]
        with Connection(open_daemon.broker) as bomb:
            refused, began = 0, time.monotonic()
            while refused < 300:
                reply = bomb.call(f"{BROKER}.Subscribe", {"requests": [EVERY_10_MS]}, more=True)
                assert reply["error"] == f"{BROKER}.TooManySubscriptions"
                assert reply["parameters"] == {"limit": SUBSCRIPTIONS_A_USER}
                refused += 1
    with as_user(BOB):
        other = Stream(open_daemon.broker, EVERY_10_MS)
    read_all([*streams, other], lambda: len(other.samples) >= 50, "readings of the other user")
    streams.pop().close()
    with as_user(ALICE):
        until(lambda: "error" not in Connection(open_daemon.broker).call(
            f"{BROKER}.Subscribe", {"requests": [EVERY_10_MS]}, more=True), "a subscription given back")
    told = [line for line in open_daemon.output().splitlines() if f"user {ALICE} has reached its limit of subscriptions" in line]
    assert 1 <= len(told) <= 4 + (time.monotonic() - began) / 10, told


@needs_root
def test_batches_are_limited_by_the_users_share(open_daemon, bystander):
    """Sixty-four streams each gather their own two thousand readings: their batches become shorter, those of others do
    not.
    """
    def subscribe(number):
        request = {"resource": "accelerometer", "intervalNanoseconds": 5 * MILLISECOND,
                   "batchNanoseconds": 10_000 * MILLISECOND + number}
        return request["batchNanoseconds"], Stream(open_daemon.broker, request)

    def gathered(stream):
        return stream.grants["accelerometer"]["batchNanoseconds"] // (5 * MILLISECOND)

    with as_user(ALICE):
        mine = [subscribe(number) for number in range(SUBSCRIPTIONS_A_USER)]
    assert gathered(mine[0][1]) == 2_000, "the first gets what it asks for"
    # A reading takes 48 bytes, and some 27 in the message.
    assert sum(gathered(stream) for _, stream in mine) * 75 < 4 << 20
    with as_user(BOB):
        asked, other = subscribe(0)
    assert other.grants["accelerometer"]["batchNanoseconds"] == asked
    asked, stream = mine.pop()
    assert gathered(stream) < 2_000
    for _, ended in mine:
        ended.close()
    until(lambda: clients(open_daemon) == 3, "the end of the others")
    # What they gave back is available to the next request.
    with as_user(ALICE), Connection(open_daemon.broker) as modifier:
        request = {"resource": "accelerometer", "intervalNanoseconds": 5 * MILLISECOND, "batchNanoseconds": asked}
        modified = modifier.result(f"{BROKER}.Modify", {"subscription": stream.subscription, "requests": [request]})
    assert modified["grants"][0]["batchNanoseconds"] == asked


@needs_root
class TestCalls:
    def test_calls_are_limited_for_each_user_and_not_read_beyond(self, open_daemon, bystander):
        """Thousands of calls at once are answered in order, at a limited rate and without errors; the rest waits at the
        caller.

        The limit does not depend on the number of connections; formerly each connection had its own.
        """
        with as_user(ALICE):
            floods = connect(open_daemon, 8)
        flood = floods[0]
        began = time.monotonic()
        for connection in floods:
            connection.send(*[call(GET_INFO)] * (BURST // 8 + 50))
        for _ in range(BURST // 8 + 50):
            for connection in floods:
                assert "error" not in connection.receive()
        assert time.monotonic() - began > 1.8, "four hundred calls beyond the burst came at more than two hundred a second"
        for connection in floods[1:]:
            connection.close()
        # It never reads: its socket fills up, and takes no more.
        flood.socket.settimeout(1)
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 1 << 24:
                sent += flood.socket.send(b'{"method":"org.varlink.service.GetInfo"}\0' * 100)
        assert sent < 1 << 21
        assert clients(open_daemon) == 2

    def test_floods_of_calls_delay_nobody(self, open_daemon, bystander):
        with as_user(ALICE):
            floods = connect(open_daemon, 8)
        for flood in floods:
            flood.socket.setblocking(False)
        calls = b"".join(json.dumps(call(f"{BROKER}.ListResources")).encode() + b"\0" for _ in range(200))
        size = resident_bytes(open_daemon.pid)
        began = time.monotonic()
        answered = 0
        while answered <= BURST / 4 or bystander.seconds < 3:
            for flood in floods:
                try:
                    flood.socket.send(calls)
                except BlockingIOError:
                    pass
                try:
                    answered += flood.socket.recv(1 << 16).count(b"\0")
                except BlockingIOError:
                    pass
        assert resident_bytes(open_daemon.pid) - size < 4 << 20
        assert len(open_daemon.output().splitlines()) <= 2 + (time.monotonic() - began) / 10

    def test_an_unfinished_call_is_closed_and_logged_once(self, open_daemon, bystander):
        with as_user(ALICE):
            halves = connect(open_daemon, 50)
            idle = Connection(open_daemon.broker)
        began = time.monotonic()
        for half in halves:
            half.socket.sendall(b'{"method":')
        # A byte now and then does not help.
        while not select.select([halves[0]], [], [], 0.2)[0]:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                halves[0].socket.sendall(b" ")
        for half in halves:
            assert half.is_closed_without_reply()
        assert idle.result(GET_INFO)
        told = [line for line in open_daemon.output().splitlines() if "did not finish a call" in line]
        assert 1 <= len(told) <= 2 + (time.monotonic() - began) / 10 and f"user {ALICE}" in told[0]

    def test_bytes_of_unfinished_calls_are_limited_by_the_users_share(self, open_daemon, bystander):
        """Each of 128 clients has sent nearly 64 KiB of a call: some are closed, memory is bounded, others continue."""
        with as_user(ALICE):
            greedy = connect(open_daemon, CONNECTIONS_A_USER)
        size = resident_bytes(open_daemon.pid)
        for one in greedy:
            try:
                one.socket.sendall(b'{"method":"' + b"x" * 60_000)
            except (BrokenPipeError, ConnectionResetError):
                pass
        until(lambda: clients(open_daemon) < CONNECTIONS_A_USER, "some to be closed")
        assert resident_bytes(open_daemon.pid) - size < 12 << 20
        with as_user(BOB):
            other = Connection(open_daemon.broker)
        whole = json.dumps(call(GET_INFO)).encode()
        other.socket.sendall(b" " * 60_000 + whole + b"\0")
        assert other.receive()["parameters"]


@needs_root
def test_each_refusal_has_a_remedy(start, tmp_path):
    (tmp_path / "few.conf").write_text(
        "[Clients]\nMaxConnectionsPerUser=2\nMaxSubscriptionsPerUser=1\n[Location]\nGroups=root\n")
    daemon = start("--mock", "--config", tmp_path / "few.conf")
    let_everybody_in(daemon)

    def told(*arguments):
        result = run(everybodys(SENSORCTL), *arguments, broker=daemon, user=ALICE, group=ALICE, extra_groups=[])
        return result.returncode, result.stderr

    status, text = told("get", "location")
    assert status == 77 and "Groups=" in text
    with as_user(ALICE):
        mine = Stream(daemon.broker, EVERY_10_MS)
        second = Connection(daemon.broker)
    status, text = told("list")
    assert status == 69 and "limit of connections" in text
    second.close()
    until(lambda: clients(daemon) == 1, "the end of a connection")
    status, text = told("watch", "accelerometer", "--count", "1")
    assert status == 69 and "limit of subscriptions" in text
    mine.close()
