"""A newer package replaces the older one while programs use it."""

import os

from tools.continuity import go_on, knocking, reading, restarts_told
from host import SECOND, SOCKETS, dpkg, main_process, run, show
from tools.stream import Stream
from tools.wire import Connection

TAP = {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}


def test_no_client_is_refused_and_no_stream_ends_while_the_package_is_replaced(broker, second, sensor):
    run("sensorctl", "list")
    second("localhost:2")
    run("sensorctl", "--instance", "two", "list")
    former, former_second = main_process(), show("MainPID", SECOND)
    with Stream(broker, TAP) as stream, knocking(lambda: Connection(broker), 1) as (served, refused, cut):
        stream.until(lambda stream: stream.samples, "readings of the old one")
        with reading([stream]):
            said = dpkg("-i", os.environ["NEXT_PACKAGE"])
        go_on([stream])
        assert 1 <= len(restarts_told(stream)) <= 2 and stream.ended is None
    assert "Setting up sensorbroker" in said and "warning" not in said.lower(), said
    assert refused == cut == [] and served
    assert main_process() not in (0, former), "the old program still runs"
    assert show("MainPID", SECOND) not in ("0", former_second), "the old program still runs under a name"
    assert run("dpkg-query", "-W", "-f", "${Version}", "sensorbroker").endswith("+next")
    for socket in SOCKETS:
        assert show("ActiveState", socket) == "active"
    with Stream(broker, TAP) as stream:
        stream.until(lambda stream: stream.samples, "readings of the new one")
