"""Start, stop, notifications to the service manager, and options."""

import contextlib
import os
import signal
import socket
import subprocess

import pytest

from tools import commands
from tools.daemon import die_with_parent
from tools.programs import ADMIN, BROKER, FEED, PATIENCE, SENSORBROKERD
from tools.stream import Stream
from tools.unixsockets import listening
from tools.waiting import until
from tools.wire import Connection, call

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 50_000_000}
LOCATION = {"resource": "location", "intervalNanoseconds": 0}


def run(*arguments):
    return commands.run(SENSORBROKERD, *arguments)


def test_it_reports_readiness_and_status(start):
    daemon = start("--mock")
    ready = [message for message in daemon.manager.messages if message.get("READY") == "1"]
    assert len(ready) == 1
    assert ready[0].get("STATUS"), "READY=1 without a STATUS="
    # Ready means that a client's first connect succeeds.
    with Connection(daemon.broker) as client:
        client.result("org.varlink.service.GetInfo")
    daemon.stop()
    assert daemon.manager.count("READY") == 1
    assert daemon.manager.count("STOPPING", "1") == 1
    assert daemon.manager.count("WATCHDOG") == 0, "a sign of life that nobody asked for"


def watched(start, microseconds, pid="$$"):
    """A daemon with a watchdog; the shell's process ID becomes the daemon's."""
    return start("--mock", prefix=["sh", "-c", f'WATCHDOG_PID={pid} WATCHDOG_USEC={microseconds} exec "$0" "$@"'])


def test_it_notifies_the_watchdog_if_there_is_one(start):
    daemon = watched(start, 400_000)
    while daemon.manager.count("WATCHDOG", "1") < 5:
        assert daemon.manager.receive(PATIENCE), daemon.output()


def test_a_huge_watchdog_interval_costs_nothing(start):
    daemon = watched(start, 2**63 - 1)
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        stream.until(lambda s: len(s.samples) >= 10, "readings")
    daemon.manager.drain()
    assert daemon.manager.count("WATCHDOG") == 0, "a turn of the loop for each of them"


def test_a_huge_store_of_descriptors_is_accepted(start):
    daemon = start("--mock", environment={"FDSTORE": str(2**63 - 1)})
    with Connection(daemon.broker) as client:
        client.result("org.varlink.service.GetInfo")
    daemon.kill()


def test_it_ignores_the_watchdog_of_another_process(start):
    daemon = watched(start, 20_000, pid=1)
    with Stream(daemon.broker, ACCELEROMETER) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "a second of readings")
    daemon.manager.drain()
    assert daemon.manager.count("WATCHDOG") == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_every_stream_with_a_reason(start, directory, number):
    daemon = start("--mock")
    streams = [Stream(daemon.broker, ACCELEROMETER), Stream(daemon.broker, LOCATION),
               Stream(daemon.broker, ACCELEROMETER, LOCATION)]
    for stream in streams:
        stream.until(lambda s: s.samples, "a reading")
    lasting = {name for name in os.listdir(directory) if name not in (BROKER, ADMIN, FEED)}
    daemon.send_signal(number)
    for stream in streams:
        while stream.ended is None:
            message = stream.connection.receive()
            stream.note(message)
        assert message == {"parameters": {"ended": "shutdown"}}
        stream.read_to_end()
        stream.close()
    daemon.stop()
    assert set(os.listdir(directory)) == lasting, "the sockets go, the locks stay"


def test_a_client_that_does_not_read_does_not_delay_the_exit(start):
    daemon = start("--mock")
    with Stream(daemon.broker, {**ACCELEROMETER, "intervalNanoseconds": 1_000_000}) as stuck:
        with Stream(daemon.broker, ACCELEROMETER) as beside:
            with Connection(daemon.admin) as admin:
                while not any(client["lostReadings"] for client in admin.result(f"{ADMIN}.GetStatus")["clients"]):
                    beside.receive()
            daemon.stop()
            assert beside.read_to_end() == "shutdown"
        assert stuck.ended is None


