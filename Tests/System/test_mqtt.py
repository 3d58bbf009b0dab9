"""sensorbroker-mqtt with a real server: what is measured arrives, each number once, whatever becomes of server, network, bridge and
broker; what does not arrive is reported.
"""

import math
import os
import pathlib
import re

import pytest

from tools.bridge import Bridge, children
from tools.consumer import Consumer
from tools.waiting import until

# How often a server is killed: SERVER_KILLS in the environment makes it more.
KILLS = int(os.environ.get("SERVER_KILLS", "1"))


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


@pytest.mark.parametrize("stop", ["kill", "stop"])
def test_a_restarted_bridge_counts_in_a_new_epoch_that_states_where_the_former_ended(bridge, server, closing, stop):
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
    consumer.await_count("location", consumer.count("location") + 5)
    consumer.await_all()
    def stamps(epoch):
        return [reading["timestampNanoseconds"] for name, _, message in list(consumer.messages) if name == "location"
                and message["epoch"] == epoch for reading in message.get("readings", [])]
    last, begin = max(stamps(first)), min(stamps(second))
    gaps = [gap for name, _, message in list(consumer.messages) for gap in message.get("gaps", []) if name == "location"]
    # The new stream begins with the newest reading, which may be the last one of the former epoch: then nothing is missing.
    assert [gap["cause"] for gap in gaps] == [{"kill": "bridgeCrashed", "stop": "bridgeRestarted"}[stop]] * (begin > last)
    assert all(gap["fromNanoseconds"] == last + 1 and last < gap["untilNanoseconds"] < begin for gap in gaps)
    # What was acknowledged is written down each second.
    assert sum(count - 1 for count in consumer.seen[("location", first)].values()) <= 100 + 20


def wake_ups(bridge):
    """How often its processes were waited for: that of the connection is a child."""
    def switches(status):
        return int(re.search(r"^voluntary_ctxt_switches:\t(\d+)", status.read_text(), re.MULTILINE)[1])
    pid = bridge.process.pid
    return sum(switches(status) for process in (pid, *children(pid)) for status in pathlib.Path(f"/proc/{process}/task").glob("*/status"))


def test_messages_that_come_fast_share_wake_ups(closing, start, directory, server):
    daemon = start("--mock")
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", readings=("accelerometer=1ms",))).start()
    consumer = closing(Consumer(server.port))
    consumer.await_count("accelerometer", 500)
    first, before = consumer.count("accelerometer"), wake_ups(bridge)
    consumer.await_count("accelerometer", first + 1000)
    count, woken = consumer.count("accelerometer") - first, wake_ups(bridge) - before
    # One for the message in each process, and one for the answer in each, would be four.
    assert woken < 1.5 * count, f"{woken} for {count} messages"
    consumer.await_all()


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


def test_a_restarted_broker_leaves_a_gap_that_is_reported(closing, start, directory, server):
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
    assert not [stamp for stamp in before if gap["fromNanoseconds"] <= stamp <= gap["untilNanoseconds"]]
    assert gap["fromNanoseconds"] - 1 in before
    consumer.await_count("location", consumer.count("location") + 5)
    consumer.await_all()


def test_a_resource_that_is_not_there_costs_the_others_nothing(closing, daemon, directory, server):
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            readings=("location=100ms", "pressure:7=1s"))).start()
    bridge.await_output("there is no resource pressure:7")
    consumer = closing(Consumer(server.port))
    consumer.await_count("location", 10)
