"""sensorbroker-mqtt and whoever operates the fleet: a message that the server keeps changes a stream's interval, within bounds, and what
became of it is told.
"""

import asyncio
import json
import os
import threading
import time

import paho.mqtt.client as mqtt
import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.network import Loop
from tools.programs import HOST
from tools.waiting import until

SECOND = 1_000_000_000
TOPIC = f"fleet/{HOST}/location"
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
        assert self.subscribed.wait(60)

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


def test_an_interval_is_bounded_by_the_configuration(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server, readings=("accelerometer=100ms",))
    operator.set({"intervalNanoseconds": 0}, "accelerometer")
    operator.await_grant({"requested": {"intervalNanoseconds": 0}, "granted": cadence(SECOND // 20)}, "accelerometer")


def test_without_a_bound_it_is_the_configured_interval(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server, control=("[Control]", "RemoteInterval=yes"))
    operator.set({"intervalNanoseconds": 1})
    operator.await_grant({"requested": {"intervalNanoseconds": 1}, **CONFIGURED})


def test_the_broker_bounds_an_interval_as_any_other(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server, control=("[Control]", "RemoteInterval=yes", "MinInterval=0"))
    operator.set({"intervalNanoseconds": 1})
    operator.await_grant(lambda grant: "requested" in grant and 1 < grant["granted"]["intervalNanoseconds"] <= SECOND)


def test_what_the_broker_refuses_is_told_with_the_reason(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server, readings=("location=100ms", "pressure:7=1s"))
    wanted = {"intervalNanoseconds": 2 * SECOND}
    operator.set(wanted, "pressure:7")
    operator.await_grant(lambda grant: grant.get("requested") == wanted and "there is no resource" in grant.get("refused", ""), "pressure:7")


def test_it_is_off_unless_it_is_allowed(closing, directory, daemon, server, operator):
    operator.set({"intervalNanoseconds": 10 * SECOND})
    controlled(closing, directory, daemon, server, control=())
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 30)
    await_pace(consumer, SECOND // 10)
    assert not operator.grants


@pytest.mark.parametrize("payload, words", [
    (b"no", "it is no JSON"), (b"[]", "it is no JSON object"), (b"{}", "it has no intervalNanoseconds"),
    (b'{"intervalNanoseconds":-1}', "no whole number"), (b'{"intervalNanoseconds":1.5}', "no whole number"),
    (b'{"intervalNanoseconds":1e9}', "no whole number"), (b'{"intervalNanoseconds":9223372036854775807}', "no whole number"),
    (b'{"intervalNanoseconds":1,"batchNanoseconds":-1}', "batchNanoseconds is no whole number"),
    (b'{"intervalNanoseconds":1,"interval":"1s"}', "other than"), (b'{"intervalNanoseconds":1,"intervalNanoseconds":2}', "no JSON"),
    (b"[" * 900, "no JSON"), (b" " * 1_025, "longer than 1024 bytes"), (b"\xff\xfe", "no JSON"),
])
def test_what_is_no_such_message_is_refused_with_the_reason(closing, directory, daemon, server, operator, payload, words):
    controlled(closing, directory, daemon, server)
    operator.set({"intervalNanoseconds": SECOND})
    operator.await_grant(lambda grant: grant.get("granted") == cadence(SECOND))
    operator.set(payload)
    # What was there before is replaced, so the configuration holds.
    operator.await_grant(lambda grant: words in grant.get("refused", "") and grant["granted"] == CONFIGURED["granted"])


def test_it_survives_restarts_of_bridge_server_and_broker(closing, directory, start, server, operator):
    daemon = start("--mock")
    bridge = controlled(closing, directory, daemon, server)
    consumer = closing(Consumer(server.port))
    wanted = {"intervalNanoseconds": SECOND // 2}
    told = {"requested": wanted, "granted": cadence(SECOND // 2)}
    operator.set(wanted)
    operator.await_grant(told)
    bridge.stop()
    operator.grants.clear()
    bridge.start()
    operator.await_grant(told)
    daemon.kill()
    start("--mock")
    consumer.await_count("location", consumer.count("location") + 3)
    await_pace(consumer, SECOND // 2)
    server.process.terminate()
    server.process.wait()
    server.start()
    consumer.await_count("location", consumer.count("location") + 5)
    await_pace(consumer, SECOND // 2)
    operator.await_grant(told)


class Door(Loop):
    """A socket before the broker's; while it is closed, whoever comes is turned away, and who is in stays."""

    def __init__(self, path, broker):
        super().__init__()
        self.path, self.broker, self.is_closed, self.turned_away = str(path), str(broker), False, 0
        self.run(asyncio.start_unix_server(self.serve, self.path))

    async def serve(self, reader, writer):
        if self.is_closed:
            self.turned_away += 1
            writer.close()
            return
        there, back = await asyncio.open_unix_connection(self.broker)

        async def pump(source, target):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
            target.close()

        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)


def test_a_change_that_does_not_reach_the_broker_is_tried_again(closing, directory, daemon, server, operator):
    door = closing(Door(f"{directory}/door", daemon.broker))
    closing(Bridge(directory, door.path, f"mqtt://127.0.0.1:{server.port}", readings=("location=100ms",), others=ALLOWED)).start()
    consumer = closing(Consumer(server.port))
    operator.await_grant(CONFIGURED)
    door.is_closed = True
    wanted = {"intervalNanoseconds": SECOND // 2}
    operator.set(wanted)
    until(lambda: door.turned_away >= 2, "the change to be tried again")
    door.is_closed = False
    operator.await_grant({"requested": wanted, "granted": cadence(SECOND // 2)})
    assert not [gap for _, _, message in consumer.messages for gap in message.get("gaps", []) if gap["cause"] == "brokerLost"]


def test_what_was_removed_while_there_was_no_connection_ends(closing, directory, daemon, server, operator):
    bridge = controlled(closing, directory, daemon, server)
    operator.set({"intervalNanoseconds": SECOND})
    operator.await_grant(lambda grant: grant.get("granted") == cadence(SECOND))
    # The server forgets what it kept, as one does that is killed.
    server.kill()
    for name in ("mosquitto.db",):
        if os.path.exists(f"{server.directory}/{name}"):
            os.remove(f"{server.directory}/{name}")
    server.start()
    operator.grants.clear()
    operator.await_grant(CONFIGURED)
    assert bridge.process.poll() is None


def test_a_flood_of_messages_changes_a_stream_once_a_second_at_most(closing, directory, daemon, server, operator):
    controlled(closing, directory, daemon, server, readings=("location=100ms", "accelerometer=100ms"))
    consumer = closing(Consumer(server.port))
    operator.await_grant(CONFIGURED)
    flood, before, began = 3_000, operator.count, time.monotonic()
    for index in range(flood):
        operator.client.publish(f"{TOPIC}/set", json.dumps({"intervalNanoseconds": SECOND + index}), qos=1, retain=True)
    operator.client.publish(f"{TOPIC}/set", b"x" * 100_000, qos=1, retain=True)
    last = {"intervalNanoseconds": SECOND // 4}
    operator.set(last)
    operator.await_grant({"requested": last, "granted": cadence(SECOND // 4)})
    # As many as there were seconds, not as there were messages.
    seconds = time.monotonic() - began
    assert operator.count - before <= seconds + 3
    revisions = [grant for name, _, message in consumer.messages if name == "location" for grant in message.get("grants", [])]
    assert len(revisions) <= seconds + 5
    consumer.await_count("accelerometer", 20)
    consumer.await_all()
    assert not consumer.lost
