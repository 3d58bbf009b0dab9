#!/usr/bin/env python3
"""An Arduino with an accelerometer, without the Arduino: prints the path of a serial line, and writes x, y and z to it, 100 times a second.

    python3 imu.py &
    sensorctl feed accelerometer --name accelerometer:arm < PATH
"""

import itertools
import math
import os
import sys
import time
import tty

RATE = 100


def samples():
    """An arm that swings: a turn about the y axis, to 45 degrees and back every two seconds; in m/s²."""
    for number in itertools.count():
        angle = math.radians(45) * math.sin(2 * math.pi * number / RATE / 2)
        yield 9.81 * math.sin(angle), 0.0, 9.81 * math.cos(angle)


def main():
    line, far = os.openpty()
    tty.setraw(far)
    print(os.ttyname(far), flush=True)
    due = time.monotonic()
    for sample in samples():
        os.write(line, (",".join(f"{value:.3f}" for value in sample) + "\r\n").encode())
        due += 1 / RATE
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
