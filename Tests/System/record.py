"""Rewrites the streams of Tests/Devices/Recordings: a real gpsd's output for simulated receivers, for tests on virtual time.

usage: python3 Tests/System/record.py
"""

import datetime
import os
import select
import socket
import tempfile
import time

from tools.nmea import Drive
from tools.programs import ROOT
from tools.receiver import Gpsd, Receiver

START = datetime.datetime(2026, 3, 15, 10, 0, 0, tzinfo=datetime.timezone.utc)


def scenes():
    """(name, epochs, milliseconds from one epoch to the next)"""
    plain, fast = Drive(START, 1.0), Drive(START, 0.1)
    steady = [plain.epoch(number) for number in range(30)]
    lost = [plain.epoch(n) if n < 15 or n >= 22 else plain.epoch(n, fix=False) for n in range(40)]
    sparse = [fast.epoch(n) if n % 10 == 0 else fast.short_epoch(n) for n in range(90)]
    flapping = [plain.epoch(n, flap=True) for n in range(30)]
    return [("steady", steady, 1000), ("lost", lost, 1000), ("once-a-second", sparse, 100), ("flapping", flapping, 1000)]


def record(epochs, step):
    """Each line of gpsd, as if the receiver had sent during four tenths of each interval."""
    with tempfile.TemporaryDirectory() as directory:
        receiver = Receiver([], 1)
        gpsd = Gpsd(directory, receiver)
        watcher = socket.create_connection(("127.0.0.1", gpsd.port))
        watcher.sendall(b'?WATCH={"enable":true,"json":true};\n')
        time.sleep(1)
        lines, rest = [], b""
        for number, epoch in enumerate(epochs):
            sentences = epoch.splitlines(keepends=True)
            for index, sentence in enumerate(sentences):
                os.write(receiver.master, sentence.encode())
                at = 1000 + number * step + step * 4 * index // (10 * len(sentences))
                while select.select([watcher], [], [], 0.02)[0]:
                    *whole, rest = (rest + watcher.recv(65536)).split(b"\n")
                    lines += [f"{at} {line.decode().strip()}\n" for line in whole if b'"TPV"' in line or b'"SKY"' in line]
        watcher.close()
        gpsd.close()
        receiver.close()
        return lines


if __name__ == "__main__":
    (ROOT / "Tests/Devices/Recordings").mkdir(exist_ok=True)
    for name, epochs, step in scenes():
        (ROOT / f"Tests/Devices/Recordings/{name}.gpsd").write_text("".join(record(epochs, step)))
