"""What Home Assistant and OwnTracks read of a host: validated against their documented fields, with the values that they would show."""

import json
import math
import os
import re
import threading

import paho.mqtt.client as mqtt
import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.programs import HOST, PATIENCE, ROOT
from tools.waiting import until

# https://www.home-assistant.io/integrations/sensor.mqtt, binary_sensor.mqtt, device_tracker.mqtt: the keys of a discovery message that
# these tests allow, with their types; and https://www.home-assistant.io/integrations/sensor/#device-class: units by class
COMMON = {"name": str, "unique_id": str, "availability_topic": str, "availability_template": str, "device": dict, "origin": dict}
STATE = {"state_topic": str, "value_template": str}
SCHEMAS = {
    "sensor": {**COMMON, **STATE, "unit_of_measurement": str, "device_class": str, "state_class": str, "options": list,
               "suggested_display_precision": int, "expire_after": int},
    "binary_sensor": {**COMMON, **STATE, "payload_on": str, "payload_off": str, "device_class": str},
    "device_tracker": {**COMMON, "json_attributes_topic": str, "source_type": str},
}
REQUIRED = {"sensor": {"state_topic"}, "binary_sensor": {"state_topic"}, "device_tracker": set()}
UNITS = {
    "illuminance": {"lx"}, "atmospheric_pressure": {"cbar", "bar", "hPa", "mmHg", "inHg", "inH₂O", "kPa", "mbar", "Pa", "psi"},
    "temperature": {"°C", "°F", "K"}, "humidity": {"%"}, "voltage": {"V", "mV", "µV", "kV", "MV"}, "current": {"A", "mA"}, "enum": {None},
    "power": {"mW", "W", "kW", "MW"}, "carbon_dioxide": {"ppm"}, "volatile_organic_compounds_parts": {"ppb", "ppm"},
    "pm1": {"µg/m³"}, "pm25": {"µg/m³"}, "pm10": {"µg/m³"},
}
TOPIC = re.compile(r"homeassistant/(\w+)/([\w-]+)/([\w-]+)/config")


def kinds():
    """The kinds of numbers of the table, as (name on the wire, resource, channels, unit)."""
    text = (ROOT / "Sources/Ground/SensorValues/KindRow+Table.swift").read_text()
    return re.findall(r'KindRow\(\s*"(\w+)", resource: "(\w+)"(.*?)\n        (?=KindRow|\])', text + "\n        ]", re.DOTALL)


class Reader:
    """All that the server keeps, and what comes."""

    def __init__(self, port, *topics):
        self.texts, self.kept = {}, {}
        subscribed = threading.Event()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"reader-{os.getpid()}-{port}", protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in topics])
        self.client.on_subscribe = lambda *_: subscribed.set()
        self.client.on_message = self.on_message
        self.client.connect("127.0.0.1", port, 10)
        self.client.loop_start()
        assert subscribed.wait(PATIENCE)

    def on_message(self, client, data, message):
        if message.payload[:1] == b"{":
            self.texts[message.topic] = json.loads(message.payload)
        self.kept[message.topic] = message.retain

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def rendered(template, text):
    """What Home Assistant makes of a template, of the few forms that these have."""
    name, whole = re.fullmatch(r"\{\{ value_json\.(\w+)( \| int)? \}\}", template).groups()
    return str(int(text[name]) if whole else text[name])


def validate(component, text):
    schema = SCHEMAS[component]
    assert set(text) <= set(schema) and REQUIRED[component] <= set(text), text
    for key, value in text.items():
        assert isinstance(value, schema[key]), (key, value)
    assert text["device"]["identifiers"] and text["origin"]["name"] == "sensorbroker-mqtt"
    if component == "sensor" and "device_class" in text:
        assert text.get("unit_of_measurement") in UNITS[text["device_class"]], text
        assert ("options" in text) == (text["device_class"] == "enum")
    assert text.get("state_class", "measurement") == "measurement"


@pytest.fixture
def server(closing, directory):
    return closing(Mosquitto(directory)).start()


RESOURCES = [resource for _, resource, _ in kinds()]
# They follow from others, and have no device.
DERIVED = ("orientation", "tilt", "attitude", "attitudeerror", "gyroscopebias", "rest", "trueheading", "hinge")