def test_a_second_signal_changes_nothing(start):
    daemon = start("--mock")
    daemon.send_signal(signal.SIGTERM)
    daemon.stop(signal.SIGINT)


def test_it_can_be_started_again_and_again(start):
    for _ in range(3):
        daemon = start("--mock")
        with Connection(daemon.broker) as client:
            client.result(f"{BROKER}.ListResources")
        daemon.stop()


def activate(directory, sockets, *arguments):
    """The daemon as started by systemd: with listening sockets, on the first connection."""
    listen = [item for path in sockets.values() for item in ("-l", path)]
    return subprocess.Popen(
        ["systemd-socket-activate", *listen, f"--fdname={':'.join(sockets)}", SENSORBROKERD, "--mock",
         "--runtime-directory", directory, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)


def await_sockets(process, paths):
    """systemd-socket-activate prints a line for each address on which it listens, before it waits."""
    lines = [process.stdout.readline().decode() for _ in paths]
    assert all(path in "".join(lines) for path in paths), lines


def test_sockets_passed_by_systemd_are_used_and_not_removed(directory):
    sockets = {"varlink": f"{directory}/passed-broker", "admin": f"{directory}/passed-admin"}
    process = activate(directory, sockets)
    try:
        await_sockets(process, sockets.values())
        inodes = {path: os.stat(path).st_ino for path in sockets.values()}
        with Connection(sockets["varlink"]) as client, Connection(sockets["admin"]) as admin:
            interfaces = client.result("org.varlink.service.GetInfo")["interfaces"]
            assert BROKER in interfaces and ADMIN not in interfaces
            assert admin.result(f"{ADMIN}.GetStatus")["processId"] == process.pid
        with Stream(sockets["varlink"], ACCELEROMETER) as stream:
            stream.until(lambda s: s.samples, "a reading")
            process.terminate()
            assert stream.read_to_end() == "shutdown"
        assert process.wait(PATIENCE) == 0, process.stdout.read()
        assert {path: os.stat(path).st_ino for path in sockets.values()} == inodes, "systemd's sockets are systemd's"
        assert BROKER not in os.listdir(directory)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("arguments, units", [
    ([], "sensorbrokerd.socket sensorbrokerd-admin.socket sensorbrokerd-feed.socket"),
    (["--instance", "two"], "sensorbrokerd@two.socket sensorbrokerd-admin@two.socket sensorbrokerd-feed@two.socket")])
def test_a_removed_socket_of_systemd_is_logged_with_the_units_that_restore_it(directory, arguments, units):
    path = f"{directory}/passed"
    process = activate(directory, {"varlink": path}, *arguments)
    try:
        await_sockets(process, [path])
        with Connection(path) as client:
            client.result("org.varlink.service.GetInfo")
            os.unlink(path)
            while f"{path} was removed" not in (line := process.stdout.readline().decode()):
                assert line, "it ended without a word"
            assert f"systemctl restart {units};" in line
        process.terminate()
        assert process.wait(PATIENCE) == 0, process.stdout.read()
    finally:
        process.kill()
        process.communicate()


def test_with_one_connected_socket_it_serves_that_client_and_exits_after_it(directory):
    """A connected socket instead of a listening one, as `varlinkctl` passes it for `exec:`."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        ["sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=varlink exec \"$@\" 3<&0 </dev/null", "sh", SENSORBROKERD,
         "--mock", "--runtime-directory", directory],
        stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=die_with_parent)
    theirs.close()
    client = Connection.over(ours)
    try:
        assert "accelerometer" in {item["name"] for item in client.result(f"{BROKER}.ListResources")["resources"]}
        client.send(call(f"{BROKER}.Subscribe", {"requests": [ACCELEROMETER]}, more=True))
        while not client.receive()["parameters"].get("readings"):
            pass
        client.close()
        assert process.wait(PATIENCE) == 0, process.stderr.read()
        assert BROKER not in os.listdir(directory), "nobody else was to be let in"
    finally:
        client.close()
        process.kill()
        process.communicate()


def test_the_call_that_starts_it_is_answered(directory):
    """Bytes that a client sent before the daemon ran wait in the socket and are not lost."""
    path = f"{directory}/passed"
    process = activate(directory, {"varlink": path})
    try:
        await_sockets(process, [path])
        with Connection(path) as client:
            client.send(call("org.varlink.service.GetInfo"), call(f"{BROKER}.ListResources"))
            assert client.receive()["parameters"]["interfaces"]
            assert client.receive()["parameters"]["resources"]
        process.terminate()
        assert process.wait(PATIENCE) == 0, process.stdout.read()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("arguments, named", [
    (["--no-such-option"], "--no-such-option"), (["--mock", "--no-such-option"], "--no-such-option"),
    (["stray"], "stray"), (["--runtime-directory"], "--runtime-directory"), (["--gpsd"], "--gpsd"),
    (["--gpsd", "localhost:notaport"], "notaport"), (["--gpsd", "localhost:70000"], "70000"),
    (["--instance", "../elsewhere"], "../elsewhere"), (["--instance", ""], "--instance"),
    (["--mock", "--gpsd", "localhost"], "--mock"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_options_are_explained(arguments, named, directory):
    result = run("--runtime-directory", directory, *arguments)
    assert (result.returncode, result.stdout) == (64, ""), result
    assert result.stderr.startswith("sensorbrokerd: ") and named in result.stderr
    assert os.listdir(directory) == [], "something was made before the options were read"


def test_version_and_help_go_to_standard_output():
    version = run("--version")
    assert version.returncode == 0 and version.stderr == ""
    assert version.stdout.startswith("sensorbrokerd ") and version.stdout.count("\n") == 1
    text = run("--help")
    assert text.returncode == 0 and text.stderr == ""
    for option in ("--runtime-directory", "--mock", "--gpsd", "--iio", "--instance", "--version", "--help"):
        assert option in text.stdout


def test_it_runs_without_a_service_manager(directory):
    environment = {key: value for key, value in os.environ.items() if key != "NOTIFY_SOCKET"}
    process = subprocess.Popen([SENSORBROKERD, "--mock", "--runtime-directory", directory], env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=die_with_parent)
    try:
        until(lambda: listening(f"{directory}/{ADMIN}") or process.poll() is not None, "its sockets")
        with Connection(f"{directory}/{BROKER}") as client:
            client.result("org.varlink.service.GetInfo")
    finally:
        process.terminate()
        _, text = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, text


def test_what_only_a_start_needs_of_the_programs_files_is_let_go(daemon):
    def kilobytes(key):
        with open(f"/proc/{daemon.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(key))

    until(lambda: kilobytes("VmRSS") < kilobytes("VmHWM") * 3 / 4, "fewer pages in RAM",
          lambda: f"{kilobytes('VmRSS')} kB of {kilobytes('VmHWM')} kB")


def test_a_further_client_takes_little_memory(start, tmp_path):
    settings = tmp_path / "conf"
    settings.write_text("[Clients]\nMaxConnections=2000\nMaxConnectionsPerUser=2000\nMaxSubscriptionsPerUser=2000\n")
    daemon = start("--mock", "--config", settings)
    request = {"resource": "accelerometer", "intervalNanoseconds": 600_000_000_000}

    def anonymous_bytes():
        with open(f"/proc/{daemon.pid}/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("RssAnon:"))

    with contextlib.ExitStack() as stack:
        def come(count):
            connections = [stack.enter_context(Connection(daemon.broker)) for _ in range(count)]
            for connection in connections:
                connection.send(call("io.sensorbroker.Broker.Subscribe", {"requests": [request]}, more=True))
            for connection in connections:
                while b"timestampNanoseconds" not in connection.receive_bytes():
                    pass

        come(200)
        before = anonymous_bytes()
        come(800)
        # 1.2 KiB, as docs/performance.md says, and what tables have grown by.
        assert (anonymous_bytes() - before) / 800 < 1.4 * 1024
