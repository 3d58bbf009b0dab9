"""sensorbroker-mqtt and servers that refuse, lie, change and speak other versions; disks that are full and damaged; certificates."""

import os
import subprocess

import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import NATS, Mosquitto, encrypted
from tools.ports import free_port
from tools.programs import PATIENCE, SENSORBROKER_MQTT
from tools.scriptedmqtt import ScriptedServer, arrived, await_complete, scripted
from tools.waiting import until


@pytest.mark.parametrize("reason, words", [(0x86, "Bad User Name or Password"), (0x87, "Not authorized")])
def test_a_server_that_refuses_the_client_is_asked_slowly(closing, directory, daemon, reason, words):
    server, bridge = scripted(closing, directory, daemon, connack=lambda number: reason)
    bridge.await_output(f"the server refuses the connection: {words}")
    until(lambda: words in bridge.status, lambda: bridge.status)
    # Each wait is a minute at least: there is no second attempt so soon, and what is measured is spooled.
    until(lambda: sum(entry.stat().st_size for entry in os.scandir(bridge.spool)) > 4_000, "readings in the spool")
    assert len(server.connections) == 1 and not server.published


def test_a_server_that_is_busy_at_first_gets_everything_later(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon, connack=lambda number: 0x88 if number < 3 else 0)
    ledger = await_complete(server)
    assert len(server.connections) == 3 and not ledger.lost


def test_a_stream_that_is_not_allowed_is_kept_and_the_other_goes_on(closing, directory, daemon):
    allowed = []
    server, bridge = scripted(closing, directory, daemon,
                              puback=lambda topic, payload: 0x87 if "/location" in topic and not allowed else 0)
    bridge.await_output("the server does not take location now: Not authorized")
    until(lambda: arrived(server).count("accelerometer") > 20, "accelerations")
    until(lambda: "does not take location" in bridge.status, lambda: bridge.status)
    assert arrived(server).count("location") == 0
    # Few attempts, whatever is measured meanwhile.
    assert len([topic for topic, _ in server.published if "/location" in topic]) < 100
    allowed.append(True)
    ledger = await_complete(server)
    assert not ledger.lost and 1 in ledger.seen[("location", ledger.epochs("location")[0])]


@pytest.mark.parametrize("reason", [0x97, 0x93, 0x83])
def test_a_server_that_has_too_much_to_do_gets_it_later(closing, directory, daemon, reason):
    refused = []

    def puback(topic, payload):
        if len(refused) < 6 and not topic.endswith("status"):
            refused.append(topic)
            return reason
        return 0

    server, bridge = scripted(closing, directory, daemon, puback=puback)
    ledger = await_complete(server)
    assert len(refused) == 6 and not ledger.lost


def test_not_more_than_the_server_allows_is_out_at_once(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon, connack=lambda number: 0x88 if number < 3 else 0,
                              properties=b"\x21\x00\x05", puback=lambda topic, payload: 0)
    await_complete(server)
    # The status is one more than the messages of the window.
    assert 1 <= server.most_in_flight <= 6


def test_a_group_that_is_too_large_is_divided(closing, directory, daemon):
    """The server announces 1,500 bytes, which is more than any message, and less than most groups."""
    server, bridge = scripted(closing, directory, daemon, readings=("location=10ms",), connack=lambda number: 0x88 if number < 3 else 0,
                              spool=("SyncSec=3s", "BacklogSpeed=max"), properties=b"\x27\x00\x00\x05\xdc")
    ledger = await_complete(server)
    assert not ledger.lost and ledger.groups
    assert max(len(topic) + len(payload) for topic, payload in server.published) < 1_500


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_message_that_is_too_large_alone_is_told_as_lost(closing, directory, daemon, is_announced):
    """2,000 bytes: locations fit, even if several come together after a pause of the host; a batch of accelerations does not."""
    server, bridge = scripted(closing, directory, daemon, readings=("location=500ms", "accelerometer=10ms batch 2s"),
                              properties=b"\x27\x00\x00\x07\xd0" if is_announced else b"",
                              puback=lambda topic, payload: 0x95 if len(payload) > 1980 else 0)
    until(lambda: "tooLarge" in arrived(server).causes, "what is lost to be told")
    ledger = await_complete(server)
    assert {(resource, cause) for resource, _, _, _, cause in ledger.lost} == {("accelerometer", "tooLarge")}
    bridge.await_output("messages are lost; consumers are told which")


def test_another_client_with_the_same_name_is_left_in_peace(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon,
                              puback=lambda topic, payload: ("disconnect", 0x8E) if not topic.endswith("status") else 0)
    bridge.await_output("client id twice: another program connects as truck-0042")
    until(lambda: "client id twice" in bridge.status, lambda: bridge.status)
    assert len(server.connections) == 1


