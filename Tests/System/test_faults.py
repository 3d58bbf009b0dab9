"""Attacks and failures of the host, of clients and of other programs. docs/faults.md lists the test of each."""

import array
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import time

import pytest

from tools.bystander import Bystander
from tools.commands import run
from tools.daemon import Daemon
from tools.processes import resident_bytes
from tools.programs import ADMIN, PATIENCE, SENSORBROKERD
from tools.stream import MILLISECOND, Stream, read_all
from tools.threads import is_waited_for
from tools.unixsockets import listener
from tools.users import ALICE, needs_root
from tools.waiting import until
from tools.wire import Closed, Connection, call

EVERY_10_MS = {"resource": "accelerometer", "intervalNanoseconds": 10 * MILLISECOND}
GET_INFO = "org.varlink.service.GetInfo"
# The table requires 1,000 rounds and a million connections; here are as many as fit.
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "40"))
CONNECTIONS = int(os.environ.get("FAULT_CONNECTIONS", "3000"))


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


def lines(daemon):
    return [line for line in daemon.output().splitlines() if "serving " not in line]


class TestDescriptors:
    """Rows 10 and 26: gpsd, iiod, seatd and dbus-daemon busy-loop in this case, and three of them log megabytes a
    second.
    """

    def test_without_descriptors_new_clients_wait_and_others_are_not_affected(self, start):
        # Room for the daemon's own descriptors and for the twenty who stay in the end, but not for eighty.
        daemon = start("--mock", prefix=["prlimit", "--nofile=60:60"])
        with Bystander(daemon) as bystander:
            crowd = [Connection(daemon.broker) for _ in range(80)]
            until(lambda: descriptors(daemon) == 60, "the last descriptor to be taken")
            began = time.monotonic()
            # The anchors are woken again and again by clients that they cannot accept.
            place = listener(daemon.pid, daemon.broker)
            for _ in range(3):
                until(lambda: not is_waited_for(daemon.pid, place), "the loop to pause its accepting")
                bystander.check()
            # One in ten seconds; the busier the host, the longer this takes.
            assert 1 <= len(lines(daemon)) <= 2 + (time.monotonic() - began) / 10, lines(daemon)
            # Waiting clients are served as soon as there is room.
            for connection in crowd[:60]:
                connection.close()
            assert crowd[-1].result(GET_INFO)
            bystander.check()
            for connection in crowd[60:]:
                connection.close()

    @pytest.mark.skipif(not shutil.which("strace"), reason="NOT RUN: strace is not installed")
    @pytest.mark.parametrize("fault", [
        "accept4:error=EMFILE:when=1..3", "accept4:error=ENFILE:when=2..4", "accept4:error=ENOMEM:when=1+2",
        "accept4:error=ECONNABORTED:when=1..5", "recvfrom:error=ENOMEM:when=2", "sendto:error=ENOBUFS:when=3",
        "epoll_ctl:error=ENOMEM:when=12..14", "getsockopt:error=ENOMEM:when=3..5", "setsockopt:error=ENOMEM:when=1+3",
        "ioctl:error=EINVAL:when=1+1", "mmap:error=ENOMEM:when=400+",
    ])
    def test_a_failing_system_call_affects_at_most_one_client(self, start, fault, tmp_path):
        """Injected from outside, so it does not depend on the functions that the program calls."""
        name = fault.split(":")[0]
        daemon = start("--mock", prefix=[
            "strace", "-D", "-f", "-qq", "-o", tmp_path / "trace", "-e", f"trace={name}", "-e", f"inject={fault}"])
        served = 0
        for _ in range(8):
            try:
                with Connection(daemon.broker) as client:
                    served += "parameters" in client.call(GET_INFO)
            except (Closed, BrokenPipeError):
                pass
        assert served >= 4

        def streams():
            with Stream(daemon.broker, EVERY_10_MS) as stream:
                stream.until(lambda s: len(s.samples) >= 5, "readings")

        # The calls of each thread are counted by themselves: that of the device, which sends readings, may still meet the fault.
        try:
            streams()
        except Closed:
            streams()


