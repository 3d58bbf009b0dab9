"""A GNSS receiver at a pseudo-terminal that drives for ever: GGA and RMC, an epoch at a time, and when each was written.

usage: feed.py LINK HERTZ LOG    LINK becomes the terminal; the log has "UTC_SECONDS BOOT_NANOSECONDS" lines
"""

import os
import pathlib
import pty
import sys
import time
import tty

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/System"))
from tools.nmea import Drive  # noqa: E402

link, hertz, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]
master, slave = pty.openpty()
tty.setraw(slave)
os.set_blocking(master, False)
# gpsd opens it as a user of its own.
os.chmod(os.ttyname(slave), 0o666)
os.symlink(os.ttyname(slave), link)
drive = Drive(interval=1 / hertz)
began = time.monotonic()
with open(log, "w") as written:
    number = 0
    while True:
        time.sleep(max(0, began + number / hertz - time.monotonic()))
        try:
            os.write(master, drive.short_epoch(number).encode())
            written.write(f"{drive.time(number).timestamp():.3f} {time.clock_gettime_ns(time.CLOCK_BOOTTIME)}\n")
            written.flush()
        except BlockingIOError:
            pass
        number += 1
