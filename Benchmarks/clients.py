"""Measures what a reading costs its client: the C library beside a bare loop in C that only looks for the ends of messages, and
beside gpsd's own library; the Python package beside gpsd's own Python client. Each gets the same messages again and again: as fast as it reads, and each on its own.

usage: clients.py [--quick] [--callgrind] [--out FILE]    figures as JSON and a picture are beside FILE

With --callgrind also the instructions of the client in user space, which do not vary; that needs valgrind and takes a minute.
"""

import argparse
import base64
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from conductor.written import write

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / ".build/clients"
LIBRARY = HERE.parent / "Clients/c"
VALUES = (1.1013, -7.0209, 6.2305)
LOCATION = {
    "fix": "3d", "utcMicroseconds": 1790144400000000, "latitudeDegrees": 52.474188264, "longitudeDegrees": 13.400954036,
    "altitudeMeters": 42.294, "ellipsoidHeightMeters": 81.894, "horizontalErrorMeters": 3.2, "verticalErrorMeters": 5.12,
    "speedMetersPerSecond": 0.049, "trackDegrees": 130.388, "climbMetersPerSecond": -0.01, "speedErrorMetersPerSecond": 0.4,
    "geoidSeparationMeters": 39.6, "horizontalDilution": 0.8, "verticalDilution": 1.28, "positionDilution": 1.51,
    "satellitesUsed": 11, "satellitesVisible": 14}
# What gpsd 3.22 sends for the same fix.
REPORT = {
    "class": "TPV", "device": "/dev/ttyS0", "mode": 3, "time": "2026-09-23T06:20:00.000Z", "ept": 0.005, "lat": 52.474188264,
    "lon": 13.400954036, "altHAE": 81.894, "altMSL": 42.294, "alt": 42.294, "epx": 2.1, "epy": 2.4, "epv": 5.12, "track": 130.388,
    "magtrack": 133.1, "magvar": 2.7, "speed": 0.049, "climb": -0.01, "eps": 0.4, "epc": 1.0, "geoidSep": 39.6, "eph": 3.2, "sep": 6.1}


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def message(reading):
    return compact({"parameters": {"readings": [{"resource": "r", "sequence": 1, "timestampNanoseconds": 75850974661684, **reading}]},
                    "continues": True}) + b"\0"


def columns(count):
    return {"columns": {axis: [round(value + row / 1e4, 4) for row in range(count)] for axis, value in zip("xyz", VALUES)},
            **({"periodNanoseconds": 1000000} if count > 1 else {})}


def packed(count):
    return {"packed": {axis: base64.b64encode(struct.pack(f"<{count}f", *[value + row / 1e4 for row in range(count)])).decode()
                       for axis, value in zip("xyz", VALUES)}, "periodNanoseconds": 1000000}


FIRST = compact({"parameters": {
    "subscription": "s", "revision": 1, "grants": [{"resource": "r", "intervalNanoseconds": 1000000, "batchNanoseconds": 0}],
    "resources": [{"name": "r", "kind": "acceleration", "channels": [{"name": axis, "unit": "m/s²"} for axis in "xyz"],
                   "state": "active", "simulated": True, "minimumIntervalNanoseconds": 1, "maximumIntervalNanoseconds": 1000000000,
                   "defaultIntervalNanoseconds": 1000000}]}, "continues": True}) + b"\0"

# Name, samples of a message, and the message.
CASES = [
    ("acceleration", 1, message({"values": columns(1)})),
    ("100 accelerations, a batch", 100, message({"values": columns(100)})),
    ("1,000 accelerations, packed", 1000, message({"values": packed(1000)})),
    ("location", 1, message({"location": LOCATION})),
]


def clients(case, samples):
    """The programs that are measured with a case: name, protocol, and command without the number of samples."""
    yield "bare loop in C", "broker", [OUT / "bare", "{address}", "{count}", samples]
    yield "C library", "broker", [OUT / "library", "{address}", "{count}", "r", int("packed" in case)]
    for name, interface in (("Python", "sync"), ("Python, asyncio", "asyncio"), ("Python, NumPy", "numpy")):
        if interface != "numpy" or "packed" in case:
            yield name, "broker", [sys.executable, HERE / "clients/library.py", interface, "{address}", "{count}", "r", int("packed" in case)]
    if case == "location":
        yield "gpsd's libgps", "gpsd", [OUT / "gps", "{address}", "{count}"]
        yield "gpsd's Python client", "gpsd", [sys.executable, HERE / "clients/gpsd.py", "{address}", "{count}"]


