"""The daemon as a service: started by its first client, watched, reloaded, and restarted if that helps."""

import json
import os
import re
import signal

import pytest

from host import PATIENCE, SERVICE, SOCKETS, DropIn, attempt, entries, eventually, log, main_process, owner, run, show
from tools.stream import Stream
from tools.wire import Connection, call

TAP = {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}
DROP_INS = "/etc/sensorbroker/sensorbrokerd.conf.d"


@pytest.fixture
def configuration():
    """A drop-in of the configuration, which is removed after the test."""
    os.makedirs(DROP_INS, exist_ok=True)
    path = f"{DROP_INS}/50-test.conf"

    def write(text):
        with open(path, "w") as file:
            file.write(text)

    yield write
    if os.path.exists(path):
        os.remove(path)
        os.rmdir(DROP_INS)
    attempt("systemctl", "reset-failed", SERVICE, *SOCKETS)
    run("systemctl", "restart", SERVICE)


def test_the_first_client_of_either_socket_starts_it(broker):
    for words in (["list"], ["status"]):
        run("systemctl", "stop", SERVICE)
        assert show("ActiveState") == "inactive"
        run("sensorctl", *words)
        assert show("ActiveState") == "active" and show("Type") == "notify"


def test_its_process_has_no_privileges(broker):
    run("sensorctl", "list")
    lines = dict(line.split(":\t", 1) for line in open(f"/proc/{main_process()}/status").read().splitlines())
    assert lines["Uid"].split() == [str(os.stat("/run/sensorbroker").st_uid)] * 4 and lines["Uid"].split()[0] != "0"
    for capabilities in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
        assert int(lines[capabilities], 16) == 0, capabilities
    assert lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2"


def test_members_of_the_group_may_read_and_others_get_a_remedy(broker, sensor):
    assert '"values"' in run("sensorctl", "get", "accelerometer", "--format", "json", user="alice")
    refused = attempt("sensorctl", "list", user="bob")
    assert refused.returncode == 77 and "usermod -aG sensorbroker" in refused.stderr
    for user in ("alice", "bob"):
        assert attempt("sensorctl", "status", user=user).returncode == 77
        assert attempt("sensorctl", "reload", user=user).returncode == 77


def test_the_status_line_summarises_its_activity(broker, sensor):
    with Stream(broker, TAP) as stream, Stream(broker, TAP):
        stream.until(lambda stream: stream.samples, "a reading")
        eventually(lambda: show("StatusText") == "1 device active, 2 clients, 1 lane", show("StatusText"))
        assert "1 device active, 2 clients, 1 lane" in run("systemctl", "status", "--no-pager", SERVICE)
    eventually(lambda: re.fullmatch(r"\d devices? active, 0 clients, 0 lanes", show("StatusText")), "the clients' end")


def test_the_watchdog_restarts_only_a_stuck_daemon(broker, sensor):
    # Longer than a busy host delays an emulated machine, and shorter than the unit's 30 s, to finish sooner.
    with DropIn("WatchdogSec=15s", "TimeoutAbortSec=1s"):
        run("sensorctl", "list")
        assert show("WatchdogUSec") == "15s"
        process, restarts = main_process(), int(show("NRestarts"))
        with Stream(broker, TAP) as stream:
            stream.until(lambda stream: stream.samples and stream.samples[-1][0] - stream.samples[0][0] > 20e9,
                         "twenty seconds of readings")
        assert main_process() == process
        os.kill(process, signal.SIGSTOP)
        eventually(lambda: int(show("NRestarts")) > restarts and show("ActiveState") == "active", "the watchdog")
        assert main_process() != process
        assert "Watchdog timeout" in log()
        assert '"values"' in run("sensorctl", "get", "accelerometer", "--format", "json")


def test_a_crash_is_followed_by_a_restart_on_the_same_sockets(broker):
    run("sensorctl", "list")
    crashed, socket = main_process(), os.stat(broker).st_ino
    os.kill(crashed, signal.SIGKILL)
    assert run("sensorctl", "list")
    eventually(lambda: main_process() not in (0, crashed), "a new process")
    assert os.stat(broker).st_ino == socket


def test_reload_reads_the_configuration_again(broker, configuration):
    run("sensorctl", "list")
    process = main_process()
    configuration("[Accelerometer]\nDefaultIntervalSec=40ms\n")
    run("systemctl", "reload", SERVICE)
    assert default_interval() == 40_000_000 and main_process() == process


