"""Measures what sensorbroker-mqtt costs, beside the least that a program in C can do: processor time of a message, bytes written to the
disk, an hour without a server, the hour's way to the server over a slow network, and what comes twice after a restart.

usage: bridge.py [--rounds N] [--only NAME,...] [--out FILE]    costs as JSON and a picture are beside FILE
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/System"))
from bridging.hour import Hour  # noqa: E402
from bridging.vehicle import DEFAULTS, FIFTY_TIMES, WINDOW, Vehicle, certificates  # noqa: E402
from bridging.vehicle import processor_nanoseconds, resident_mib, written_bytes  # noqa: E402
from conductor.written import write  # noqa: E402
from tools.ledger import Ledger  # noqa: E402
from tools.network import Proxy  # noqa: E402
from tools.scriptedmqtt import ScriptedServer  # noqa: E402
from tools.waiting import until  # noqa: E402

ROUND_TRIP = 0.1


def cost(hour, keys, per_second, most, is_rival):
    """Microseconds of processor time for each message that was played and has arrived."""
    with contextlib.closing(Vehicle(hour, keys)) as vehicle:
        vehicle.serve()
        if is_rival:
            pid = vehicle.start_rival()
        else:
            pid = vehicle.start_bridge()
            vehicle.await_connection()
        before = processor_nanoseconds(pid)
        count = vehicle.feed.play(per_second, most)
        vehicle.counter.await_objects(count, lambda counter: len(counter.readings()))
        return (processor_nanoseconds(pid) - before) / count / 1000


def costs(hour, rounds, tell, keys):
    found = []
    tell(f"{'µs of processor time a message':44}{'bridge':>9}{'C rival':>9}{'ratio':>7}{'lowest–highest of the bridge':>30}")
    for name, certificates_ in (("TLS 1.3 with client certificate", keys), ("plain", None)):
        for pace, per_second, most in (("10 a second", 10, 100), ("100 a second", 100, 500), ("1,000 a second", 1000, None), ("at full speed", 0, None)):
            pairs = [[cost(hour, certificates_, per_second, most, is_rival) for is_rival in (False, True)] for _ in range(rounds)]
            bridge, rival = (statistics.median(column) for column in zip(*pairs))
            ratio = statistics.median(one / other for one, other in pairs)
            spread = f"{min(one for one, _ in pairs):.1f}–{max(one for one, _ in pairs):.1f}"
            tell(f"{name + ', ' + pace:44}{bridge:9.1f}{rival:9.1f}{ratio:7.2f}{spread:>30}")
            found.append({"connection": name, "pace": pace, "bridge and rival": pairs})
    return found


def drain(vehicle, count, objects_of):
    """Starts the bridge with its backlog, a network of the round trip, and a server; seconds from connection to the last message."""
    vehicle.serve()
    network = vehicle.stack.enter_context(contextlib.closing(Proxy(vehicle.server.port, delay=ROUND_TRIP / 2)))
    vehicle.feed.forget_clients()
    pid = vehicle.start_bridge(network.port)
    vehicle.await_connection()
    began, before = time.monotonic(), processor_nanoseconds(pid)
    vehicle.counter.await_objects(count, objects_of)
    until(lambda: "; 0 messages left" in " ".join(m.get("STATUS", "") for m in vehicle.bridge.manager.drain()) + vehicle.bridge.status, "an empty spool")
    spent = processor_nanoseconds(pid) - before
    return vehicle.counter.readings()[-1][0] - began, spent / count / 1000, len(vehicle.counter.readings())


def rival_drain(hour):
    """Seconds that the rival needs for the same messages over the same network, as fast as they are given to it."""
    with contextlib.closing(Vehicle(hour)) as vehicle:
        vehicle.serve()
        network = vehicle.stack.enter_context(contextlib.closing(Proxy(vehicle.server.port, delay=ROUND_TRIP / 2)))
        vehicle.start_rival(network.port)
        began = time.monotonic()
        threading.Thread(target=vehicle.feed.play, args=(0,), daemon=True).start()
        vehicle.counter.await_objects(len(hour.order), lambda counter: len(counter.readings()))
        return vehicle.counter.readings()[-1][0] - began


def objects(counter):
    """Messages by their numbers: a group has several."""
    ledger = Ledger()
    for _, topic, payload in counter.readings():
        ledger.take(topic, payload)
    return sum(1 for line in ledger.objects.values() if b'"readings":[{' in line)


def hours(hour, rounds, tell, _):
    """An hour without a server, and its way afterwards; each message alone, or in groups."""
    seconds, resident, rival = collections.defaultdict(list), [], []
    for _ in range(rounds):
        with contextlib.closing(Vehicle(hour, spool=FIFTY_TIMES)) as vehicle:
            vehicle.make_bridge()
            pid = vehicle.start_bridge()
            first = resident_mib(pid)
            count = vehicle.feed.play(100)
            time.sleep(0.5)
            resident.append((resident_mib(pid), first))
            spooled = sum(entry.stat().st_size for entry in os.scandir(vehicle.bridge.spool))
            vehicle.bridge.stop()
            seconds["in groups of 5 s, as without a connection"].append((*drain(vehicle, count, objects), spooled))
        with contextlib.closing(Vehicle(hour, spool=FIFTY_TIMES)) as vehicle:
            # A connection on which nothing is answered.
            with contextlib.closing(ScriptedServer(puback=lambda topic, payload: None)) as silent:
                vehicle.start_bridge(silent.port)
                vehicle.await_connection()
                vehicle.feed.play(1000)
                spooled, before = 0, -1
                while spooled != before:
                    time.sleep(1)
                    spooled, before = sum(entry.stat().st_size for entry in os.scandir(vehicle.bridge.spool)), spooled
                vehicle.bridge.kill()
            seconds["each message alone"].append((*drain(vehicle, count, lambda counter: len(counter.readings())), spooled))
        rival.append(rival_drain(hour))
    after, first = (statistics.median(pair[index]["VmRSS"] for pair in resident) for index in (0, 1))
    private = statistics.median(pair[0]["RssAnon"] for pair in resident)
    tell(f"an hour's {count} readings ({hour.bytes / 1e6:.1f} MB of JSON) at a round trip of {ROUND_TRIP * 1000:.0f} ms, window {WINDOW}, BacklogSpeed=max:")
    for name, results in seconds.items():
        took, each, messages, spooled = (statistics.median(column) for column in zip(*results))
        tell(f"  {name:44}{messages:6.0f} messages, {spooled / 1e6:4.1f} MB of spool: {took:5.2f} s, {each:5.1f} µs of processor time a reading")
    tell(f"  {'the C rival, each message alone':44}{count:6} messages, no spool:        {statistics.median(rival):5.2f} s")
    tell(f"resident after that hour without a server: {after:.1f} MiB ({private:.1f} private), at its start {first:.1f} MiB")


def written(hour, rounds, tell, _, seconds=300):
    """At the true pace with the defaults, and fifty times as fast with as many syncs, where ext4's own timer adds nothing."""
    results = collections.defaultdict(list)

    def run(case, is_live, spool, per_second, count):
        with loop_device() as (directory, sectors), contextlib.closing(Vehicle(hour, disk=directory, spool=spool)) as vehicle:
            if is_live:
                vehicle.serve()
            pid = vehicle.start_bridge()
            if is_live:
                vehicle.await_connection()
            os.sync()
            before, blocks = written_bytes(pid), sectors()
            count = vehicle.feed.play(per_second, count)
            time.sleep(6)
            os.sync()
            payload = sum(len(reply) for _, _, reply in hour.order[:count])
            stored = sum(entry.stat().st_size for entry in os.scandir(vehicle.bridge.spool))
            results[case].append(((written_bytes(pid) - before) / payload, (sectors() - blocks) * 512 / payload, stored / payload))

    cases = [("connected, true pace", True, DEFAULTS, 2, 2 * seconds), ("without a server, true pace", False, DEFAULTS, 2, 2 * seconds),
             ("connected, 50 times the pace", True, FIFTY_TIMES, 100, None), ("without a server, 50 times", False, FIFTY_TIMES, 100, None)]
    threads = [threading.Thread(target=run, args=case) for case in cases for _ in range(rounds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tell(f"{'bytes a byte of JSON, a sync every 10 messages':44}{'device, with the journal':>26}{'bridge, /proc/PID/io':>22}{'spool':>7}")
    for case, *_ in cases:
        own, device, stored = (statistics.median(column) for column in zip(*results[case]))
        tell(f"{case:44}{device:26.2f}{own:22.2f}{stored:7.2f}")


@contextlib.contextmanager
def loop_device():
    """A new ext4 on a device whose writes can be counted; where that is not allowed, a directory, and no count."""
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        image, mount = f"{directory}/image", f"{directory}/disk"
        os.mkdir(mount)
        with open(image, "wb") as file:
            file.truncate(256 << 20)
        if os.geteuid() or subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]).returncode:
            yield mount, lambda: 0
            return
        device = subprocess.run(["losetup", "--find", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
        try:
            subprocess.run(["mount", device, mount], check=True)
            try:
                statistics_of_device = pathlib.Path(f"/sys/block/{os.path.basename(device)}/stat")
                yield mount, lambda: int(statistics_of_device.read_text().split()[6])
            finally:
                subprocess.run(["umount", "--lazy", mount], check=True)
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)


def restarts(hour, rounds, tell, _):
    """Messages that come twice when a bridge is killed, or stopped, and started again."""
    twice, per_second = collections.defaultdict(list), 100
    with contextlib.closing(Vehicle(hour, spool=("BacklogSpeed=max",))) as vehicle:
        vehicle.serve()
        for end in ("kill", "stop") * max(5, rounds):
            vehicle.feed.forget_clients()
            vehicle.start_bridge()
            vehicle.feed.play(per_second, 250)
            getattr(vehicle.bridge, end)()
            vehicle.feed.forget_clients()
            # The next one sends what is left: nothing else is played.
            vehicle.start_bridge()
            until(lambda: "Connected; 0 messages left" in vehicle.bridge.status, "an empty spool")
            vehicle.bridge.stop()
            seen = collections.Counter((topic.removesuffix("/late"), json.loads(payload)["epoch"], json.loads(payload)["number"])
                                       for _, topic, payload in vehicle.counter.readings() if payload[:1] == b"{")
            twice[end].append(sum(count - 1 for count in seen.values()))
            vehicle.counter.taken.clear()
    for end, counts in twice.items():
        tell(f"messages that came twice after a {end} at {per_second} a second: median {statistics.median(counts):.0f}, most {max(counts)} "
             f"of {len(counts)} (goal: {WINDOW} + {per_second})")


SUITES = {"costs": costs, "hours": hours, "written": written, "restarts": restarts}


def main():
    parser = argparse.ArgumentParser(description="Measures what sensorbroker-mqtt costs.")
    parser.add_argument("--rounds", type=int, default=3, help="how often each case is measured (3)")
    parser.add_argument("--only", default=",".join(SUITES), help="which of " + ", ".join(SUITES))
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well, and beside it figures and picture")
    options = parser.parse_args()
    lines, figures = [], {}

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    hour = Hour()
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        os.chmod(directory, 0o755)
        keys = certificates(directory)
        for path in keys.iterdir():
            path.chmod(0o644)
        for name in options.only.split(","):
            figures[name] = SUITES[name](hour, options.rounds, tell, keys)
            tell("")
    if options.out:
        write(options.out, lines[:-1], figures.get("costs"))


main()
