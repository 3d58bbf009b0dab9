"""The package of the bridge to a fleet's server, with a real server beside it."""

import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import stat
import subprocess
import sys

import pytest

from host import attempt, dpkg, eventually, needs_no_swift, owner, run, show

SERVICE = "sensorbroker-mqtt.service"
CONFIGURATION = pathlib.Path("/etc/sensorbroker/sensorbroker-mqtt.conf")
SPOOL = pathlib.Path("/var/lib/sensorbroker-mqtt")
MOSQUITTO = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
PORT = 18_830


@pytest.fixture(scope="module")
def said(installation):
    return dpkg("-i", os.environ["MQTT_PACKAGE"])


@pytest.fixture(scope="module")
def configured(said):
    """The service, with a configuration and no server."""
    CONFIGURATION.with_suffix(".conf.d").mkdir(exist_ok=True)
    (CONFIGURATION.with_suffix(".conf.d") / "test.conf").write_text(
        f"[Server]\nUrl=mqtt://127.0.0.1:{PORT}\n[Topics]\nHost=truck\n[Readings]\naccelerometer=100ms\n[Spool]\nSyncSec=500ms\n")
    run("systemctl", "start", SERVICE)
    yield
    attempt("systemctl", "stop", SERVICE)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if not MOSQUITTO:
        pytest.skip("there is no mosquitto: nothing was sent")
    folder = tmp_path_factory.mktemp("server")
    file = folder / "mosquitto.conf"
    file.write_text(f"listener {PORT} 127.0.0.1\nallow_anonymous true\nuser root\n")
    process = subprocess.Popen([MOSQUITTO, "-c", str(file)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def listens():
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", PORT)) == 0

    eventually(listens, "the server")
    yield process
    process.kill()
    process.wait()


def status():
    return show("StatusText", SERVICE)


def test_installation_prints_no_errors_and_starts_nothing(said):
    assert not re.search("error|fail|warning|cannot", said, re.IGNORECASE), said
    assert show("ActiveState", SERVICE) == "inactive" and show("UnitFileState", SERVICE) == "disabled"
    needs_no_swift("/usr/sbin/sensorbroker-mqtt")
    assert "sensorbroker-mqtt" in run("getent", "group", "sensorbroker")


def test_without_a_server_in_its_configuration_it_says_what_to_write(said):
    result = attempt("sensorbroker-mqtt", "--check-config")
    assert result.returncode == 78 and "Url=mqtts://broker.example" in result.stderr
    assert attempt("systemctl", "start", SERVICE).returncode != 0
    assert show("ExecMainStatus", SERVICE) == "78" and show("ActiveState", SERVICE) == "failed"
    run("systemctl", "reset-failed", SERVICE)


def test_it_is_ready_without_a_server_and_fills_its_spool(configured, broker, sensor):
    assert show("ActiveState", SERVICE) == "active"
    eventually(lambda: status().startswith("Not connected"), "its status")
    assert owner(SPOOL) == ("0o700", "sensorbroker-mqtt", "sensorbroker-mqtt")
    eventually(lambda: sum(path.stat().st_size for path in SPOOL.glob("*.seg")) > 1_000, "readings in the spool")
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in SPOOL.glob("*.seg"))


def test_it_is_a_user_with_no_more_rights_than_it_needs(configured):
    process = show("MainPID", SERVICE)
    assert pwd.getpwuid(os.stat(f"/proc/{process}").st_uid).pw_name == "sensorbroker-mqtt"
    lines = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines() if ":\t" in line)
    assert {lines[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert lines["NoNewPrivs"] == "1" and lines["Seccomp"] == "2"


def test_the_sandbox_scores_1_7_and_0_8_without_the_network(said):
    """Of 1.7, the network alone is 0.9: docs/fleet.md."""
    result = attempt("systemd-analyze", "security", "--threshold=17", "--no-pager", SERVICE)
    assert result.returncode == 0, result.stdout[-900:] + result.stderr
    unit = pathlib.Path("/run/without-network/sensorbroker-mqtt.service")
    unit.parent.mkdir()
    text = run("systemctl", "cat", SERVICE)
    unit.write_text(re.sub("^RestrictAddressFamilies=.*", "RestrictAddressFamilies=AF_UNIX\nPrivateNetwork=yes\nIPAddressDeny=any", text,
                           flags=re.MULTILINE))
    result = attempt("systemd-analyze", "security", "--offline=true", "--threshold=10", "--no-pager", unit)
    assert result.returncode == 0, result.stdout[-900:] + result.stderr


def test_the_unit_and_the_manual_are_valid(said):
    result = attempt("systemd-analyze", "verify", SERVICE)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    for page in ("man8/sensorbroker-mqtt.8.gz", "man5/sensorbroker-mqtt.conf.5.gz"):
        assert os.path.exists(f"/usr/share/man/{page}")


def findings():
    lines = attempt("sensorctl", "doctor", "--format", "json").stdout.splitlines()
    return {finding["subject"]: finding for finding in map(json.loads, lines)}


def test_the_doctor_tells_that_there_is_no_connection(configured):
    finding = findings()["fleet"]
    assert finding["verdict"] == "note" and "Not connected" in finding["words"]
    assert "of the bridge's spool is used" in findings()["spool"]["words"]


def test_what_was_spooled_arrives(configured, broker, sensor, server):
    # Someone listens, else nothing counts as delivered.
    listener = subprocess.Popen([sys.executable, "-c", LISTENER, str(PORT)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True)
    try:
        eventually(lambda: listener.stdout.readline().strip() == "subscribed", "the listener")
        topics = set()
        while topics < {"fleet/truck/status", "fleet/truck/accelerometer", "fleet/truck/accelerometer/late"}:
            line = listener.stdout.readline()
            assert line, "the listener has ended"
            topics.add(line.strip())
        eventually(lambda: status().startswith("Connected"), "its status")
        # What it sent before somebody listened, it tries again soon.
        eventually(lambda: findings()["fleet"]["verdict"] == "ok", "a connection without complaints")
    finally:
        listener.kill()
        listener.wait()


LISTENER = """
import sys
import paho.mqtt.client as mqtt
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "listener", protocol=mqtt.MQTTv5)
client.on_connect = lambda client, *_: client.subscribe("fleet/truck/#", 1)
client.on_subscribe = lambda *_: print("subscribed", flush=True)
client.on_message = lambda client, data, message: print(message.topic, flush=True)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_forever()
"""


def test_it_ends_at_once_and_is_not_lost(configured, server):
    run("systemctl", "restart", SERVICE)
    assert show("ActiveState", SERVICE) == "active" and show("Result", SERVICE) == "success"


def test_removing_keeps_the_spool_and_purging_leaves_nothing_of_it(configured):
    # As an administrator has it, who has started it.
    dpkg("-r", "sensorbroker-mqtt")
    assert show("ActiveState", SERVICE) == "inactive" and SPOOL.exists() and CONFIGURATION.exists()
    dpkg("-P", "sensorbroker-mqtt")
    assert show("LoadState", SERVICE) == "not-found"
    assert not SPOOL.exists() and not CONFIGURATION.exists()
    assert not [user for user in pwd.getpwall() if user.pw_name == "sensorbroker-mqtt"]
    left = [path for root in ("/usr", "/etc", "/var/lib", "/run") for path in pathlib.Path(root).glob("*/sensorbroker-mqtt*")]
    assert not [path for path in left if "without-network" not in str(path)]
