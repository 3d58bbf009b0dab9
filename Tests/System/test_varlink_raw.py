"""The requirements of the Varlink specification (UAPI.20) for a service, tested byte by byte."""

import json
import re

import pytest

from tools.programs import ADMIN, BROKER, INTERFACES, METRICS, MOCK
from tools.stream import Stream
from tools.wire import Closed, Connection, call

SERVICE = "org.varlink.service"
GET_INFO = f"{SERVICE}.GetInfo"
EVERY_50_MS = {"resource": "accelerometer", "intervalNanoseconds": 50_000_000}
BOTH = {"requests": [EVERY_50_MS, {"resource": "location", "intervalNanoseconds": 0}]}


@pytest.fixture
def client(daemon):
    with Connection(daemon.broker) as connection:
        yield connection


def test_pipelined_calls_are_answered_in_order(client):
    interfaces = [BROKER, SERVICE, "no.such.interface"] * 10
    client.send(*(call(f"{SERVICE}.GetInterfaceDescription", {"interface": name}) for name in interfaces),
                call(GET_INFO))
    for name in interfaces:
        reply = client.receive()
        if name == "no.such.interface":
            assert reply == {"error": f"{SERVICE}.InterfaceNotFound", "parameters": {"interface": name}}
        else:
            assert f"interface {name}\n" in reply["parameters"]["description"]
    assert "product" in client.receive()["parameters"]


def test_oneway_calls_get_no_reply_not_even_an_error(client):
    client.send(call(GET_INFO, oneway=True), call("no.such.interface.Method", oneway=True),
                call(f"{SERVICE}.NoSuchMethod", oneway=True),
                call(f"{BROKER}.Read", {"resource": "nothing"}, oneway=True),
                call(f"{SERVICE}.GetInterfaceDescription", {"interface": BROKER}))
    assert "description" in client.receive()["parameters"]


def test_a_call_behind_a_stream_waits_for_its_end(client):
    client.send(call(f"{BROKER}.Subscribe", BOTH, more=True), call(GET_INFO))
    for _ in range(20):
        reply = client.receive()
        assert reply["continues"] is True and "product" not in reply["parameters"]


def test_a_stream_continues_after_the_caller_shuts_down_its_sending_half(client):
    client.send(call(f"{BROKER}.Subscribe", BOTH, more=True))
    client.half_close()
    for _ in range(20):
        assert client.receive()["continues"] is True


def test_a_half_closed_caller_gets_its_replies_and_then_the_end(client):
    client.send(call(GET_INFO), call(f"{BROKER}.ListResources"))
    client.half_close()
    assert "product" in client.receive()["parameters"]
    assert "resources" in client.receive()["parameters"]
    with pytest.raises(Closed):
        client.receive()


MALFORMED = {
    "nothing": b"",
    "no JSON": b"hello",
    "half an object": b'{"method":"org.varlink.service.GetInfo"',
    "something after the object": b'{"method":"org.varlink.service.GetInfo"} x',
    "an array": b'["org.varlink.service.GetInfo"]',
    "no method": b'{"parameters":{}}',
    "a method that is no string": b'{"method":1}',
    "parameters that are no object": b'{"method":"org.varlink.service.GetInfo","parameters":[]}',
    "an unknown member": b'{"method":"org.varlink.service.GetInfo","flags":1}',
    "a flag that is no boolean": b'{"method":"org.varlink.service.GetInfo","more":1}',
    "a flag that is a string": b'{"method":"org.varlink.service.GetInfo","oneway":"true"}',
    "more and oneway": b'{"method":"org.varlink.service.GetInfo","more":true,"oneway":true}',
    "a key twice": b'{"method":"org.varlink.service.GetInfo","method":"org.varlink.service.GetInfo"}',
    "a key twice inside": b'{"method":"org.varlink.service.GetInfo","parameters":{"a":1,"a":2}}',
    "bytes that are no UTF-8": b'{"method":"org.varlink.service.GetInfo\xff"}',
    "a lone surrogate": b'{"method":"org.varlink.service.GetInfo\\ud800"}',
    "a control character": b'{"method":"org.varlink.service.Get\nInfo"}',
    "not a number": b'{"method":"org.varlink.service.GetInfo","parameters":{"a":NaN}}',
    "infinity": b'{"method":"org.varlink.service.GetInfo","parameters":{"a":1e999}}',
    "a number with a leading zero": b'{"method":"org.varlink.service.GetInfo","parameters":{"a":01}}',
    "a comma too many": b'{"method":"org.varlink.service.GetInfo",}',
    "a very deep array": b'{"method":"org.varlink.service.GetInfo","parameters":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}",
}


