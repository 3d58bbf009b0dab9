#!/usr/bin/env python3
"""A driver of an IMU on a serial line, such as an Arduino with an MPU-6050: its accelerations and turns become sensors of this host.

    python3 imu_serial.py /dev/ttyUSB0 arm

The device writes a line for each sample, of six numbers: ``ax,ay,az,gx,gy,gz`` in m/s² and rad/s. It is told ``R100`` to measure 100 times a second,
and ``R0`` to rest. sensorbrokerd.conf needs the sections [Feed accelerometer:arm] and [Feed gyroscope:arm], with Users= of whoever runs this.
"""

import contextlib
import os
import signal
import sys
import threading
import tty
from typing import BinaryIO, List, Optional

from sensorbroker import Broker, Provider, SensorError, now_ns

RATES = (10, 50, 100, 200)


def numbers(line: bytes) -> Optional[List[float]]:
    """The numbers of a line; None if it is not whole, as the first one after the device was opened."""
    try:
        found = [float(word) for word in line.split(b",")]
    except ValueError:
        return None
    return found if len(found) == 6 else None


def command(imu: Provider, port: BinaryIO) -> None:
    """Commands the device whenever what is wanted changes; in the end, to rest."""
    # A device that is gone rests.
    with contextlib.suppress(OSError):
        try:
            for demand in imu:
                rate = round(demand.rate or RATES[0]) if demand.wanted else 0
                port.write(b"R%d\n" % rate)
        finally:
            port.write(b"R0\n")


def main(path: str, name: str) -> int:
    """Runs until the device is gone, Ctrl-C, or a service manager ends it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Nothing of a line is echoed or translated.
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(descriptor)
    offered = [f"{kind}:{name}" for kind in ("accelerometer", "gyroscope")]
    with open(descriptor, "rb", buffering=0) as port, open(os.dup(descriptor), "wb", buffering=0) as orders:
        with Broker().provide(*offered, intervals=[1 / rate for rate in RATES], description=f"IMU at {path}") as imu:
            commands = threading.Thread(target=command, args=(imu, orders), daemon=True)
            commands.start()
            try:
                rest = b""
                while data := port.read(4096):
                    # When the last byte of the first whole line has come is as near as a serial line tells the time.
                    stamp = now_ns()
                    *lines, rest = (rest + data).split(b"\n")
                    for place, line in enumerate(lines):
                        row = numbers(line)
                        if row is not None:
                            imu.push(row[:3], row[3:], timestamp_ns=stamp + place)
            finally:
                imu.close()
                commands.join()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(0)
    except (OSError, SensorError) as error:
        print(f"imu_serial: {error}", file=sys.stderr)
        sys.exit(1)