class TestDisk:
    """Row 12."""

    @needs_root
    @pytest.mark.parametrize("inodes", range(1, 4))
    def test_a_full_runtime_directory_is_one_line_of_error_and_left_unchanged(self, directory, inodes):
        script = (
            f"mount -t tmpfs -o nr_inodes={inodes},mode=755 none {directory} || exit 99; "
            f"{SENSORBROKERD} --mock --runtime-directory {directory}; status=$?; ls -A {directory}; exit $status")
        result = run("unshare", "--mount", "sh", "-c", script)
        if result.returncode == 99:
            pytest.skip("NOT RUN: no tmpfs can be mounted here")
        assert result.returncode == 73, result
        assert len(result.stderr.splitlines()) == 1 and "space" in result.stderr, result.stderr
        # The lock file, if there was one, is never unlinked.
        assert not [name for name in result.stdout.split() if not name.endswith(".lock")]


class TestClients:
    def test_five_hundred_clients_send_a_byte_at_a_time(self, daemon):
        """Row 14: each is answered, and nobody else waits for them."""
        with Bystander(daemon) as bystander:
            slow = [Connection(daemon.broker) for _ in range(500)]
            message = json.dumps(call(GET_INFO)).encode() + b"\0"
            for index in range(len(message)):
                for connection in slow:
                    connection.socket.sendall(message[index:index + 1])
            for connection in slow:
                assert connection.receive()["parameters"]
                connection.close()
            bystander.check()

    def test_thousands_of_clients_come_and_go(self, daemon):
        """Row 16: no descriptor and no memory leaks, and a stream continues."""
        with Bystander(daemon) as bystander:
            churn(daemon, 1_000)
            size, open_before = resident_bytes(daemon.pid), descriptors(daemon)
            churn(daemon, CONNECTIONS)
            until(lambda: descriptors(daemon) <= open_before + 1, "their descriptors to be closed")
            assert resident_bytes(daemon.pid) - size < 2 << 20
            bystander.check()

    def test_unrequested_descriptors_are_dropped(self, daemon):
        """Row 24."""
        with Connection(daemon.broker) as client:
            client.result(GET_INFO)
            before = descriptors(daemon)
            for _ in range(50):
                client.socket.sendmsg(
                    [json.dumps(call(GET_INFO)).encode() + b"\0"],
                    [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))])
                assert client.receive()["parameters"]
            assert descriptors(daemon) == before

    def test_clients_that_vanish_in_the_middle_of_a_message(self, daemon):
        """Row 24: no SIGPIPE, whatever was being sent or read."""
        request = {"resource": "accelerometer", "intervalNanoseconds": MILLISECOND, "batchNanoseconds": 100 * MILLISECOND}
        with Bystander(daemon) as bystander:
            for number in range(60):
                victim = Stream(daemon.broker, request)
                if number % 3 == 0:
                    victim.connection.half_close()
                if number % 2:
                    # Closed with bytes unread: the other end gets ECONNRESET.
                    victim.connection.socket.recv(100)
                victim.close()
            bystander.check()

    def test_thousands_of_malformed_messages_are_one_line_in_the_log(self, daemon):
        """Rows 23 and 26."""
        bombs = [
            b'{"method":' + b"[" * 1000, b'{"method":"a","method":"b"}', b'{"method":"\\ud800"}',
            '{"method":"x"}'.encode("utf-16"), b'\xef\xbb\xbf{"method":"x"}', b'{"method":"x","parameters":{"a":1e400}}',
            b"{" + b",".join(b'"k%d":0' % number for number in range(300)) + b"}", random.randbytes(2000).replace(b"\0", b""),
        ]
        began = time.monotonic()
        with Bystander(daemon) as bystander:
            for number in range(400):
                with Connection(daemon.broker) as client:
                    client.socket.sendall(bombs[number % len(bombs)] + b"\0")
                    assert client.is_closed_without_reply()
            bystander.check()
        assert len(lines(daemon)) <= 3 + (time.monotonic() - began) / 10, lines(daemon)


def churn(daemon, count):
    """Connects and leaves so often, with and without sending something."""
    for number in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.connect(str(daemon.broker))
        if number % 3 == 0:
            client.send(b'{"method":"org.varlink.service.GetInfo"}\0')
        client.close()


class TestMemory:
    """Row 11."""

    def test_a_thousand_subscribers_use_little_memory(self, daemon):
        streams = [Stream(daemon.broker, EVERY_10_MS) for _ in range(1_024)]
        # The newest one: until the last one is open, the first may have been cut off as stuck.
        read_all(streams[-1:], lambda: len(streams[-1].samples) >= 100, "readings")
        # Nobody else reads: all queues are full, and held by the kernel.
        assert resident_bytes(daemon.pid) <= 64 << 20
        assert descriptors(daemon) <= 1_100
        for stream in streams:
            stream.close()


