"""Every reason that a server of MQTT 5 may give decides something, by its row in the table; a server that keeps no messages; and floods
of what anybody may send.
"""

import json
import os
import re

import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.programs import HOST, ROOT
from tools.scriptedmqtt import ScriptedServer, await_complete, scripted
from tools.waiting import until

TABLE = (ROOT / "Sources/Fleet/Reasons.swift").read_text()
ROWS = [(int(code, 16), dict(re.findall(r"(\w+): \.(\w+)", rest)))
        for code, rest in re.findall(r"^        Reason\((0x\w\w)(.*)\),$", TABLE, re.MULTILINE)]
HEADER = "/usr/include/mqtt_protocol.h"
# Only a client gives this: it ends with its last will
NOT_OURS = {0x04}
PACKETS = {"CONNACK": "connection", "PUBACK": "message", "DISCONNECT": "end"}


def rows(column):
    return [(code, columns[column]) for code, columns in ROWS if column in columns and code >= 0x10]


@pytest.mark.skipif(not os.path.exists(HEADER), reason="libmosquitto-dev is not installed")
def test_the_table_has_each_reason_of_mqtt_5_in_each_packet_that_a_server_sends():
    enumeration = re.search(r"enum mqtt5_return_codes \{(.*?)\}", open(HEADER).read(), re.DOTALL).group(1)
    table, compared = dict(ROWS), 0
    for code, packets in re.findall(r"= (\d+),?\s*/\*(.*?)\*/", enumeration):
        for packet in set(packets.replace(" ", "").split(",")) & set(PACKETS) if int(code) > 0 and int(code) not in NOT_OURS else ():
            assert PACKETS[packet] in table[int(code)], (hex(int(code)), packet)
            compared += 1
    assert compared > 50


@pytest.mark.parametrize("code, meaning", rows("connection"))
def test_a_reason_in_answer_to_a_connection(closing, directory, daemon, code, meaning):
    server, bridge = scripted(closing, directory, daemon, connack=lambda number: code if number == 1 else 0)
    bridge.await_output("client id twice" if meaning == "takenOver" else "the server refuses the connection: ")
    if meaning in ("busy", "version", "retain"):
        assert not await_complete(server).lost
        assert server.connections[1] == (4 if meaning == "version" else 5)
        return
    # A minute at least, or five.
    until(lambda: ("client id twice" if meaning == "takenOver" else "refuses the connection") in bridge.status, lambda: bridge.status)
    until(lambda: sum(entry.stat().st_size for entry in os.scandir(bridge.spool)) > 4_000, "readings in the spool")
    assert len(server.connections) == 1 and not server.published


@pytest.mark.parametrize("code, meaning", rows("message"))
def test_a_reason_in_answer_to_a_message(closing, directory, daemon, code, meaning):
    refused = []

    def puback(topic, payload):
        if not topic.endswith("status") and len(refused) < 2:
            refused.append(topic)
            return code
        return 0

    server, bridge = scripted(closing, directory, daemon, puback=puback)
    ledger = await_complete(server)
    if meaning == "tooLarge":
        assert set(ledger.causes) == {"tooLarge"}
    else:
        assert not ledger.lost
    assert len(server.connections) == 1