@pytest.fixture
def everything(start, tmp_path):
    """A daemon with a sensor of each kind; others follow from the accelerometer and the gyroscope."""
    scenario = tmp_path / "everything.scenario"
    # A hinge has a second accelerometer.
    sections = [resource for resource in RESOURCES if resource not in DERIVED] + ["accelerometer:base"]
    scenario.write_text("".join(f"[{section}]\n" for section in sections))
    return start(f"--mock={scenario}")


def test_home_assistant_finds_each_axis_and_shows_its_newest_value(closing, directory, everything, server):
    bridge = closing(Bridge(directory, everything.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=tuple(f"{resource}=200ms" for resource in RESOURCES),
                            others=("[HomeAssistant]", "Discovery=homeassistant"))).start()
    expected = 0
    for wire, resource, rest in kinds():
        channels = re.search(r"channels: \[(.*?)\]", rest)
        expected += len(channels.group(1).split(",")) if channels else 1
    first = closing(Reader(server.port, "homeassistant/#"))
    until(lambda: len(first.texts) >= expected, lambda: f"{expected} entities: {sorted(first.texts)}")
    # Whoever comes later gets all of it from the server.
    reader = closing(Reader(server.port, "homeassistant/#", f"fleet/{HOST}/+/newest", f"fleet/{HOST}/status"))
    found = {}
    until(lambda: len([topic for topic in list(reader.texts) if topic.startswith("homeassistant")]) == expected, "what the server keeps")
    for topic, text in list(reader.texts.items()):
        if not topic.startswith("homeassistant/"):
            continue
        component, node, entity = TOPIC.fullmatch(topic).groups()
        validate(component, text)
        assert reader.kept[topic] and text["unique_id"] == f"{node}_{entity}"
        found[text["unique_id"]] = (component, text)
    assert len(found) == expected
    units = {text["name"]: text.get("unit_of_measurement") for _, text in found.values()}
    assert units["accelerometer x"] == "m/s²" and units["pressure"] == "Pa" and units["gyroscope z"] == "rad/s"
    for component, text in found.values():
        state = text.get("state_topic") or text["json_attributes_topic"]
        until(lambda: state in reader.texts, lambda: f"a value on {state}")
        value = reader.texts[state]
        if component == "device_tracker":
            assert -90 <= value["latitude"] <= 90 and -180 <= value["longitude"] <= 180 and value["gps_accuracy"] >= 0
        elif component == "binary_sensor":
            assert rendered(text["value_template"], value) in (text["payload_on"], text["payload_off"])
        elif "options" in text:
            assert rendered(text["value_template"], value) in text["options"]
        else:
            assert math.isfinite(float(rendered(text["value_template"], value)))
        status = text["availability_topic"]
        until(lambda: status in reader.texts, "the status, which comes after what else the server keeps")
        assert reader.texts[status]["state"] == "online"
    # The consumer of the fleet is not disturbed by what is beside its messages.
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 10)
    consumer.await_all()
    bridge.stop()
    until(lambda: reader.texts[f"fleet/{HOST}/status"]["state"] == "offline", "the end to be reported")


def test_owntracks_gets_the_newest_location(closing, directory, daemon, server):
    reader = closing(Reader(server.port, "owntracks/+/+", "homeassistant/#"))
    closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                   others=("[OwnTracks]", f"Topic=owntracks/fleet/{HOST}"))).start()
    topic = f"owntracks/fleet/{HOST}"
    until(lambda: topic in reader.texts, "a location")
    first = reader.texts[topic]
    # https://owntracks.org/booklet/tech/json/#_typelocation
    types = {"_type": str, "lat": float, "lon": float, "tst": int, "tid": str, "acc": int, "alt": int, "vac": int, "vel": int, "cog": int}
    assert set(first) <= set(types) and {"_type", "lat", "lon", "tst", "tid"} <= set(first)
    assert all(isinstance(value, types[key]) for key, value in first.items()), first
    assert first["_type"] == "location" and first["tid"] == "42" and 0 <= first.get("cog", 0) <= 360 and first["acc"] >= 0
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 3)
    fix = consumer.readings("location")[-1]["location"]
    until(lambda: reader.texts[topic]["tst"] > first["tst"], "a newer location")
    assert abs(reader.texts[topic]["tst"] - fix["utcMicroseconds"] / 1e6) < 60
    assert abs(reader.texts[topic]["lat"] - fix["latitudeDegrees"]) < 0.1
    assert not [name for name in list(reader.texts) if name.startswith("homeassistant")]