class TestStart:
    def test_killed_at_any_moment_of_its_start_it_can_start_again(self, directory):
        """Row 18: whatever a killed daemon has left behind."""
        for _ in range(ROUNDS):
            victim = Daemon(directory, "--mock")
            time.sleep(random.random() * 0.03)
            victim.kill()
            victim.close()
            daemon = Daemon(directory, "--mock")
            try:
                daemon.await_ready()
                with Connection(daemon.broker) as client:
                    assert client.result(GET_INFO)
                with Connection(daemon.admin) as client:
                    assert client.result(f"{ADMIN}.GetStatus")
                if random.random() < 0.5:
                    daemon.stop()
            finally:
                daemon.close()


    @needs_root
    def test_a_directory_of_another_user_is_refused(self, directory):
        """Row 22."""
        os.chown(directory, ALICE, ALICE)
        daemon = Daemon(directory, "--mock")
        try:
            assert daemon.wait() == 77
            assert directory in daemon.output() and str(ALICE) in daemon.output()
            assert os.listdir(directory) == []
        finally:
            daemon.close()


class TestStop:
    def test_with_hundreds_of_full_queues_it_stops_quickly_after_whole_messages(self, start):
        """Row 20: each stream ends with a whole message, and the process with status 0."""
        daemon = start("--mock")
        request = {"resource": "accelerometer", "intervalNanoseconds": 2 * MILLISECOND}
        streams = [Stream(daemon.broker, request) for _ in range(int(os.environ.get("FAULT_CLIENTS", "300")))]
        with Connection(daemon.admin) as status:
            until(lambda: all(client["lostReadings"] > 0 for client in status.result(f"{ADMIN}.GetStatus")["clients"]
                                   if "subscription" in client), "all queues to be full")
        daemon.stop()
        for stream in streams:
            # Each message is parsed; the account of each client is complete.
            assert stream.read_to_end() == "shutdown"
            numbers = [number for _, number, _ in stream.samples]
            assert numbers == sorted(set(numbers))
            assert stream.gaps and stream.gaps[-1]["cause"] == "slowClient"
            stream.close()


class TestStuck:
    """Row 25; a thread that hangs in a driver is in Tests/VM/test_hangs.py and HangTests."""

    def test_a_stuck_loop_does_not_notify_the_watchdog(self, start):
        daemon = start("--mock", environment={"WATCHDOG_USEC": "400000"})
        until(lambda: daemon.manager.drain() and daemon.manager.count("WATCHDOG", "1") >= 2, "signs of life")
        daemon.send_signal(signal.SIGSTOP)
        until(lambda: is_stopped(daemon), "the daemon to stop")
        before = len(daemon.manager.drain())
        assert not daemon.manager.receive(2)
        daemon.send_signal(signal.SIGCONT)
        assert daemon.manager.receive(PATIENCE) and len(daemon.manager.messages) > before

    def test_a_log_that_nobody_reads_blocks_nothing(self, directory):
        """With a full pipe as stderr, lines are lost, but readings are not."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        with open(writer, "wb", buffering=0) as pipe:
            daemon = Daemon(directory, "--mock", stderr=pipe)
            try:
                daemon.await_ready()
                with pytest.raises(BlockingIOError):
                    while True:
                        os.write(writer, b"x" * 4096)
                os.set_blocking(writer, True)
                with Stream(daemon.broker, EVERY_10_MS) as stream:
                    for number in range(20):
                        daemon.send_signal(signal.SIGHUP)
                        seen = len(stream.samples)
                        stream.until(lambda s: len(s.samples) >= seen + 3, "readings of one whose log nobody reads")
                # Somebody reads again, and gets the report.
                os.set_blocking(reader, False)
                text = b""

                def is_told():
                    nonlocal text
                    daemon.send_signal(signal.SIGHUP)
                    with contextlib.suppress(BlockingIOError):
                        text = text[-200:] + os.read(reader, 1 << 20)
                    return b"lines before this one lost" in text

                until(is_told, "the number of lost lines")
                daemon.stop()
            finally:
                daemon.close()
                os.close(reader)


def is_stopped(daemon):
    with open(f"/proc/{daemon.pid}/stat") as file:
        return file.read().rsplit(") ", 1)[1].startswith("T")
