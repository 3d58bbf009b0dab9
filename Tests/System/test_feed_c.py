"""Programs in C that are sensors, with the daemon: what is pushed is what clients read, with the same times."""

import random
import re
import signal
import subprocess

from tools.cclient import SOURCES, STRICT, client, conform, run  # noqa: F401  fixtures
from tools.daemon import die_with_parent
from tools.feeding import audience, fed  # noqa: F401  fixtures
from tools.programs import ROOT
from tools.waiting import until

from sensorbroker import Broker, Reading, now_ns

ARM = ("accelerometer:arm", "gyroscope:arm")


def text(rows):
    return " ".join(repr(number) for row in rows for number in row)


def test_what_is_pushed_is_what_clients_read_with_the_same_times(fed, client, audience):
    daemon = fed()
    chance = random.Random(42)
    it = client("--provide", daemon.broker, *ARM, "-interval=1000000", "-description=an_arm")
    it.await_event("demand", wanted=False)
    reader = audience(daemon.broker, *ARM)
    it.await_event("demand", wanted=True)
    pushed = []
    for number in range(300):
        row = [chance.uniform(-20, 20) for _ in range(6)]
        pushed.append((now_ns(), row))
        it.tell(f"push {pushed[-1][0]} {text([row])}")
        # A burst is dropped where the socket has no room for it: it has some for about 200 messages.
        it.await_event("pushed")
        if number % 50 == 49:
            reader.await_rows(ARM[1], number + 1)
    # Several times in one push, evenly spaced or not.
    for number in range(20):
        rows = [[chance.uniform(-20, 20) for _ in range(6)] for _ in range(10)]
        last = now_ns()
        stamps = [last - 9_000 + 1000 * place for place in range(10)]
        if number % 2:
            stamps[3] += 7
        spacing = "+".join(map(str, stamps)) if number % 2 else "1000"
        it.tell(f"rows {stamps[0]} {spacing} {text(rows)}")
        it.await_event("pushed")
        pushed += zip(stamps, rows)
    for resource, place in zip(ARM, (0, 3)):
        assert reader.await_rows(resource, len(pushed)) == [(stamp, tuple(row[place : place + 3])) for stamp, row in pushed]
    assert not reader.gaps()


def test_locations_and_packed_numbers(fed, client, audience):
    daemon = fed()
    phone = client("--provide", daemon.broker, "location:phone", "-interval=1000000000")
    light = client("--provide", daemon.broker, "light:desk,channels=value", "-rest=60000000000")
    for it in (phone, light):
        it.await_event("demand", wanted=False)
    reader = audience(daemon.broker, "location:phone", "light:desk")
    for it in (phone, light):
        it.await_event("demand", wanted=True)
    stamp = now_ns()
    phone.tell(f"location {stamp} 48.5 -11.25")
    reader.await_that(lambda one: one.of(Reading, "location:phone"), "a location")
    [reading] = reader.of(Reading, "location:phone")
    place = reading.location
    assert (reading.timestamp_ns, place.fix, place.latitude_degrees, place.longitude_degrees) == (stamp, "3d", 48.5, -11.25)
    assert place.altitude_meters is None and place.status is None
    stamps = [now_ns() + place for place in (-4000, -2500, -1000)]
    light.tell(f"packed {stamps[0]} {'+'.join(map(str, stamps))} 0.5 100.25 7")
    assert reader.await_rows("light:desk", 3) == [(stamps[0], (0.5,)), (stamps[1], (100.25,)), (stamps[2], (7.0,))]


def test_what_is_wanted_follows_the_clients(fed, client):
    daemon = fed()
    it = client("--provide", daemon.broker, "accelerometer:arm", "-intervals=5000000+10000000+20000000")
    it.await_event("demand", wanted=False)
    reader = client(daemon.broker, "accelerometer:arm,interval=10000000")
    it.await_event("demand", wanted=True, intervalNanoseconds=10_000_000)
    reader.tell("modify accelerometer:arm,interval=1000000")
    it.await_event("demand", wanted=True, intervalNanoseconds=5_000_000)
    reader.close()
    it.await_event("demand", wanted=False)


def test_a_stopped_broker_keeps_no_program_waiting_and_a_dead_one_is_awaited(fed, client, audience):
    daemon = fed()
    it = client("--provide", daemon.broker, "light:desk,channels=value", "-interval=1000000")
    it.await_event("demand", wanted=False)
    reader = audience(daemon.broker, "light:desk")
    it.await_event("demand", wanted=True)
    daemon.send_signal(signal.SIGSTOP)
    it.tell("flood 300")
    assert it.await_event("flooded")["dropped"] > 100_000
    daemon.send_signal(signal.SIGCONT)
    # Those of 1970 are refused, and what comes then is as good as ever.
    while not reader.rows("light:desk"):
        it.tell(f"push {now_ns()} 7")
        it.take(lambda event: event["event"] in ("pushed", "dropped"), "a push")
    assert reader.rows("light:desk")[0][1] == (7.0,)
    reader.close()
    daemon.kill()
    it.await_event("disconnected")
    fed()
    it.await_event("demand", wanted=False)


def test_a_second_program_is_told_who_has_the_name(fed, client):
    daemon = fed()
    first = client("--provide", daemon.broker, "light:desk,channels=value")
    first.await_event("demand")
    second = client("--provide", daemon.broker, "light:desk,channels=value")
    assert str(first.process.pid) in second.await_event("disconnected", error="nameTaken")["text"]
    third = client("--provide", daemon.broker, "light:kitchen,channels=value")
    assert "[Feed light:kitchen]" in third.await_event("disconnected", error="notPermitted")["text"]
    first.close()
    second.await_event("demand", wanted=False)


def test_the_program_of_the_page_provides(fed, audience, tmp_path):
    daemon = fed()
    source = tmp_path / "sensor.c"
    source.write_text(re.search(r"## A program as a sensor.*?```c\n(#include.*?)```", (ROOT / "docs/clients-c.md").read_text(), re.S).group(1))
    program = tmp_path / "sensor"
    run("gcc", "-std=gnu99", *STRICT, f"-I{SOURCES}", "-o", program, source, SOURCES / "sensorbroker.c")
    process = subprocess.Popen([program], env={"SENSORBROKER_SOCKET": daemon.broker}, preexec_fn=die_with_parent)
    try:
        until(lambda: any(one.name == "accelerometer:arm" and one.state == "idle" for one in Broker(daemon.broker).list()), "the program")
        rows = audience(daemon.broker, "accelerometer:arm", "gyroscope:arm").await_rows("gyroscope:arm", 20)
        assert all(len(row) == 3 for _, row in rows) and process.poll() is None
    finally:
        process.kill()
        process.wait()