@pytest.mark.parametrize("message", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_messages_close_only_their_own_connection(daemon, message):
    with Stream(daemon.broker, EVERY_50_MS) as bystander, Connection(daemon.broker) as client:
        client.socket.sendall(message + b"\0")
        assert client.is_closed_without_reply()
        seen = len(bystander.samples)
        bystander.until(lambda s: len(s.samples) >= seen + 3, "a bystander's readings")
        assert not bystander.losses
        with Connection(daemon.broker) as next_client:
            next_client.result(GET_INFO)


@pytest.mark.parametrize("message", [
    b' \t\r\n{ "method" : "org.varlink.service.GetInfo" }\n',
    b'{"method":"org.varlink.service.GetInfo","parameters":null}',
    b'{"method":"org.varlink.service.GetInfo","parameters":{}}',
    b'{"method":"org.varlink.service.GetInfo","more":false,"oneway":false,"upgrade":false}',
    b'{"method":"org.varlink.service.GetInfo","more":true}',
    b'{"method":"org.varlink.service.GetInfo","com.example.trace":{"id":[1,2.5,"x",null]}}',
    rb'{"method":"org.varlink.service.Get\u0049nfo"}',
], ids=["space", "null", "empty", "false", "more", "vendor", "escape"])
def test_unusual_but_valid_messages_are_answered(client, message):
    client.socket.sendall(message + b"\0")
    reply = client.receive()
    assert reply["parameters"]["product"] and "continues" not in reply


def test_a_call_may_come_byte_by_byte(client):
    for byte in json.dumps(call(f"{BROKER}.ListResources")).encode() + b"\0":
        client.socket.sendall(bytes([byte]))
    assert client.receive()["parameters"]["resources"]


@pytest.mark.parametrize("end", [b"", b'"}}\0'], ids=["endless", "ended"])
def test_a_call_beyond_64_kib_closes_the_connection(daemon, end):
    start = b'{"method":"org.varlink.service.GetInfo","parameters":{"a":"'
    with Connection(daemon.broker) as client:
        try:
            client.socket.sendall(start + b"x" * (128 * 1024) + end)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert client.is_closed_without_reply()
    with Connection(daemon.broker) as client:
        client.result(GET_INFO)


def test_half_a_call_and_an_early_end_do_no_harm(daemon):
    for part in (b"", b"{", b'{"method":"org.varlink.service.GetInfo"}'):
        with Connection(daemon.broker) as client:
            client.socket.sendall(part)
    with Connection(daemon.broker) as client:
        client.result(GET_INFO)


INVALID = [
    (f"{BROKER}.Subscribe", {"requests": [EVERY_50_MS], "intervall": 1}, "intervall"),
    (f"{BROKER}.Subscribe", {}, "requests"),
    (f"{BROKER}.Subscribe", {"requests": None}, "requests"),
    (f"{BROKER}.Subscribe", {"requests": "accelerometer"}, "requests"),
    (f"{BROKER}.Subscribe", {"requests": [{"resource": "accelerometer", "rate": 50}]}, "rate"),
    (f"{BROKER}.Subscribe", {"requests": [{"intervalNanoseconds": 50}]}, "resource"),
    (f"{BROKER}.Subscribe", {"requests": [{"resource": 1}]}, "resource"),
    (f"{BROKER}.Subscribe", {"requests": [{**EVERY_50_MS, "intervalNanoseconds": 1.5}]}, "intervalNanoseconds"),
    (f"{BROKER}.Subscribe", {"requests": [{**EVERY_50_MS, "intervalNanoseconds": -1}]}, "intervalNanoseconds"),
    (f"{BROKER}.Subscribe", {"requests": [{**EVERY_50_MS, "intervalNanoseconds": 2**63}]}, "intervalNanoseconds"),
    (f"{BROKER}.Read", {"resource": "location", "timeoutNanoseconds": -2**64}, "timeoutNanoseconds"),
    (f"{BROKER}.Subscribe", {"requests": [{**EVERY_50_MS, "filter": "median"}]}, "filter"),
    (f"{BROKER}.Subscribe", {"requests": [{**EVERY_50_MS, "minimumChange": "5m"}]}, "minimumChange"),
    (f"{BROKER}.Read", {"resource": "location", "maximumAge": 1}, "maximumAge"),
    (f"{BROKER}.Read", {"resource": True}, "resource"),
    (f"{BROKER}.ListResources", {"all": True}, "all"),
    (f"{BROKER}.Modify", {"requests": []}, "subscription"),
    (f"{SERVICE}.GetInfo", {"x": 1}, "x"),
    (f"{SERVICE}.GetInterfaceDescription", {}, "interface"),
]


@pytest.mark.parametrize("method, parameters, field", INVALID, ids=lambda value: value if isinstance(value, str) else "")
def test_a_wrong_parameter_is_named_by_its_bare_name(client, method, parameters, field):
    more = {"more": True} if method.endswith("Subscribe") else {}
    assert client.error(method, parameters, **more) == (f"{SERVICE}.InvalidParameter", {"parameter": field})
    client.result(GET_INFO)


def test_errors_name_what_was_not_found(client):
    assert client.error("no.such.interface.Method") == (
        f"{SERVICE}.InterfaceNotFound", {"interface": "no.such.interface"})
    assert client.error(f"{BROKER}.NoSuchMethod") == (
        f"{SERVICE}.MethodNotFound", {"method": f"{BROKER}.NoSuchMethod"})
    assert client.error(f"{BROKER}.Subscribe", BOTH) == (f"{SERVICE}.ExpectedMore", {})
    assert client.error(f"{BROKER}.Read", {"resource": "thermometer"}) == (
        f"{BROKER}.NoSuchResource", {"resource": "thermometer"})
    assert client.error(f"{BROKER}.Subscribe", {"requests": [{"resource": "thermometer"}]}, more=True) == (
        f"{BROKER}.NoSuchResource", {"resource": "thermometer"})
    assert client.error(f"{BROKER}.Modify", {"subscription": "none"}) == (
        f"{BROKER}.NoSuchSubscription", {"subscription": "none"})


def test_each_socket_serves_its_own_interface_only(daemon, client):
    with Connection(daemon.admin) as admin:
        assert set(admin.result(GET_INFO)["interfaces"]) == {SERVICE, ADMIN, MOCK}
        assert admin.error(f"{BROKER}.ListResources")[0] == f"{SERVICE}.InterfaceNotFound"
    assert set(client.result(GET_INFO)["interfaces"]) == {SERVICE, BROKER, METRICS}
    assert client.error(f"{ADMIN}.GetStatus")[0] == f"{SERVICE}.InterfaceNotFound"


@pytest.mark.parametrize("name", [BROKER, METRICS, ADMIN, MOCK])
def test_introspection_returns_the_interface_file_unchanged(daemon, name):
    with Connection(daemon.broker if name in (BROKER, METRICS) else daemon.admin) as client:
        description = client.result(f"{SERVICE}.GetInterfaceDescription", {"interface": name})["description"]
    assert description == (INTERFACES / f"{name}.varlink").read_text()


FLOAT_FIELDS = re.compile(rb'"(?:x|y|z|[a-z][A-Za-z]*(?:Degrees|Meters|MetersPerSecond))":(\[[^\]]*\]|[^,}\]]+)')


def test_floats_always_have_a_point_or_an_exponent(client):
    client.send(call(f"{BROKER}.Subscribe", {"requests": [
        {"resource": "accelerometer", "intervalNanoseconds": 10_000_000, "batchNanoseconds": 50_000_000},
        {"resource": "location", "intervalNanoseconds": 0}]}, more=True))
    seen = {b"x": 0, b"latitudeDegrees": 0}
    while min(seen.values()) < 5:
        message = client.receive_bytes()
        for field, values in ((m[0].split(b'"')[1], m[1]) for m in FLOAT_FIELDS.finditer(message)):
            for number in values.strip(b"[]").split(b","):
                assert re.fullmatch(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", number), message
                assert b"." in number or b"e" in number.lower(), message
            if field in seen:
                seen[field] += 1


def test_replies_have_no_spaces_nulls_or_false_flags(client):
    client.send(call(f"{BROKER}.ListResources"), call(f"{BROKER}.Subscribe", BOTH, more=True))
    for _ in range(20):
        message = client.receive_bytes()
        assert not re.search(rb"\s", re.sub(rb'"(?:[^"\\]|\\.)*"', b'""', message)), message
        assert b"null" not in message and b'"continues":false' not in message