def test_two_bridges_with_one_name_notice_it(closing, directory, daemon):
    """mosquitto 2.0.11 does not say why it ends the former connection."""
    server = closing(Mosquitto(directory)).start()
    closing(Consumer(server.port))
    bridges = []
    for name in ("one", "two"):
        os.mkdir(f"{directory}/{name}")
        bridges.append(closing(Bridge(f"{directory}/{name}", daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start())
    until(lambda: any("client id twice" in bridge.output() for bridge in bridges), lambda: bridges[0].output() + bridges[1].output())


def test_a_server_that_says_why_it_ends_the_connection_is_tried_again(closing, directory, daemon):
    ended = []

    def puback(topic, payload):
        if not topic.endswith("status") and len(ended) < 2:
            ended.append(topic)
            return ("disconnect", 0x8B)
        return 0

    server, bridge = scripted(closing, directory, daemon, puback=puback)
    bridge.await_output("the server ended the connection: Server shutting down")
    assert not await_complete(server).lost


def test_a_server_of_3_1_1_is_used_and_warned_of(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon, versions=(4,))
    bridge.await_output("the server speaks only MQTT 3.1.1")
    assert not await_complete(server).lost
    assert set(server.connections) == {5, 4}


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


def test_a_server_that_acknowledges_nothing_delivers_nothing(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon, puback=lambda topic, payload: None)
    until(lambda: len(server.published) >= 60, "messages")
    # At most the window is out, and the status.
    until(lambda: server.most_in_flight >= 60, "messages without answers")
    bridge.stop()
    assert server.most_in_flight <= 103 and not server.arrived


def test_messages_that_a_full_disk_did_not_take_are_told(closing, directory, daemon):
    """A file may have 64 KiB, and no more than one segment fits."""
    server = closing(ScriptedServer(connack=lambda number: 0))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("accelerometer=10ms batch 1s",), prefix=("prlimit", f"--fsize={64 << 10}"))).start()
    bridge.await_output("make room, or write a smaller MaxBytes=")
    until(lambda: "diskFull" in arrived(server).causes, "what is lost to be told")
    ledger = await_complete(server, "accelerometer", 5)
    assert {cause for _, _, _, _, cause in ledger.lost} == {"diskFull"}


def test_room_is_reserved_for_the_newest_segment_and_given_back(closing, directory, daemon):
    """Else each sync writes down which blocks the file got."""
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{free_port()}", readings=("accelerometer=5ms",),
                            spool=("SyncSec=200ms", "MaxBytes=256K"))).start()

    def unused():
        """The bytes of each segment's room that are not used; its last block, and a block of its extents, are not counted."""
        states = [entry.stat() for entry in sorted(os.scandir(bridge.spool), key=lambda entry: entry.name)
                  if entry.name.endswith(".seg")]
        return [state.st_blocks * 512 - state.st_size - 2 * state.st_blksize for state in states]

    def is_only_at_the_end(room):
        return len(room) > 2 and room[-1] > 0 and all(bytes_ <= 0 for bytes_ in room[:-1])

    until(lambda: is_only_at_the_end(unused()), lambda: str(unused()))
    bridge.stop()
    assert all(bytes_ <= 0 for bytes_ in unused())


def test_a_damaged_spool_is_told_with_its_numbers(closing, directory, daemon):
    server = closing(Mosquitto(directory))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", readings=("location=10ms",),
                            spool=("SyncSec=200ms", "MaxBytes=64K", "BacklogSpeed=max"))).start()

    def segments():
        return sorted(entry.path for entry in os.scandir(bridge.spool) if entry.name.endswith(".seg"))

    until(lambda: len(segments()) > 3, lambda: str(segments()))
    bridge.stop()
    with open(segments()[1], "r+b") as file:
        file.seek(os.path.getsize(segments()[1]) // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 4]))
    with open(segments()[-1], "ab") as file:
        file.write(b"\0" * 100)
    server.start()
    consumer = closing(Consumer(server.port))
    bridge.start()
    bridge.await_output("bytes of the spool were damaged")
    until(lambda: consumer.causes["corrupted"] == 1, "what is lost to be told")
    until(lambda: len(consumer.epochs("location")) == 2, "a second epoch")
    consumer.await_all()
    ((_, epoch, first, last, _),) = [lost for lost in consumer.lost if lost[4] == "corrupted"]
    assert first < last and not [number for number in range(first, last + 1) if number in consumer.seen[("location", epoch)]]


def test_a_full_spool_tells_what_it_evicted(closing, directory, daemon):
    server = closing(Mosquitto(directory))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("location=10ms", "accelerometer=10ms batch 100ms"),
                            spool=("SyncSec=100ms", "MaxBytes=64K", "BacklogSpeed=max"))).start()
    bridge.await_output("messages are lost; consumers are told which")
    server.start()
    consumer = closing(Consumer(server.port))
    until(lambda: consumer.causes["evicted"], "what is lost to be told")
    consumer.await_count("location", 100)
    consumer.await_all()
    assert sum(entry.stat().st_size for entry in os.scandir(bridge.spool)) <= 80 << 10


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


def test_a_server_that_refuses_the_certificate_is_told_apart_as_far_as_tls_allows(closing, directory, daemon, authority):
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
