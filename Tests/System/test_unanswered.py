"""A broker that is suspended, silent, or too busy to accept: no command waits for ever, and each prints a remedy."""

import json
import os
import pathlib
import re
import signal
import socket

import pytest

from tools import commands
from tools.programs import BROKER, PATIENCE, SENSORCTL
from tools.waiting import until

# All commands that call the broker; the administrator's commands call another socket.
CALLS = [
    ["list"], ["get", "location"], ["watch", "location"], ["record", "location", "FILE"], ["record", "FILE"],
    ["set", "x", "location@1s"],
]
ADMIN_CALLS = [
    ["status"], ["release", "location"], ["reacquire", "--all"], ["reload"], ["mock", "unplug", "accelerometer"],
]


def start(path, *words, **options):
    return commands.start(SENSORCTL, "--socket", path, *words, **options)


def run(path, *words):
    result = commands.run(SENSORCTL, "--socket", path, *words)
    return result.returncode, result.stdout, result.stderr


@pytest.fixture
def stopped(daemon):
    """A suspended daemon: its socket accepts connections, but nobody answers."""
    daemon.send_signal(signal.SIGSTOP)
    yield daemon
    daemon.send_signal(signal.SIGCONT)


@pytest.fixture
def crowded(directory):
    """Sockets whose backlog is full, so that connect(2) blocks."""
    held = []
    for name in (BROKER, "io.sensorbroker.Admin"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{directory}/{name}")
        listener.listen(0)
        held.append(listener)
        while True:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            held.append(client)
            try:
                client.connect(f"{directory}/{name}")
            except BlockingIOError:
                break
    yield f"{directory}/{BROKER}"
    for item in held:
        item.close()


def judge(path, words, tmp_path, what):
    words = [str(tmp_path / "r.ndjson") if word == "FILE" else word for word in words]
    status, output, notes = run(path, *words, "--timeout", "300ms")
    assert (status, output) == (75, ""), notes
    assert f"{what} does not answer" in notes and "--timeout" in notes
    assert not (tmp_path / "r.ndjson").exists()


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_a_call_of_a_stopped_broker_ends_at_the_timeout(stopped, tmp_path, words):
    judge(stopped.broker, words, tmp_path, f"the broker at {stopped.broker}")


@pytest.mark.parametrize("words", ADMIN_CALLS, ids=" ".join)
def test_an_admin_call_of_a_stopped_broker_ends_at_the_timeout(stopped, tmp_path, words):
    judge(stopped.broker, words, tmp_path, f"the broker at {stopped.admin}")


@pytest.mark.parametrize("words", CALLS + ADMIN_CALLS, ids=" ".join)
def test_a_call_ends_at_the_timeout_if_the_backlog_is_full(crowded, tmp_path, words):
    judge(crowded, words, tmp_path, "the broker at " + (
        crowded.replace("Broker", "Admin") if words in ADMIN_CALLS else crowded))


def test_a_command_that_was_stopped_goes_on_waiting_for_a_full_backlog(crowded):
    process = start(crowded, "get", "location", "--timeout", "2s")
    wait = pathlib.Path(f"/proc/{process.pid}/wchan")
    until(lambda: "unix_wait" in wait.read_text(), "connect(2) to block", wait.read_text)
    for number, state in ((signal.SIGSTOP, os.WSTOPPED), (signal.SIGCONT, os.WCONTINUED)):
        process.send_signal(number)
        os.waitid(os.P_PID, process.pid, state)
    _, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == 75 and "does not answer" in notes, notes


@pytest.mark.parametrize("words", [["watch", "location"], ["record", "location", "FILE"]], ids=" ".join)
def test_a_command_with_for_waits_no_longer_than_that(stopped, tmp_path, words):
    words = [str(tmp_path / "r.ndjson") if word == "FILE" else word for word in words]
    status, _, notes = run(stopped.broker, *words, "--for", "1s", "--timeout", "1h")
    assert status == 75 and "does not answer" in notes


def test_a_missing_reading_is_reported_by_the_broker(daemon):
    assert run(daemon.broker, "mock", "stall", "accelerometer")[0] == 0
    status, _, notes = run(daemon.broker, "get", "accelerometer", "--timeout", "1s")
    assert status == 75 and "no reading came in time" in notes


@pytest.mark.parametrize("which", ["stopped", "crowded"])
def test_doctor_finds_an_unresponsive_broker(request, which):
    target = request.getfixturevalue(which)
    path = target if which == "crowded" else target.broker
    status, output, notes = run(path, "doctor", "--timeout", "300ms", "--format", "json")
    findings = {item["subject"]: item for item in map(json.loads, output.splitlines())}
    assert (status, notes) == (69, "")
    assert f"the broker at {path} does not answer" in findings["socket"]["words"]
    assert findings["socket"]["remedy"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_properly_ends_a_recording_that_has_not_begun(stopped, tmp_path, number):
    path = tmp_path / "r.ndjson"
    process = start(stopped.broker, "record", "location", str(path), "--timeout", "1h")
    await_handler(process)
    process.send_signal(number)
    output, notes = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (0, "") and "nothing was recorded" in notes and not path.exists()


def await_handler(process):
    """Waits until a process catches SIGINT."""
    def catches():
        assert process.poll() is None
        return int(re.search(r"SigCgt:\s*(\w+)", open(f"/proc/{process.pid}/status").read())[1], 16) & 1 << signal.SIGINT - 1
    until(catches, "a handler of SIGINT")


@pytest.mark.parametrize("end", ["signal", "time"])
def test_a_recording_ends_properly_if_the_broker_stops_responding(daemon, tmp_path, end):
    path = tmp_path / "r.ndjson"
    process = start(daemon.broker, "record", "accelerometer@1ms", str(path), *(["--for", "2s"] if end == "time" else []))
    try:
        while not (path.exists() and path.stat().st_size > 3_000):
            assert process.poll() is None
        daemon.send_signal(signal.SIGSTOP)
        if end == "signal":
            process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0 and str(path) in notes
        assert all(isinstance(json.loads(line), dict) for line in path.read_text().splitlines())
    finally:
        daemon.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("end", ["signal", "time"])
def test_a_watch_ends_if_the_broker_stops_responding(daemon, end):
    process = start(daemon.broker, "watch", "accelerometer@10ms", "--format", "json",
                    *(["--for", "2s"] if end == "time" else []))
    try:
        while '"sequence"' not in process.stdout.readline():
            assert process.poll() is None
        daemon.send_signal(signal.SIGSTOP)
        if end == "signal":
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == (0 if end == "time" else -signal.SIGINT)
    finally:
        daemon.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("words", [
    ["list"], ["list", "--format", "json"], ["list", "--format", "csv"], ["get", "location"], ["status"],
    ["status", "--format", "json"], ["doctor"], ["doctor", "--format", "json"], ["release", "location"],
    ["watch", "accelerometer", "--count", "5"], ["watch", "accelerometer", "--count", "5", "--format", "csv"],
    ["watch", "accelerometer", "--count", "5", "--format", "json"], ["mock", "stall", "accelerometer"], ["--help"],
    ["--version"],
], ids=" ".join)
def test_output_that_cannot_be_written_is_an_error(daemon, words):
    with open("/dev/full", "w") as full:
        result = commands.run(SENSORCTL, "--socket", daemon.broker, *words, stdout=full)
    assert result.returncode == 74, result
    assert "cannot write the output: No space left on device; make room" in result.stderr


def test_an_export_that_cannot_be_written_is_an_error(daemon, tmp_path):
    path = tmp_path / "r.ndjson"
    assert run(daemon.broker, "record", "location", str(path), "--count", "1")[0] == 0
    with open("/dev/full", "w") as full:
        result = commands.run(SENSORCTL, "export", path, "--to", "gpx", stdout=full)
    assert result.returncode == 74 and "cannot write the output" in result.stderr


def test_the_administrators_socket_is_that_of_the_same_instance(start, directory):
    """Both brokers have sensors of the same names; an action on one does not affect the other."""
    one = start("--mock")
    two = start("--mock", "--instance", "two")
    path = f"{directory}/{BROKER}.two"
    status = json.loads(run(path, "status", "--format", "json")[1])
    assert status["processId"] == two.pid != one.pid
    assert run(path, "mock", "unplug", "accelerometer")[0] == 0

    def state(broker):
        items = map(json.loads, run(broker, "list", "--format", "json")[1].splitlines())
        return {item["name"]: item["state"] for item in items}["accelerometer"]

    assert state(path) == "unavailable" and state(one.broker) != "unavailable"
