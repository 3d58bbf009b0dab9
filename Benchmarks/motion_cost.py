"""What a client of the attitude costs sensorbrokerd beside one of the gyroscope of the same device: the processor time of all its threads.

The device is behind an iiod of the tests and offers 25, 50 and 100 Hz; the client asks for a reading each 20 ms, for which the
attitude has the device run at 100 Hz. Rounds are paired, and the median of their ratios counts.
"""

import os
import pathlib
import selectors
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "Tests/System"))
os.environ.setdefault("SENSORBROKERD_BIN", str(ROOT / ".build/release/sensorbrokerd"))

from conductor.process import process_nanoseconds  # noqa: E402
from tools import handmotion  # noqa: E402
from tools.administration import resources  # noqa: E402
from tools.daemon import Daemon  # noqa: E402
from tools.imu import Played  # noqa: E402
from tools.ports import free_port  # noqa: E402
from tools.stream import MILLISECOND, Stream  # noqa: E402
from tools.waiting import until  # noqa: E402

CASES = {"gyroscope at 50 Hz": ("gyroscope", 20), "attitude at 50 Hz": ("attitude", 20), "gyroscope at 100 Hz": ("gyroscope", 10)}


def read(stream, seconds):
    """Reads for this time; returns how many messages came."""
    count, end = 0, time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while time.monotonic() < end:
            if selector.select(0.1):
                count += stream.connection.socket.recv(1 << 16).count(b"\0")
    return count


def cost(daemon, resource, milliseconds, seconds):
    """Microseconds a message, once the device runs as it is asked to."""
    with Stream(daemon.broker, {"resource": resource, "intervalNanoseconds": milliseconds * MILLISECOND}) as stream:
        read(stream, 1)
        before = process_nanoseconds(daemon.pid)
        count = read(stream, seconds)
        result = (process_nanoseconds(daemon.pid) - before) / 1000 / max(1, count)
    # The next one is to find the device closed, or as slow as it was for this one.
    time.sleep(3)
    return result


def measure(rounds, seconds):
    """The figures of each case, a list of rounds."""
    length = rounds * len(CASES) * (seconds + 5) + 20
    rows = [(index / 100, *handmotion.measured(index / 100)[:2]) for index in range(6_000)]
    rows = [(index / 100, *rows[index % len(rows)][1:]) for index in range(round(length * 100))]
    with tempfile.TemporaryDirectory() as folder:
        iiod = Played(pathlib.Path(folder), (100, ("anglvel", "accel"), rows), available="25 50 100")
        daemon = Daemon(folder, "--iio", f"ip:127.0.0.1:{iiod.port}", "--gpsd", f"localhost:{free_port()}").await_ready()
        try:
            until(lambda: "attitude" in resources(daemon), "the attitude")
            figures = {case: [] for case in CASES}
            for _ in range(rounds):
                for case, (resource, milliseconds) in CASES.items():
                    figures[case].append(cost(daemon, resource, milliseconds, seconds))
        finally:
            daemon.stop()
            daemon.close()
            iiod.close()
    return figures


def lines(is_quick):
    figures = measure(*((1, 1) if is_quick else (7, 5)))
    base = figures["gyroscope at 50 Hz"]
    for case, found in figures.items():
        ratio = statistics.median(one / other for one, other in zip(found, base))
        yield f"{case}: {statistics.median(found):.0f} µs of the daemon's processor time a message, {ratio:.2f} of the first"


if __name__ == "__main__":
    print(*lines("--quick" in sys.argv), sep="\n")
