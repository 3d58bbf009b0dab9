"""A third-party client: the PyPI package varlink, its command line and its library."""

import json
import subprocess
import sys

import pytest
import varlink

from tools.commands import run
from tools.programs import ADMIN, BROKER, INTERFACES, MOCK
from tools.stream import samples_of

ACCELEROMETER = {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}


def cli(*arguments):
    return run(sys.executable, "-m", "varlink.cli", *arguments)


def objects(text):
    """The JSON objects that the command line prints one after the other, over many lines."""
    decoder, position = json.JSONDecoder(), 0
    while position < len(text.rstrip()):
        value, position = decoder.raw_decode(text, position)
        position += 1
        yield value


class TestCommandLine:
    def test_info(self, daemon):
        result = cli("info", f"unix:{daemon.broker}")
        assert result.returncode == 0, result.stderr
        assert BROKER in result.stdout and "org.varlink.service" in result.stdout
        assert "Product: " in result.stdout and "Version: " in result.stdout

    @pytest.mark.parametrize("interface", [BROKER, ADMIN, MOCK])
    def test_help(self, daemon, interface):
        path = daemon.broker if interface == BROKER else daemon.admin
        result = cli("help", f"unix:{path}/{interface}")
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip() == (INTERFACES / f"{interface}.varlink").read_text().strip()

    def test_call(self, daemon):
        result = cli("call", f"unix:{daemon.broker}/{BROKER}.ListResources")
        (reply,) = objects(result.stdout)
        assert {"location", "accelerometer"} <= {resource["name"] for resource in reply["resources"]}
        assert all(resource["simulated"] for resource in reply["resources"])

    def test_error(self, daemon):
        result = cli("call", f"unix:{daemon.broker}/{BROKER}.Read", '{"resource":"thermometer"}')
        assert "NoSuchResource" in result.stderr and "thermometer" in result.stderr

    def test_stream(self, daemon):
        command = [sys.executable, "-u", "-m", "varlink.cli", "call", "--more",
                   f"unix:{daemon.broker}/{BROKER}.Subscribe", json.dumps({"requests": [ACCELEROMETER]})]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            readings = 0
            while readings < 5:
                line = process.stdout.readline()
                assert line, "the stream ended"
                readings += '"sequence"' in line
        finally:
            process.kill()
            process.communicate()


class TestLibrary:
    @pytest.fixture
    def client(self, daemon):
        with varlink.Client.new_with_address(f"unix:{daemon.broker}") as client:
            yield client

    def test_list_and_read(self, client):
        with client.open(BROKER) as broker:
            names = {resource["name"] for resource in broker.ListResources()["resources"]}
            assert {"location", "accelerometer"} <= names
            location = broker.Read("location")["reading"]["location"]
            assert location["fix"] in ("none", "2d", "3d")
            values = broker.Read("accelerometer", 0, 10_000_000_000)["reading"]["values"]["columns"]
            assert isinstance(values["x"][0], float)

    def test_live_change_beside_a_running_stream(self, client):
        with client.open(BROKER) as streaming, client.open(BROKER) as control:
            replies = streaming.Subscribe([ACCELEROMETER], _more=True)
            first = next(replies)
            assert first["revision"] == 1
            reply = control.Modify(first["subscription"], [{**ACCELEROMETER, "intervalNanoseconds": 20_000_000}])
            assert reply["revision"] == 2
            for message in replies:
                if message.get("revision") == 2:
                    break
            assert message["grants"][0]["intervalNanoseconds"] == 20_000_000
            stamps = []
            while len(stamps) < 12:
                stamps += [stamp for reading in next(replies).get("readings", []) for stamp, _, _ in samples_of(reading)]
            spacing = (stamps[-1] - stamps[2]) / (len(stamps) - 3)
            assert 15_000_000 <= spacing <= 25_000_000

    @pytest.mark.parametrize("method, arguments, error", [
        ("Read", {"resource": "thermometer"}, f"{BROKER}.NoSuchResource"),
        ("Subscribe", {"requests": [ACCELEROMETER]}, "org.varlink.service.ExpectedMore"),
        ("Modify", {"subscription": "none"}, f"{BROKER}.NoSuchSubscription"),
    ])
    def test_errors_become_the_librarys_exceptions(self, client, method, arguments, error):
        with client.open(BROKER) as broker, pytest.raises(varlink.VarlinkError) as caught:
            getattr(broker, method)(**arguments)
        assert caught.value.error() == error

    def test_an_unknown_interface(self, client):
        with pytest.raises(varlink.InterfaceNotFound):
            client.open("no.such.interface")

    def test_status(self, daemon):
        with varlink.Client.new_with_address(f"unix:{daemon.admin}") as client, client.open(ADMIN) as admin:
            status = admin.GetStatus()
            assert status["processId"] == daemon.pid
            assert {device["resource"] for device in status["devices"]} >= {"location", "accelerometer"}
