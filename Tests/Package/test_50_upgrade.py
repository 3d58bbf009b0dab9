"""A newer package takes the place of the older one while programs use it."""

import os
import threading

from host import SOCKETS, main_process, run, show
from stream import Stream
from wire import Connection

TAP = {"resource": "accelerometer", "intervalNanoseconds": 100_000_000}


class Knocker:
    """Connects again and again, each time for one call, and keeps what went wrong."""

    def __init__(self, path):
        self.path, self.faults, self.answers = path, [], 0
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.knock)
        self.thread.start()

    def knock(self):
        while not self.end.wait(0.3):
            try:
                with Connection(self.path) as connection:
                    connection.socket.settimeout(60)
                    connection.result("org.varlink.service.GetInfo")
                self.answers += 1
            except OSError as error:
                self.faults.append(error)
            except Exception as error:  # The old daemon may end with a call unanswered, which is no refusal.
                self.unanswered = error

    def stop(self):
        self.end.set()
        self.thread.join()
        return self


def test_no_client_is_refused_while_the_package_is_replaced(broker, sensor):
    run("sensorctl", "list")
    former = main_process()
    knocker = Knocker(broker)
    try:
        said = run("dpkg", "-i", os.environ["NEXT_PACKAGE"])
    finally:
        knocker.stop()
    assert "Setting up sensorbroker" in said and "warning" not in said.lower(), said
    assert knocker.faults == [] and knocker.answers > 0
    assert main_process() not in (0, former), "the old program still runs"
    assert run("dpkg-query", "-W", "-f", "${Version}", "sensorbroker").endswith("+next")
    for socket in SOCKETS:
        assert show("ActiveState", socket) == "active"
    with Stream(broker, TAP) as stream:
        stream.until(lambda stream: stream.samples, "readings of the new one")