@pytest.mark.parametrize("text, words", [
    ("[Accelerometer]\nDefaultIntervalSec=soon\n", "50-test.conf:2:"),
    ("[Nonsense]\n", "50-test.conf:1:"),
    ("[Location]\nGpsd=a host\n", "50-test.conf:2:"),
    (None, "50-test.conf"),
])
def test_a_failed_reload_is_reported_by_systemctl_and_the_journal(broker, configuration, text, words):
    """Each failed reload is reported until the error is corrected; the old configuration remains in force."""
    run("sensorctl", "list")
    process, before = main_process(), default_interval()
    configuration(text or "")
    if text is None:
        os.chmod(f"{DROP_INS}/50-test.conf", 0o600)
    for _ in range(3):
        refused = attempt("systemctl", "reload", SERVICE)
        assert refused.returncode != 0 and "journalctl" in refused.stderr, refused
        run("journalctl", "--sync")
        assert words in run("systemctl", "status", "--no-pager", "--lines=20", "--full", SERVICE)
        assert show("ReloadResult") == "exit-code"
        assert re.search("ExecReload=.*status=78", run("systemctl", "status", "--no-pager", SERVICE))
        assert main_process() == process and show("ActiveState") == "active" and default_interval() == before
    told = entries("-u", SERVICE, "MESSAGE_ID=e44a99ea700f4e09a6bc1f00cc695176")
    assert len(told) >= 3
    assert f"{told[-1]['SENSORBROKER_FILE']}:{told[-1].get('SENSORBROKER_LINE', '')}:".count(words) == 1
    configuration("")
    os.chmod(f"{DROP_INS}/50-test.conf", 0o644)
    run("systemctl", "reload", SERVICE)
    assert show("ReloadResult") == "success"


def default_interval():
    resources = map(json.loads, run("sensorctl", "list", "--format", "json").splitlines())
    return next(each["defaultIntervalNanoseconds"] for each in resources if each["name"] == "accelerometer")


def test_it_is_not_restarted_if_that_would_not_help(broker, configuration):
    run("systemctl", "stop", SERVICE)
    configuration("[Nonsense]\n")
    assert attempt("systemctl", "start", SERVICE).returncode != 0
    assert show("ExecMainStatus") == "78" and show("NRestarts") == "0" and show("ActiveState") == "failed"
    assert f"{DROP_INS}/50-test.conf:1:" in log()


def test_a_waiting_client_makes_systemd_try_again_until_it_can_be_served(broker, configuration):
    run("systemctl", "stop", SERVICE)
    configuration("[Nonsense]\n")
    before = failed_starts()
    with Connection(broker) as client:
        client.socket.settimeout(PATIENCE)
        client.send(call("org.varlink.service.GetInfo"))
        eventually(lambda: failed_starts() >= before + 2, "two tries")
        assert show("ActiveState", SOCKETS[0]) == "active"
        configuration("")
        assert client.receive()["parameters"]["product"] == "sensorbrokerd"


def failed_starts():
    return len(entries("-u", SERVICE, "UNIT_RESULT=exit-code"))


def test_a_second_copy_is_refused_without_disturbing_the_first(broker):
    run("sensorctl", "list")
    process = main_process()
    refused = attempt("sensorbrokerd", user="sensorbroker")
    assert refused.returncode == 69 and str(process) in refused.stderr, refused.stderr
    assert run("sensorctl", "list") and main_process() == process


def test_while_it_is_stopped_only_its_own_directory_remains(broker):
    run("sensorctl", "list")
    run("systemctl", "stop", SERVICE)
    assert owner("/run/sensorbroker") == ("0o755", "sensorbroker", "sensorbroker")
    assert "sensorbrokerd.lock" in os.listdir("/run/sensorbroker")


def test_events_have_an_id_and_fields_and_an_explanation(broker, sensor):
    event = "7ba3df2cc3134e11be23f92b252d1885"
    before = len(entries(f"MESSAGE_ID={event}", "SENSORBROKER_RESOURCE=accelerometer"))
    with Stream(broker, TAP) as stream:
        stream.until(lambda stream: stream.samples, "a reading")
        sensor.unplug()
        found = eventually(lambda: entries(f"MESSAGE_ID={event}", "SENSORBROKER_RESOURCE=accelerometer")[before:],
                           "the event")
        assert found[0]["PRIORITY"] == "4" and found[0]["SENSORBROKER_REASON"]
        assert found[0]["_SYSTEMD_UNIT"] == SERVICE and found[0]["SYSLOG_IDENTIFIER"] == "sensorbrokerd"
        sensor.plug_again()
        eventually(lambda: entries("MESSAGE_ID=fcf83aa992bf4f129c4bd0a974e44e9d"), "its return")
    explained = run("journalctl", "--no-pager", "-x", "-n", "1", f"MESSAGE_ID={event}")
    assert "Programs that subscribed to it are informed" in explained, explained
