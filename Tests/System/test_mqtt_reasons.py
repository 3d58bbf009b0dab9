"""Every reason that a server of MQTT 5 may give has its row in the table, and comes to the bridge through libmosquitto.

What each row decides is tested on virtual time: Tests/Fleet/FleetProgramTests/Bridge/ReasonTests.swift.
"""

import os
import re

import pytest

from tools.programs import ROOT
from tools.scriptedmqtt import await_complete, scripted

TABLE = (ROOT / "Sources/Fleet/Fleet/Reasons.swift").read_text()
ROWS = {int(code, 16): dict(re.findall(r"(\w+): \.(\w+)", rest))
        for code, rest in re.findall(r"^        Reason\((0x\w\w)(.*)\),$", TABLE, re.MULTILINE)}
HEADER = "/usr/include/mqtt_protocol.h"
# Only a client gives this: it ends with its last will
NOT_OURS = {0x04}
PACKETS = {"CONNACK": "connection", "PUBACK": "message", "DISCONNECT": "end"}


@pytest.mark.skipif(not os.path.exists(HEADER), reason="libmosquitto-dev is not installed")
def test_the_table_has_each_reason_of_mqtt_5_in_each_packet_that_a_server_sends():
    enumeration = re.search(r"enum mqtt5_return_codes \{(.*?)\}", open(HEADER).read(), re.DOTALL).group(1)
    compared = 0
    for code, packets in re.findall(r"= (\d+),?\s*/\*(.*?)\*/", enumeration):
        for packet in set(packets.replace(" ", "").split(",")) & set(PACKETS) if int(code) > 0 and int(code) not in NOT_OURS else ():
            assert PACKETS[packet] in ROWS[int(code)], (hex(int(code)), packet)
            compared += 1
    assert compared > 50


def test_a_server_that_refuses_each_packet_once_gets_everything(closing, directory, daemon):
    refused = []

    def puback(topic, payload):
        if topic.endswith("status") or len(refused) == 3:
            return 0
        refused.append(topic)
        return ("disconnect", 0x8B) if len(refused) == 3 else 0x97

    server, bridge = scripted(closing, directory, daemon, connack=lambda number: 0x88 if number == 1 else 0, puback=puback)
    ledger = await_complete(server)
    assert not ledger.lost and len(refused) == 3 and len(server.connections) == 3
    for words in ("the server refuses the connection: Server unavailable (0x88)", "the server ended the connection: Server shutting down",
                  "the server does not take"):
        assert words in bridge.output()
