"""Measures how fast Examples/Fleet puts a fleet into PostgreSQL: messages that wait at mosquitto, until all of them are committed, with
fsync. Beside it, in the same run, the program that commits each message alone.

usage: ingest.py [--rounds N] [--messages N] [--out FILE]
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Tests/System"), str(HERE.parent / "Examples/Fleet")]
from fleetingest import packets  # noqa: E402
from tools.database import EXAMPLE, Database, Ingest  # noqa: E402
from tools.mosquitto import Mosquitto  # noqa: E402
from tools.waiting import until  # noqa: E402

EPOCH = "019ab2c4d5e67f8091a2b3c4d5e6f708"
LOCATION = {"fix": "3d", "utcMicroseconds": 1795668672312674, "latitudeDegrees": 52.5186, "longitudeDegrees": 13.4081,
            "altitudeMeters": 34.5, "horizontalErrorMeters": 3.2, "verticalErrorMeters": 5.1, "speedMetersPerSecond": 13.9,
            "trackDegrees": 271.3, "climbMetersPerSecond": 0.1, "horizontalDilution": 0.9, "positionDilution": 1.4}


def message(number, batch):
    reading = {"resource": "location", "sequence": number, "timestampNanoseconds": 1_000_000_000 * number, "location": LOCATION}
    if batch:
        reading = {"resource": "accelerometer", "sequence": number, "timestampNanoseconds": 1_000_000_000 * number, "values": {
            "columns": {axis: [round(0.01 * place, 2) for place in range(100)] for axis in "xyz"}, "periodNanoseconds": 10_000_000}}
    return json.dumps({"epoch": EPOCH, "number": number, "readings": [reading]}, separators=(",", ":")).encode()


def session(port, *words):
    """Lets a server keep what comes for the program, which does not run yet."""
    stream = socket.create_connection(("127.0.0.1", port))
    for data in (packets.connect(5, "fleet-ingest", 0), *words):
        stream.sendall(data)
        stream.recv(100)
    stream.close()


def publish(port, hosts, count, batch):
    """With quality 1, as fast as the server takes them."""
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(packets.connect(5, "publisher", 0))
    stream.recv(100)
    resource = "accelerometer" if batch else "location"
    for start in range(0, count, 500):
        data = b"".join(
            packets.packet(packets.PUBLISH, packets.text(f"fleet/truck-{number % hosts:04}/{resource}") + (number % 500 + 1).to_bytes(2, "big")
                           + b"\0" + message(number // hosts + 1, batch), flags=2) for number in range(start, min(count, start + 500)))
        stream.sendall(data)
        expected = min(count, start + 500) - start
        while expected > 0:
            expected -= stream.recv(65536).count(b"\x40")
    stream.close()


def processor_seconds(*roots):
    """Of processes and their children, which live."""
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(path.parent.name) in roots or int(fields[1]) in roots:
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def measured(database, directory, command, table, count, batch, hosts=200):
    """Messages a second, and microseconds of the processor for each: of the program, of PostgreSQL, of mosquitto."""
    server = Mosquitto(directory, "allow_anonymous true", "max_inflight_messages 0", "log_type none").start()
    try:
        session(server.port, packets.subscribe(5, 1, ["fleet/#"] if table == "messages" else ["fleet/+/+", "fleet/+/+/late"]))
        publish(server.port, hosts, count, batch)
        process = subprocess.Popen([str(word) for word in command(server, database)], stderr=subprocess.DEVNULL)
        try:
            def there():
                # Seldom, since it costs the database something.
                time.sleep(0.1)
                return database.one(f"select count(*) from {table}")

            first = until(there, "the first")
            pids = process.pid, database.process.pid, server.process.pid
            begin, before = time.monotonic(), [processor_seconds(pid) for pid in pids]
            until(lambda: there() == count, "all")
            rate = (count - first) / (time.monotonic() - begin)
            return rate, *((processor_seconds(pid) - spent) / (count - first) * 1e6 for pid, spent in zip(pids, before))
        finally:
            process.kill()
            process.wait()
    finally:
        server.kill()


def groups(server, database):
    command = Ingest(server, database).command
    subprocess.run([*command, "--migrate"], check=True, stderr=subprocess.DEVNULL)
    return command


def each(server, database):
    database.connection.execute((EXAMPLE / "fleetingest/schema/1.sql").read_text())
    return [sys.executable, HERE / "rivals/ingest_each.py", server.port, database.address]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--messages", type=int, default=60_000)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    lines = []

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        os.chmod(directory, 0o755)
        database = Database("fsync=on", "max_wal_size=4GB")
        try:
            for what, batch in (("a location", False), ("100 accelerations", True)):
                rates = {"in groups": [], "each alone": []}
                for _ in range(options.rounds):
                    database.fresh()
                    rates["each alone"].append(measured(database, directory, each, "messages", options.messages // 20, batch))
                    database.fresh()
                    rates["in groups"].append(measured(database, directory, groups, "ingest.parts", options.messages, batch))
                    size = database.one("""select sum(pg_total_relation_size(inhrelid)) from pg_inherits
                        where inhparent = 'ingest.parts'::regclass""") / options.messages
                for name, results in rates.items():
                    rate, *spent = (statistics.median(column) for column in zip(*results))
                    tell(f"{what:20} {name:12} {rate:8,.0f} messages/s; µs of the processor a message: program {spent[0]:4.0f}, PostgreSQL "
                         f"{spent[1]:5.0f}, mosquitto {spent[2]:4.0f}; two cores could do {2e6 / sum(spent):8,.0f}/s")
                ratio = statistics.median(one[0] / other[0] for one, other in zip(rates["in groups"], rates["each alone"]))
                tell(f"{'':20} in groups {ratio:.0f} times as many, {size:.0f} bytes each "
                     f"(medians of {options.rounds}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)")
        finally:
            database.close()
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


main()
