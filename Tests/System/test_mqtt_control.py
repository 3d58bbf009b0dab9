"""sensorbroker-mqtt and whoever operates the fleet: a message that the server keeps changes a stream's interval, within bounds, and what
became of it is reported. Bounds, refusals, floods and what is improper are tested on virtual time (ControlTests).
"""

import json
import os
import re
import resource
import threading
import time

import paho.mqtt.client as mqtt
import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.processes import writes
from tools.programs import HOST, PATIENCE, ROOT
from tools.waiting import until

SECOND = 1_000_000_000
ALLOWED = ("[Control]", "RemoteInterval=yes", "MinInterval=50ms")


class Operator:
    """Sets intervals, and reads what became of them."""

    def __init__(self, port):
        self.grants, self.count = {}, 0
        self.subscribed = threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"operator-{os.getpid()}-{port}", protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda client, *_: client.subscribe(f"fleet/{HOST}/+/grant", 1)
        self.client.on_subscribe = lambda *_: self.subscribed.set()
        self.client.on_message = self.on_message
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port, 10)
        self.client.loop_start()
        assert self.subscribed.wait(PATIENCE)

    def on_message(self, client, data, message):
        self.count += 1
        self.grants[message.topic.split("/")[2]] = json.loads(message.payload)

    def set(self, payload, resource="location", retain=True):
        text = payload if isinstance(payload, (bytes, str)) else json.dumps(payload)
        self.client.publish(f"fleet/{HOST}/{resource}/set", text, qos=1, retain=retain).wait_for_publish(60)

    def await_grant(self, expected, resource="location"):
        def is_there():
            grant = self.grants.get(resource, {})
            return expected(grant) if callable(expected) else grant == expected
        until(is_there, lambda: f"another grant than {self.grants}")

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def server(closing, directory):
    return closing(Mosquitto(directory)).start()


@pytest.fixture
def operator(closing, server):
    return closing(Operator(server.port))


def controlled(closing, directory, daemon, server, control=ALLOWED, readings=("location=100ms",)):
    return closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", readings=readings, others=control)).start()


def cadence(interval, batch=0):
    return {"intervalNanoseconds": interval, "batchNanoseconds": batch}


def await_pace(consumer, interval, count=4):
    """Waits until readings have this interval, by their own times."""
    def has_pace():
        stamps = [reading["timestampNanoseconds"] for reading in consumer.readings("location")][-count - 1:]
        steps = [after - before for before, after in zip(stamps, stamps[1:])]
        return len(steps) == count and all(abs(step - interval) < interval / 2 for step in steps)
    until(has_pace, lambda: f"an interval of {interval} ns")


CONFIGURED = {"granted": cadence(SECOND // 10)}


def test_an_interval_is_changed_while_the_stream_runs_and_restored_by_an_empty_message(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server)
    consumer = closing(Consumer(server.port))
    operator.await_grant(CONFIGURED)
    wanted = {"intervalNanoseconds": SECOND // 2}
    operator.set(wanted)
    operator.await_grant({"requested": wanted, "granted": cadence(SECOND // 2)})
    await_pace(consumer, SECOND // 2)
    wanted = cadence(SECOND // 5, SECOND)
    operator.set(wanted)
    operator.await_grant(lambda grant: grant.get("requested") == wanted and grant["granted"]["intervalNanoseconds"] == SECOND // 5)
    operator.set(b"")
    operator.await_grant(CONFIGURED)
    await_pace(consumer, SECOND // 10)
    consumer.await_all()
    assert not consumer.lost
    # The change is in the stream too, where it begins; the stream itself has not ended.
    assert not [gap for name, _, message in consumer.messages for gap in message.get("gaps", []) if gap["cause"] == "brokerLost"]
    assert len([grant for name, _, message in consumer.messages for grant in message.get("grants", [])]) >= 4


def test_the_page_shows_what_its_own_configuration_grants(closing, directory, daemon, server, operator):
    page = (ROOT / "docs/fleet.md").read_text()
    location, allowed = re.search(r"^    (location=\w+)$", page, re.M)[1], re.search(r"`(RemoteInterval=\w+)` under `\[Control\]`", page)[1]
    controlled(closing, directory, daemon, server, control=("[Control]", allowed), readings=(location,))
    operator.set(re.search(r"mosquitto_pub .*/location/set -m '(.*)'", page)[1])
    operator.await_grant(json.loads(re.search(r"mosquitto_sub .*/location/grant\n    (.*)", page)[1]))


def test_it_survives_restarts_of_bridge_server_and_broker(closing, directory, start, server, operator):
    daemon = start("--mock")
    bridge = controlled(closing, directory, daemon, server)
    consumer = closing(Consumer(server.port))
    wanted = {"intervalNanoseconds": SECOND // 2}
    granted = {"requested": wanted, "granted": cadence(SECOND // 2)}
    operator.set(wanted)
    operator.await_grant(granted)
    bridge.stop()
    operator.grants.clear()
    bridge.start()
    operator.await_grant(granted)
    daemon.kill()
    start("--mock")
    consumer.await_count("location", consumer.count("location") + 3)
    await_pace(consumer, SECOND // 2)
    server.process.terminate()
    server.process.wait()
    server.start()
    consumer.await_count("location", consumer.count("location") + 5)
    await_pace(consumer, SECOND // 2)
    operator.await_grant(granted)


def test_what_is_set_waits_for_a_disk_that_is_full(closing, directory, daemon, server, operator):
    """And the bridge waits as well, where it looked for room thousands of times a second."""
    wanted = {"intervalNanoseconds": SECOND}
    operator.set(wanted)
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", others=ALLOWED,
                            prefix=("prlimit", "--fsize=200:"))).start()
    bridge.await_output("make room, or write a smaller MaxBytes=")
    until(lambda: bridge.status.startswith("Connected"), bridge.output)
    # By then what is retained has come.
    time.sleep(1)
    before = writes(bridge.process.pid)
    time.sleep(2)
    assert writes(bridge.process.pid) - before < 100
    resource.prlimit(bridge.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    operator.await_grant({"requested": wanted, "granted": cadence(SECOND)})
