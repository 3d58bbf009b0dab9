"""sensorbroker-mqtt with a real server: what is measured arrives, each number once, whatever becomes of server, network, bridge and
broker; what does not arrive is told.
"""

import json
import math
import os
import pathlib

import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.network import Proxy
from tools.programs import HOST
from tools.waiting import until

# How often a server is killed: SERVER_KILLS in the environment makes it more.
KILLS = int(os.environ.get("SERVER_KILLS", "3"))


def test_topics_may_have_the_hosts_own_names(closing, daemon, directory, server):
    names = {"%H": pathlib.Path("/proc/sys/kernel/hostname").read_text().strip()}
    machine = pathlib.Path("/etc/machine-id")
    if machine.exists() and len(machine.read_text().strip()) == 32:
        names["%m"] = machine.read_text().strip()
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}"))
    configuration = pathlib.Path(bridge.configuration)
    configuration.write_text(configuration.read_text().replace(f"Host={HOST}", f"Host=50%-{'-'.join(names)}x%x-%H"))
    consumer = closing(Consumer(server.port, host=f"50%-{'-'.join(names.values())}x%x-{names['%H']}"))
    bridge.start()
    consumer.await_count("location", 5)


def test_readings_arrive_as_the_broker_wrote_them(bridge, server, closing):
    consumer = closing(Consumer(server.port))
    bridge.start()
    consumer.await_count("location", 20)
    consumer.await_count("accelerometer", 10)
    consumer.await_all()
    assert not consumer.lost
    for resource in ("location", "accelerometer"):
        (epoch,) = consumer.epochs(resource)
        assert consumer.seen[(resource, epoch)][1] == 1
        assert consumer.began[(resource, epoch)] == {"cause": "first"}
        # By their numbers: what was measured before the connection was there comes late.
        messages = sorted((message["number"], message) for name, _, message in consumer.messages if name == resource)
        sequences = [reading["sequence"] for _, message in messages for reading in message.get("readings", [])]
        assert sequences == sorted(sequences)
        assert all(reading["resource"] == resource for reading in consumer.readings(resource))
    values = consumer.readings("accelerometer")[-1]["values"]["columns"]
    assert len(values["x"]) > 1 and all(math.isfinite(value) for value in values["x"])
    clock = consumer.clocks[0][1]
    assert clock["bootId"] == open("/proc/sys/kernel/random/boot_id").read().strip().replace("-", "")
    reading = consumer.readings("location")[0]
    utc = clock["utcMicroseconds"] + (reading["timestampNanoseconds"] - clock["bootNanoseconds"]) / 1000
    assert abs(utc - reading["location"]["utcMicroseconds"]) < 60e6
    assert consumer.status["state"] == "online"
    until(lambda: bridge.status.startswith("Connected"), lambda: bridge.status)
    bridge.stop()
    until(lambda: consumer.status["state"] == "offline", lambda: str(consumer.status))
    consumer.await_all()


def test_without_a_server_readings_are_kept_compressed_and_come_late(bridge, server, closing):
    server.kill()
    bridge.start()
    bridge.await_output("the server cannot be reached: Connection refused")
    spool = bridge.spool
    until(lambda: sum(entry.stat().st_size for entry in os.scandir(spool)) > 3_000, "readings in the spool")
    server.start()
    consumer = closing(Consumer(server.port))
    bridge.await_output("connected to mqtt://")
    consumer.await_count("location", 40)
    consumer.await_all()
    assert consumer.groups and not consumer.lost
    late = [message for _, late, message in consumer.messages if late]
    live = [message for _, late, message in consumer.messages if not late]
    assert late and live and late[0]["number"] == 1


@pytest.mark.parametrize("stop", ["kill", "stop"])
def test_a_restarted_bridge_counts_in_a_new_epoch_that_says_where_the_former_ended(bridge, server, closing, stop):
    consumer = closing(Consumer(server.port))
    bridge.start()
    consumer.await_count("location", 10)
    getattr(bridge, stop)()
    bridge.start()
    until(lambda: len(consumer.epochs("location")) == 2, "a second epoch")
    consumer.await_all()
    first, second = consumer.epochs("location")
    began = consumer.began[("location", second)]
    assert began["previous"] == first and began["cause"] == {"kill": "crash", "stop": "restart"}[stop]
    assert began["last"] >= max(consumer.seen[("location", first)]) and not consumer.lost
    # What was acknowledged is written down each second.
    assert sum(count - 1 for count in consumer.seen[("location", first)].values()) <= 100 + 20