def build():
    OUT.mkdir(parents=True, exist_ok=True)
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", OUT / "bare", HERE / "clients/bare.c"], check=True)
    subprocess.run(["gcc", *flags, f"-I{LIBRARY}", "-o", OUT / "library", HERE / "clients/library.c", LIBRARY / "sensorbroker.c"], check=True)
    subprocess.run(["gcc", *flags, "-o", OUT / "gps", HERE / "clients/gps.c", "-lgps"], check=True)


def feed(listener, protocol, text, messages, pause):
    """Accepts one client and sends it so many messages: as many at once as it takes, or each after a pause."""
    connection, _ = listener.accept()
    if protocol == "broker":
        while not connection.recv(65536).endswith(b"\0"):
            pass
        connection.sendall(FIRST)
    else:
        connection.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n')
        connection.recv(65536)
        connection.sendall(b'{"class":"DEVICES","devices":[]}\r\n')
        messages += 1
    try:
        if pause:
            # Times of the messages, not waits between them: what the sender needs does not count.
            due = time.monotonic()
            for _ in range(messages):
                due += pause
                time.sleep(max(0, due - time.monotonic()))
                connection.sendall(text)
        else:
            block = text * max(1, 65536 // len(text))
            per_block = len(block) // len(text)
            for _ in range(messages // per_block):
                connection.sendall(block)
            connection.sendall(text * (messages % per_block))
        connection.recv(1)
    except OSError:
        pass
    connection.close()


def run(protocol, command, text, samples, messages, pause=0.0, prefix=()):
    """Runs a client; what it prints at its end."""
    directory = tempfile.mkdtemp(prefix="sb-")
    if protocol == "broker":
        address = os.path.join(directory, "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
    else:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        address = str(listener.getsockname()[1])
    listener.listen(1)
    feeder = multiprocessing.Process(target=feed, args=(listener, protocol, text, messages, pause))
    feeder.start()
    words = [str(word).format(address=address, count=messages * samples) for word in command]
    result = subprocess.run([*map(str, prefix), *words], capture_output=True, text=True)
    feeder.terminate()
    feeder.join()
    listener.close()
    shutil.rmtree(directory)
    if result.returncode != 0 or not result.stdout:
        sys.exit(f"{words} ended with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout), result.stderr


def instructions(protocol, command, text, samples):
    """Of a further sample: the difference of two runs, so that the start does not count."""
    few, many = (20, 120) if samples > 1 else (500, 4500)
    totals = []
    for messages in (few, many):
        prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        _, errors = run(protocol, command, text, samples, messages, prefix=prefix)
        totals.append(int(re.search(r"Collected : (\d+)", errors).group(1)))
    return (totals[1] - totals[0]) / (many - few) / samples


def main():
    parser = argparse.ArgumentParser(description="Measures what a reading costs its client.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the messages, one round")
    parser.add_argument("--callgrind", action="store_true", help="also the instructions in user space")
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well, and beside it figures and picture")
    options = parser.parse_args()
    build()
    lines = [f"{'':30}{'client':24}{'bytes':>8}{'ns at full speed':>18}{'µs each on its own':>20}{'instructions':>14}{'private KiB':>13}"]
    figures = []
    for case, samples, text in CASES:
        for name, protocol, command in clients(case, samples):
            sent = text if protocol == "broker" else compact(REPORT) + b"\r\n"
            fast = (300_000 if samples == 1 else 2_000_000 // samples) // (10 if options.quick else 1)
            if "Python" in name:
                fast //= 10
            rounds = 1 if options.quick else 5
            at_once = [run(protocol, command, sent, samples, fast)[0] for _ in range(rounds)]
            cost = statistics.median((one["user"] + one["system"]) / one["samples"] for one in at_once) * 1e9
            alone = [run(protocol, command, sent, samples, 400 if options.quick else 2000, 0.001)[0] for _ in range(1 if options.quick else 3)]
            single = statistics.median((one["user"] + one["system"]) / one["samples"] for one in alone) * samples * 1e6
            count = f"{instructions(protocol, command, sent, samples):.0f}" if options.callgrind and "Python" not in name else "-"
            lines.append(f"{case:30}{name:24}{len(sent) / samples:8.0f}{cost:18.0f}{single:20.1f}{count:>14}{at_once[0]['private']:13}")
            figures.append({"message": case, "client": name, "nanoseconds a sample": cost, "microseconds a message": single})
            print(lines[-1] if len(lines) > 2 else "\n".join(lines), flush=True)
    if options.out:
        write(options.out, lines, figures)


main()
