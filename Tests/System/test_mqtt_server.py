"""The server's configuration in docs/fleet.md, on a real mosquitto: what it allows works, and what it does not is refused."""

import os
import re
import shlex
import subprocess
import threading

import paho.mqtt.client as mqtt
import pytest

from tools.bridge import Bridge
from tools.certificates import sign
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.programs import PATIENCE, ROOT
from tools.waiting import until

PAGE = (ROOT / "docs/fleet.md").read_text()
HOST = "truck-0042"
NOT_AUTHORIZED = 0x87


def block(first):
    """The lines of the page's block that begins with one."""
    lines = PAGE[PAGE.index(f"    {first}\n"):].split("\n")
    end = next(index for index, line in enumerate(lines) if line and not line.startswith("    "))
    return [line.removeprefix("    ") for line in lines[:end]]


@pytest.fixture
def certificates(authority):
    for name in (HOST, "collector", "operator"):
        if not (authority / f"{name}.crt").exists():
            sign(authority, name, "ours")
            (authority / f"{name}.key").chmod(0o644)
    return authority


@pytest.fixture
def server(closing, directory, certificates):
    rules = f"{directory}/fleet.acl"
    with open(rules, "w") as file:
        file.write("\n".join(block("# /etc/mosquitto/fleet.acl")) + "\n")
    paths = {"cafile": certificates / "ours.crt", "certfile": certificates / "server.crt", "keyfile": certificates / "server.key",
             "acl_file": rules}
    lines = []
    for line in block("# /etc/mosquitto/conf.d/fleet.conf"):
        key = line.split(" ")[0]
        # The test's own listener and queue are in the way of these two.
        if line and key not in ("listener", "max_queued_messages"):
            lines.append(f"{key} {paths[key]}" if key in paths else line)
    return closing(Mosquitto(directory, *lines)).start()


class Client:
    """A client with a certificate, which publishes, and keeps what it gets."""

    def __init__(self, server, certificates, name):
        self.got, self.subscribed = [], threading.Event()
        self.answers = {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"{name}-{os.getpid()}", protocol=mqtt.MQTTv5)
        self.client.tls_set(f"{certificates}/ours.crt", f"{certificates}/{name}.crt", f"{certificates}/{name}.key")
        self.client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self.client.on_subscribe = lambda *_: self.subscribed.set()
        self.client.on_publish = lambda _, __, identifier, reason, ___: self.answers.update({identifier: reason.value})
        self.client.on_message = lambda _, __, message: self.got.append(message.topic)
        self.client.connect("127.0.0.1", server.port, 10)
        self.client.loop_start()
        assert self.subscribed.wait(PATIENCE)

    def publish(self, topic, text="{}", retain=False):
        """The server's answer."""
        identifier = self.client.publish(topic, text, qos=1, retain=retain).mid
        until(lambda: identifier in self.answers, f"an answer to {topic}")
        return self.answers[identifier]

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def identity(certificates):
    """Who the bridge is."""
    return [f"{key}={certificates}/{file}" for key, file in
            (("Authority", "ours.crt"), ("Certificate", f"{HOST}.crt"), ("Key", f"{HOST}.key"))]


@pytest.fixture
def bridge(closing, directory, daemon, server, certificates):
    others = ("[Control]", "RemoteInterval=yes")
    return closing(Bridge(directory, daemon.broker, f"mqtts://localhost:{server.port}", topics=(f"Host={HOST}",), others=others,
                          server=identity(certificates))).start()


def test_what_a_fleet_needs_is_allowed(closing, server, bridge, certificates):
    """Readings, a request, an interval."""
    consumer = closing(Consumer(server.port, host=HOST, ca_certs=f"{certificates}/ours.crt",
                                certfile=f"{certificates}/collector.crt", keyfile=f"{certificates}/collector.key"))
    consumer.await_count("location", 10)
    consumer.await_all(resend=True)
    (epoch,) = consumer.epochs("location")
    number = min(consumer.seen["location", epoch])
    consumer.client.publish(f"fleet/{HOST}/resend", f'{{"resource":"location","epoch":"{epoch}","from":{number},"to":{number}}}', qos=1)
    until(lambda: consumer.seen["location", epoch][number] > 1, "what was asked for to come again")
    operator = closing(Client(server, certificates, "operator"))
    operator.publish(f"fleet/{HOST}/location/set", '{"intervalNanoseconds":200000000}', retain=True)
    until(lambda: f"fleet/{HOST}/location/grant" in operator.got, "what became of the interval")


def test_two_hosts_with_one_name_notice_it(closing, directory, daemon, server, bridge, certificates):
    os.mkdir(f"{directory}/twin")
    twin = closing(Bridge(f"{directory}/twin", daemon.broker, f"mqtts://localhost:{server.port}", topics=(f"Host={HOST}",),
                          server=identity(certificates))).start()
    until(lambda: "client id twice" in bridge.output() + twin.output(), lambda: bridge.output() + twin.output())


def test_what_is_not_allowed_is_refused(closing, server, certificates):
    host, collector = (closing(Client(server, certificates, name)) for name in (HOST, "collector"))
    operator = closing(Client(server, certificates, "operator"))
    for client, topic in ((host, "fleet/other/location"), (host, "fleet/other/status"), (host, "fleet/other/resend"),
                          (host, "fleet/location"), (host, "elsewhere"), (collector, f"fleet/{HOST}/location"),
                          (collector, f"fleet/{HOST}/location/set"), (collector, f"fleet/{HOST}/status")):
        assert client.publish(topic) == NOT_AUTHORIZED, topic
    allowed = (f"fleet/{HOST}/resend", f"fleet/{HOST}/location/set", f"fleet/{HOST}/status")
    for topic in ("fleet/other/location", f"fleet/{HOST}/location", "fleet/other/resend", *allowed):
        assert operator.publish(topic) != NOT_AUTHORIZED, topic
    # The last of them has come, so all have that ever will.
    until(lambda: allowed[-1] in host.got, "what a host may read")
    assert set(host.got) == set(allowed)


def test_a_host_that_is_taken_out_of_service_leaves_nothing(closing, server, bridge, certificates):
    operator = closing(Client(server, certificates, "operator"))
    operator.publish(f"fleet/{HOST}/location/set", '{"intervalNanoseconds":200000000}', retain=True)
    until(lambda: {f"fleet/{HOST}/{name}" for name in ("status", "location/grant", "accelerometer/grant")} <= set(operator.got),
          lambda: f"retained messages: {set(operator.got)}")
    bridge.stop()
    (command,) = re.findall(r"^    (mosquitto_sub .*--remove-retained.*)$", PAGE, re.MULTILINE)
    for shown, actual in (("broker.example", "localhost"), ("8883", str(server.port)), ("authority.crt", f"{certificates}/ours.crt"),
                          (" operator.crt", f" {certificates}/operator.crt"), (" operator.key", f" {certificates}/operator.key")):
        assert shown in command
        command = command.replace(shown, actual)
    result = subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert (result.returncode, result.stderr.strip() in ("", "Timed out")) == (27, True), result
    late = closing(Client(server, certificates, "operator"))
    late.publish("fleet/end/status")
    until(lambda: "fleet/end/status" in late.got, "the last message")
    assert late.got == ["fleet/end/status"]