def test_a_killed_server_loses_nothing_that_cannot_be_asked_for_again(bridge, server, closing):
    consumer = closing(Consumer(server.port))
    bridge.start()
    for _ in range(KILLS):
        consumer.await_count("location", consumer.count("location") + 10)
        server.kill()
        server.start()
    consumer.await_count("location", consumer.count("location") + 10)
    consumer.await_all(resend=True)
    assert not consumer.lost


def test_what_is_kept_no_longer_is_told_when_it_is_asked_for(bridge, server, closing):
    consumer = closing(Consumer(server.port))
    bridge.start()
    consumer.await_count("location", 5)
    request = {"resource": "location", "epoch": "0" * 32, "from": 3, "to": 9}
    for payload in (b"", b"no", b"[" * 500, json.dumps({**request, "from": 0}).encode(), json.dumps({**request, "to": 2}).encode(),
                    json.dumps({**request, "to": 2**63}).encode(), json.dumps({**request, "resource": "nothing"}).encode(),
                    json.dumps(request).encode()):
        consumer.client.publish(f"fleet/{HOST}/resend", payload, qos=1)
    until(lambda: consumer.lost, "an answer")
    assert consumer.lost == [("location", "0" * 32, 3, 9, "gone")]
    consumer.await_count("location", consumer.count("location") + 5)
    consumer.await_all()


def test_without_subscribers_nothing_counts_as_delivered(bridge, server, closing):
    bridge.start()
    bridge.await_output("nobody has subscribed to it")
    until(lambda: "does not take" in bridge.status, lambda: bridge.status)
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 30)
    consumer.await_all()
    assert not consumer.lost
    for resource in ("location", "accelerometer"):
        assert consumer.seen[(resource, consumer.epochs(resource)[0])][1] >= 1


def test_a_restarted_broker_leaves_a_gap_that_is_told(closing, start, directory, server):
    daemon = start("--mock")
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start()
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 10)
    daemon.kill()
    bridge.await_output("the broker closed the connection")
    start("--mock")
    def gaps():
        return [gap for name, _, message in list(consumer.messages) for gap in message.get("gaps", []) if name == "location"]
    until(lambda: any(gap["cause"] == "brokerLost" for gap in gaps()), lambda: str(gaps()))
    gap = next(gap for gap in gaps() if gap["cause"] == "brokerLost")
    before = [reading["timestampNanoseconds"] for reading in consumer.readings("location")]
    assert gap["fromNanoseconds"] < gap["untilNanoseconds"]
    assert not [stamp for stamp in before if gap["fromNanoseconds"] + 1e8 < stamp < gap["untilNanoseconds"] - 1e8]
    consumer.await_count("location", consumer.count("location") + 5)
    consumer.await_all()


def test_a_resource_that_is_not_there_costs_the_others_nothing(closing, daemon, directory, server):
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("location=100ms", "pressure:7=1s"))).start()
    bridge.await_output("there is no resource pressure:7")
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 10)


def test_a_network_that_is_cut_and_stalls_loses_nothing(closing, daemon, directory, server):
    network = closing(Proxy(server.port, delay=0.01))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{network.port}")).start()
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 10)
    network.cut()
    bridge.await_output("not connected")
    consumer.await_count("location", consumer.count("location") + 10)
    network.stall()
    # The library asks after 15 s, and gives up after as many more.
    until(lambda: bridge.output().count("not connected to") >= 2, bridge.output)
    network.go()
    consumer.await_count("location", consumer.count("location") + 10)
    network.refuse()
    until(lambda: "Not connected" in bridge.status, lambda: bridge.status)
    network.refuse(False)
    consumer.await_count("location", consumer.count("location") + 10)
    consumer.await_all(resend=True)
    assert not consumer.lost
