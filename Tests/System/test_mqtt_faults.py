"""sensorbroker-mqtt with another engine, with certificates of both sides, and with a disk that is full.

What it makes of servers that refuse and lie, and of a damaged spool, is tested on virtual time (Tests/Fleet/FleetProgramTests/Bridge).
"""

import os
import resource
import subprocess

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import NATS, encrypted
from tools.ports import free_port
from tools.programs import PATIENCE, SENSORBROKER_MQTT
from tools.scriptedmqtt import ScriptedServer, arrived, await_complete, scripted
from tools.waiting import until


def test_a_group_that_is_too_large_is_divided(closing, directory, daemon):
    """The server announces 1,500 bytes, which is more than any message, and less than most groups."""
    server, bridge = scripted(closing, directory, daemon, readings=("location=5ms",), connack=lambda number: 0x88 if number < 2 else 0,
                              spool=("SyncSec=800ms", "BacklogSpeed=max"), properties=b"\x27\x00\x00\x05\xdc")
    ledger = await_complete(server)
    assert not ledger.lost and ledger.groups
    assert max(len(topic) + len(payload) for topic, payload in server.published) < 1_500


def test_nats_is_another_engine(closing, directory, daemon):
    server = closing(NATS(directory)).start()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", server=("Version=3.1.1",))).start()
    consumer = closing(Consumer(server.port, version=4))
    consumer.await_count("location", 20)
    server.kill()
    server.start()
    consumer.await_count("location", consumer.count("location") + 20)
    consumer.await_all(resend=True)
    assert not consumer.lost


def test_messages_that_a_full_disk_did_not_take_are_reported(closing, directory, daemon):
    """A file may have 64 KiB, and no more than one segment fits."""
    server = closing(ScriptedServer(connack=lambda number: 0))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("accelerometer=1ms batch 200ms",), prefix=("prlimit", f"--fsize={64 << 10}"))).start()
    bridge.await_output("make room, or write a smaller MaxBytes=")
    until(lambda: "diskFull" in arrived(server).causes, "what is lost to be reported")
    ledger = await_complete(server, "accelerometer", 5)
    assert {cause for _, _, _, _, cause in ledger.lost} == {"diskFull"}


def test_on_a_full_disk_the_first_message_waits(closing, directory, daemon, server):
    """No file may have more bytes than one head, as if there were no room; then each may."""
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", prefix=("prlimit", "--fsize=200:"))).start()
    bridge.await_output("make room, or write a smaller MaxBytes=")
    until(lambda: bridge.status.startswith("Connected"), bridge.output)
    consumer = closing(Consumer(server.port))
    resource.prlimit(bridge.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    consumer.await_count("location", 5)
    consumer.await_all()
    (epoch,) = consumer.epochs("location")
    assert consumer.began[("location", epoch)] == {"cause": "first"} and not consumer.lost
    assert bridge.output().count("make room") == 1


def test_certificates_of_both_sides(closing, directory, daemon, authority):
    server = closing(encrypted(directory, authority)).start()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtts://localhost:{server.port}",
                            server=(f"Authority={authority}/ours.crt", "Certificate=client.crt", "Key=client.key"),
                            environment={"CREDENTIALS_DIRECTORY": str(authority)})).start()
    consumer = closing(Consumer(server.port, ca_certs=f"{authority}/ours.crt", certfile=f"{authority}/client.crt",
                                keyfile=f"{authority}/client.key"))
    consumer.await_count("location", 20)
    consumer.await_all()


def test_to_a_server_with_a_wrong_certificate_nothing_is_sent(closing, directory, daemon, authority):
    server = closing(encrypted(directory, authority)).start()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtts://localhost:{server.port}",
                            server=(f"Authority={authority}/theirs.crt", f"Certificate={authority}/client.crt",
                                    f"Key={authority}/client.key"))).start()
    bridge.await_output("certificate verify failed")
    assert "New connection from" in server.log() and "PUBLISH" not in server.log() and "connected to" not in bridge.output().replace("not connected to", "")


def test_a_server_that_refuses_the_certificate_is_distinguished_as_far_as_tls_allows(closing, directory, daemon, authority):
    server = closing(encrypted(directory, authority)).start()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtts://localhost:{server.port}",
                            server=(f"Authority={authority}/ours.crt", f"Certificate={authority}/stranger.crt",
                                    f"Key={authority}/stranger.key"))).start()
    bridge.await_output("not connected to")
    assert "certificate" in bridge.output() or "alert unknown ca" in bridge.output()


def invoke(*words, environment=None):
    return subprocess.run([SENSORBROKER_MQTT, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, env={**os.environ, **(environment or {})})


def test_the_configuration_is_checked_as_the_daemons(tmp_path):
    file = tmp_path / "mqtt.conf"
    file.write_text("[Server]\nUrl=mqtt://b\n[Readings]\nlocation=1s\n[Spool]\nMaxByte=1\nSyncSec=often\n")
    result = invoke("--check-config", "--config", file)
    assert result.returncode == 78 and result.stdout == ""
    assert f"{file}:6: [Spool] has no 'MaxByte=': did you mean MaxBytes=?\n{file}:7: [Spool] SyncSec=often: " in result.stderr
    file.write_text("[Server]\nUrl=mqtt://b\n[Readings]\nlocation=1s\n")
    (tmp_path / "mqtt.conf.d").mkdir()
    (tmp_path / "mqtt.conf.d/10-slow.conf").write_text("[Readings]\nlocation=10s\n")
    result = invoke("--check-config", "--config", file)
    assert (result.returncode, result.stderr) == (0, "") and "\nlocation=10s\n" in result.stdout
    assert invoke("--nonsense").returncode == 64
    assert invoke("--config", tmp_path / "none").returncode == 78
    assert invoke("--version").stdout.startswith("sensorbroker-mqtt ")
    file.write_text("[Server]\nUrl=mqtts://b\nKey=k\nCertificate=c\n[Readings]\nlocation=1s\n")
    result = invoke("--config", file, "--spool", tmp_path / "spool", environment={"CREDENTIALS_DIRECTORY": ""})
    assert result.returncode == 78 and "LoadCredential=" in result.stderr


def test_a_spool_belongs_to_one_program(closing, directory, daemon):
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{free_port()}")).start()
    result = invoke("--config", bridge.configuration, "--spool", bridge.spool)
    assert result.returncode == 69 and f"pid {bridge.process.pid} holds" in result.stderr
