"""Whether clients get the rate that they asked for, and are told of what they lost."""

import itertools
import json
import socket
import time

from .bench import Step
from .systems import READINGS, BareLoop, Broker, Gpsd

from tools.stream import Stream, samples_of  # noqa: E402  of Tests/System, found by systems

DEVICE_HERTZ = 100
ASKED_HERTZ = (100, 66.7, 60, 50, 40, 33.3, 30, 25, 10, 7, 1)
SLEEP_SECONDS = 5


def steps(bench):
    return [
        Step("fidelity: rates", lambda: rates(bench), rounds=1),
        Step("fidelity: clients that sleep", lambda: sleepers(bench), rounds=1),
    ]


def sleepers(bench):
    with bench.started(Broker, READINGS["acceleration"][1]) as broker:
        bench.note("fidelity", "a client of 100 Hz that sleeps for 5 s", broker.name, broker_sleeper(broker))
    if bench.quick:
        return  # What the others do does not change.
    with bench.started(BareLoop, 100, bench.message("acceleration")) as loop:
        bench.note("fidelity", "a client of 100 Hz that sleeps for 5 s", loop.name, loop_sleeper(loop))
    with bench.started(Gpsd, 10) as gpsd:
        bench.note("fidelity", "a watcher of 10 Hz that sleeps for 5 s", gpsd.name, gpsd_sleeper(gpsd))


def rates(bench):
    """The device runs at 100 Hz for somebody else; gpsd, iiod and D-Bus signals have no rate of a client's own to compare with."""
    seconds = max(bench.seconds, 6)
    everything = {"resource": "accelerometer", "intervalNanoseconds": 1_000_000_000 // DEVICE_HERTZ}
    with bench.started(Broker, []) as broker, Stream(broker.address, everything) as device:
        streams = {hertz: Stream(broker.address, {**everything, "intervalNanoseconds": round(1e9 / hertz)}) for hertz in ASKED_HERTZ}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for stream in (device, *streams.values()):
                stream.note_what_is_there()
            time.sleep(0.005)
        for hertz, stream in streams.items():
            stamps = [stamp for stamp, _, _ in stream.samples[1:]]
            steps = [later - earlier for earlier, later in itertools.pairwise(stamps)]
            delivered = len(steps) / (stamps[-1] - stamps[0]) * 1e9
            bench.note("fidelity", f"{hertz} Hz of a device of {DEVICE_HERTZ} Hz", broker.name, {
                "delivered, Hz": delivered,
                "spacing, worst deviation in device periods": max(abs(step - 1e9 / hertz) for step in steps) * DEVICE_HERTZ / 1e9})
            stream.close()


def broker_sleeper(broker):
    with Stream(broker.address, *READINGS["acceleration"][1]) as stream:
        stream.until(lambda stream: len(stream.samples) > 20, "readings")
        time.sleep(SLEEP_SECONDS)
        woke = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        stream.until(lambda stream: stream.samples[-1][0] > woke + 500_000_000, "readings of after the sleep")
        numbers = [number for _, number, _ in stream.samples]
        return {
            "lost": numbers[-1] - numbers[0] + 1 - len(numbers),
            "told as lost": sum(gap.get("count", 0) for gap in stream.gaps),
            "stale readings on waking": sum(woke - SLEEP_SECONDS * 1e9 < stamp < woke for stamp, _, _ in stream.samples),
        }


def loop_sleeper(loop):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(loop.address)
        client.recv(1)
        time.sleep(SLEEP_SECONDS)
        woke = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        with client.makefile("rb") as stream:
            stamps = []
            while not stamps or stamps[-1] < woke + 500_000_000:
                stamps += [stamp for reading in json.loads(b"{" + message_of(stream))["parameters"]["readings"]
                           for stamp, _, _ in samples_of(reading)]
    period = 1_000_000_000 // DEVICE_HERTZ
    return {
        "lost": sum(round((later - earlier) / period) - 1 for earlier, later in itertools.pairwise(stamps)),
        "told as lost": 0,
        "stale readings on waking": sum(stamp < woke for stamp in stamps),
    }


def message_of(stream):
    """The next message but for the brace that was read alone, and that each message begins with."""
    message = b""
    while not message.endswith(b"\0"):
        message += stream.read(1)
    return message.rstrip(b"\0").removeprefix(b"{")


def gpsd_sleeper(gpsd):
    with socket.create_connection(("localhost", gpsd.port)) as client, client.makefile("rb") as lines:
        client.sendall(gpsd.call)
        while gpsd.key.encode() not in lines.readline():
            pass
        time.sleep(SLEEP_SECONDS)
        stale = -1
        client.setblocking(False)
        received = b""
        try:
            while chunk := client.recv(1 << 20):
                received += chunk
        except BlockingIOError:
            stale = received.count(gpsd.key.encode())
    return {"lost": 0, "told as lost": 0, "stale readings on waking": stale}
