"""Services on hosts that drop packets: the state is reported, with what to check."""

import pytest

from tools.imu import Imu
from tools.ports import free_port
from tools.programs import BROKER
from tools.stream import Stream
from tools.waiting import until
from tools.wire import Connection


@pytest.mark.parametrize("resource, words", [
    ("location", ("--gpsd", "127.0.0.1:{silent}", "--iio", "ip:localhost:{free}")),
    ("accelerometer", ("--gpsd", "localhost:{free}", "--iio", "ip:127.0.0.1:{silent}"))])
def test_a_service_that_drops_connections_is_unavailable(start, silent, resource, words):
    daemon = start(*(word.format(silent=silent, free=free_port()) for word in words))
    with Stream(daemon.broker, {"resource": resource}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of it")
        assert f"127.0.0.1:{silent}" in stream.states[-1][2]


def test_an_unknown_host_name_is_unavailable(start):
    daemon = start("--gpsd", "no-such-host.invalid:2947", "--iio", f"ip:localhost:{free_port()}")
    with Stream(daemon.broker, {"resource": "location"}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word of it")
        assert "no gpsd at no-such-host.invalid:2947" in stream.states[-1][2]


def test_an_iiod_that_comes_later_is_found_by_who_asks_for_its_sensor(start, closing):
    port = free_port()
    daemon = start("--gpsd", f"localhost:{free_port()}", "--iio", f"ip:127.0.0.1:{port}")
    with Connection(daemon.broker) as caller:
        def ask():
            return caller.call(f"{BROKER}.Read", {"resource": "gyroscope"})
        assert ask()["error"] == f"{BROKER}.NoSuchResource"
        closing(Imu("--port", str(port)))
        until(lambda: "error" not in ask(), "the gyroscope")
