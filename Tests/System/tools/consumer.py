"""A consumer of a host's messages, on a server of MQTT."""

import json
import os
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tools.ledger import Ledger
from tools.programs import HOST, PATIENCE
from tools.waiting import until


class Consumer(Ledger):
    """A consumer on a server, with a session that survives; it asks for what it lacks."""

    def __init__(self, port, version=5, host=HOST, identifier=None, **tls):
        super().__init__(host)
        self.lock = threading.Lock()
        self.is_subscribed = threading.Event()
        protocol = mqtt.MQTTv5 if version == 5 else mqtt.MQTTv311
        identifier = identifier or f"consumer-{os.getpid()}-{port}"
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, identifier, protocol=protocol,
                                  **({} if version == 5 else {"clean_session": False}))
        if tls:
            self.client.tls_set(**tls)
        self.client.on_connect = lambda client, *_: client.subscribe(f"fleet/{host}/#", 1)
        self.client.on_subscribe = lambda *_: self.is_subscribed.set()
        self.client.on_message = self.on_message
        self.client.reconnect_delay_set(1, 1)
        options = {}
        if version == 5:
            properties = Properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = 86400
            options = {"clean_start": False, "properties": properties}
        self.client.connect("127.0.0.1", port, 10, **options)
        self.client.loop_start()
        assert self.is_subscribed.wait(PATIENCE)

    def on_message(self, client, data, message):
        with self.lock:
            self.take(message.topic, message.payload)

    def ask(self):
        """Asks for the first of what is missing; whether anything is."""
        with self.lock:
            missing = self.missing()
        for resource, epoch in sorted({(resource, epoch) for resource, epoch, _ in missing}):
            numbers = [number for one, other, number in missing if (one, other) == (resource, epoch)]
            request = {"resource": resource, "epoch": epoch, "from": min(numbers), "to": max(numbers)}
            self.client.publish(f"fleet/{self.host}/resend", json.dumps(request), qos=1)
        return bool(missing)

    def await_all(self, resend=False):
        """Waits until nothing is missing after the newest status."""
        def complete():
            with self.lock:
                missing = self.missing()
            if missing and resend:
                self.ask()
                time.sleep(1)
            return not missing
        until(complete, lambda: f"what is missing: {self.missing()[:10]}")

    def await_count(self, resource, number):
        until(lambda: self.count(resource) >= number, lambda: f"{number} messages of {resource}: {self.count(resource)}")

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()
