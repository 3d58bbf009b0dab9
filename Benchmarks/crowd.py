"""Measures what a fleet costs one mosquitto: a thousand bridges, and ten thousand, simulated by one program in C that speaks as they do; how
all of them come back when the server was away; and what an encrypted connection costs.

usage: crowd.py [--rounds N] [--out FILE]
"""

import argparse
import contextlib
import json
import os
import pathlib
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests/System"))
from bridging.vehicle import certificates, processor_nanoseconds, resident_mib  # noqa: E402
from conductor.process import C, start, stop  # noqa: E402
from tools.mosquitto import MOSQUITTO  # noqa: E402
from tools.ports import free_port, listens  # noqa: E402
from tools.waiting import until  # noqa: E402

# Bridges, messages a second of each, bytes, seconds, what they are.
CASES = [
    (1000, 20, 400, 8, "each 20 locations a second"),
    (1000, 5, 400, 8, "each 5 locations a second"),
    (1000, 1, 400, 12, "each a location a second"),
    (1000, 1, 2300, 12, "each 100 accelerations a second"),
    (1000, 0.2, 5000, 20, "each a compressed group every 5 s"),
    (10000, 0.2, 400, 20, "each a location every 5 s"),
]
# Within how many seconds all of a thousand bridges that were cut off dial again.
STORMS = (0, 10, 60)
TLS_CONNECTIONS = 300


@contextlib.contextmanager
def mosquitto(directory, *lines):
    """A server without a log, which would be most of its work; its port and its process."""
    port = free_port()
    path = pathlib.Path(directory) / f"mosquitto-{port}.conf"
    user = ["user root"] if os.getuid() == 0 else []
    path.write_text("\n".join([f"listener {port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0", "max_inflight_messages 0",
                               "log_type none", *user, *lines]) + "\n")
    process = start([MOSQUITTO, "-c", path], os.sched_getaffinity(0), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port), "mosquitto")
        yield port, process.pid
    finally:
        stop(process)


def crowd(directory, bridges, rate, size, seconds, *storm):
    """What the load program found, as dictionaries."""
    with mosquitto(directory) as (port, pid):
        load = subprocess.run([str(word) for word in (C / "fleet", port, pid, bridges, rate, seconds, size, 1, *storm)],
                              check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in load.stdout.splitlines()]


def encrypted_connections(directory):
    """Microseconds of the server's processor time, and KiB, for a connection with both certificates."""
    keys = certificates(directory)
    files = [f"cafile {keys}/authority.crt", f"certfile {keys}/server.crt", f"keyfile {keys}/server.key", "require_certificate true"]
    context = ssl.create_default_context(cafile=keys / "authority.crt")
    context.load_cert_chain(keys / "client.crt", keys / "client.key")
    with mosquitto(directory, *files) as (port, pid):
        before, resident, open_ones = processor_nanoseconds(pid), resident_mib(pid)["VmRSS"], []
        for number in range(TLS_CONNECTIONS):
            connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1")
            name = f"vehicle-{number}".encode()
            body = b"\0\4MQTT\5\2\0\x0f\0" + len(name).to_bytes(2, "big") + name
            connection.sendall(bytes([0x10, len(body)]) + body)
            assert connection.recv(100)[0] == 0x20
            open_ones.append(connection)
        spent = (processor_nanoseconds(pid) - before) / TLS_CONNECTIONS / 1000
        kept = (resident_mib(pid)["VmRSS"] - resident) * 1024 / TLS_CONNECTIONS
        for connection in open_ones:
            connection.close()
    return spent, kept


def main():
    parser = argparse.ArgumentParser(description="Measures what a fleet costs one mosquitto.")
    parser.add_argument("--rounds", type=int, default=3, help="how often each case is measured (3)")
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well")
    options = parser.parse_args()
    lines = []

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    def middle(results, key):
        return statistics.median(result[key] for result in results)

    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        os.chmod(directory, 0o755)
        tell(f"{'bridges':>8}  {'':36}{'bytes':>6}{'messages/s':>12}{'µs of the server each':>23}{'messages/s a core':>19}{'p50, p99 ms':>14}{'MiB':>7}{'not delivered':>15}")
        for bridges, rate, size, seconds, what in CASES:
            results = [crowd(directory, bridges, rate, size, seconds)[-1] for _ in range(options.rounds)]
            latency = f"{middle(results, 'p50_ms'):.1f}, {middle(results, 'p99_ms'):.1f}"
            missing = max(result["sent"] - result["delivered"] for result in results)
            tell(f"{bridges:8}  {what:36}{size:6}{middle(results, 'messages_per_second'):12.0f}{middle(results, 'processor_us'):23.1f}"
                 f"{middle(results, 'per_core'):19.0f}{latency:>14}{middle(results, 'resident_mib'):7.0f}{missing:15}")
        tell("")
        for spread in STORMS:
            storms = [crowd(directory, 1000, 1, 400, 6, spread) for _ in range(options.rounds)]
            back = [storm[0] for storm in storms]
            tell(f"1,000 bridges cut at once, each dials again within {spread:2} s: all are back after {middle(back, 'storm_seconds'):.1f} s; "
                 f"{middle(back, 'storm_processor_seconds'):.2f} s of the server; the slowest answer of a hundred took "
                 f"{middle([storm[1] for storm in storms], 'p99_ms'):.0f} ms")
        spent, kept = (statistics.median(column) for column in zip(*(encrypted_connections(directory) for _ in range(options.rounds))))
        plain = statistics.median(crowd(directory, 1000, 0, 400, 1)[-1]["connect_processor_us"] for _ in range(options.rounds))
        tell(f"a connection costs the server {plain:.0f} µs, and with TLS 1.3 and a client's certificate {spent:.0f} µs and {kept:.0f} KiB")
    if options.out:
        options.out.write_text("\n".join(lines) + "\n")


main()