@pytest.mark.parametrize("code, meaning", rows("end"))
def test_a_reason_at_the_end_of_a_connection(closing, directory, daemon, code, meaning):
    ended = []

    def puback(topic, payload):
        if not topic.endswith("status") and not ended:
            ended.append(len(payload))
            return ("disconnect", code)
        return 0

    server, bridge = scripted(closing, directory, daemon, puback=puback)
    bridge.await_output("not connected to")
    if meaning in ("credentials", "permanent", "takenOver"):
        words = "client id twice" if meaning == "takenOver" else "the server ended the connection"
        until(lambda: words in bridge.status, lambda: bridge.status)
        until(lambda: sum(entry.stat().st_size for entry in os.scandir(bridge.spool)) > 8_000, "readings in the spool")
        assert len(server.connections) == 1
        return
    ledger = await_complete(server)
    assert len(server.connections) == 2
    # What was out and too large is divided, or told: nothing is lost in silence.
    assert set(ledger.causes) <= {"tooLarge"} if meaning == "size" else not ledger.lost


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_server_that_keeps_nothing_gets_everything_without_that(closing, directory, daemon, is_announced):
    """It says so in its greeting, or refuses a client that wants its last will to be kept."""
    server = closing(ScriptedServer(properties=b"\x25\x00" if is_announced else b""))

    def wants_a_kept_will():
        return bool(server.introductions[-1][7] & 0x20)

    if not is_announced:
        server.connack = lambda number: 0x9A if wants_a_kept_will() else 0
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start()
    ledger = await_complete(server)
    assert not ledger.lost and ledger.status["state"] == "online"
    assert bridge.output().count("keeps no messages") == 1 and not server.retained
    if not is_announced:
        assert len(server.connections) == 2 and not wants_a_kept_will()


def test_a_server_that_allows_no_requests_gets_everything_and_it_is_said_once(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon, suback=0x87)
    assert not await_complete(server).lost
    bridge.await_output("does not allow a subscription")
    assert bridge.output().count("does not allow a subscription") == 1 and len(server.connections) == 1


def test_the_server_may_send_no_large_packet(closing, directory, daemon):
    """Anybody may publish megabytes to a topic of requests: libmosquitto would hold them in memory as a whole."""
    server, bridge = scripted(closing, directory, daemon)
    await_complete(server)
    # After the keepalive: the properties, with the maximum packet size (0x27) of 16 KiB.
    assert b"\x27\x00\x00\x40\x00" in server.introductions[0][10:30]


def spooled(bridge):
    return sum(entry.stat().st_size for entry in os.scandir(bridge.spool))


def test_a_flood_of_requests_costs_a_bounded_share_and_disturbs_nobody(closing, directory, daemon):
    server = closing(Mosquitto(directory)).start()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            spool=("SyncSec=500ms", "BacklogSpeed=10"))).start()
    consumer = closing(Consumer(server.port))
    stranger = closing(Consumer(server.port, identifier="stranger"))
    consumer.await_count("location", 20)
    (epoch,) = consumer.epochs("location")
    size, count, messages = spooled(bridge), consumer.count("location"), len(consumer.messages)
    for index in range(4_000):
        gone = {"resource": "location", "epoch": f"{index:032x}", "from": 1, "to": 2**62}
        there = {"resource": "accelerometer", "epoch": consumer.epochs("accelerometer")[0], "from": 1, "to": 2**40 + index}
        stranger.client.publish(f"fleet/{HOST}/resend", json.dumps(gone if index % 2 else there), qos=1)
    stranger.client.publish(f"fleet/{HOST}/resend", b"x" * (1 << 20), qos=1)
    # Among them somebody who lacks something.
    consumer.client.publish(f"fleet/{HOST}/resend", json.dumps({"resource": "location", "epoch": epoch, "from": 3, "to": 5}), qos=1)
    until(lambda: all(consumer.seen[("location", epoch)][number] > 1 for number in (3, 4, 5)), "what was asked for")
    consumer.await_count("location", count + 100)
    consumer.await_all()
    steps = consumer.count("location") - count
    # A tenth of a second each: what was told gone is at most 16 at once, and one a second.
    assert len(consumer.lost) <= 16 + steps / 10 + 5
    assert {cause for _, _, _, _, cause in consumer.lost} <= {"gone"}
    # What comes again is at most ten times as much as what is measured.
    assert len(consumer.messages) - messages < 14 * (steps + len(consumer.lost)) + 100
    assert spooled(bridge) - size < 400_000 and bridge.process.poll() is None
    # Live messages went on in their order.
    live = [message["number"] for name, late, message in consumer.messages if name == "location" and not late]
    assert live == sorted(live)
