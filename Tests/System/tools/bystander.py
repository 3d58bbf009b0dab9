"""A well-behaved client that counts its readings while others misbehave."""

import select
import threading

from tools.stream import Stream, boot_nanoseconds
from tools.waiting import until
from tools.wire import Closed

INTERVAL = 10_000_000
# In batches: its queue holds six of them, three seconds, since the test itself may have to wait that long on a busy host.
REQUEST = {"resource": "accelerometer", "intervalNanoseconds": INTERVAL, "batchNanoseconds": 50 * INTERVAL}


class Bystander:
    """Reads in its own thread, so that a busy test does not make it a slow client."""

    def __init__(self, daemon):
        self.stream = Stream(daemon.broker, REQUEST)
        self.stream.until(lambda s: len(s.samples) >= 3, "readings")
        self.is_over, self.failure = False, None
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join()
        self.stream.close()

    def read(self):
        try:
            while not self.is_over:
                if select.select([self.stream], [], [], 0.1)[0]:
                    self.stream.note_some()
        except (Closed, AssertionError) as failure:
            self.failure = failure

    @property
    def seconds(self):
        """How long it has been reading, by its readings."""
        return (self.stream.samples[-1][0] - self.stream.samples[0][0]) / 1e9

    def check(self):
        """Until now every missing reading is explained by a busy host, and reported."""
        now = boot_nanoseconds()
        until(lambda: self.failure or self.stream.samples[-1][0] > now, "a reading of one who behaves")
        assert self.failure is None, self.failure
        stamps = [stamp for stamp, _, _ in self.stream.samples]
        told = [(gap["fromNanoseconds"], gap["untilNanoseconds"]) for gap in self.stream.gaps]
        holes = [(before, after) for before, after in zip(stamps, stamps[1:]) if after - before > 2 * INTERVAL]
        # Requests of others may change the device's pace, which is reported.
        missing = [(before, after) for before, after in holes
                   if not any(start <= after and before <= end for start, end in told)]
        assert not missing, f"readings of one who behaves are missing: {missing}"
        assert "slowClient" not in {gap["cause"] for gap in self.stream.losses}, "one who behaves was taken for a slow client"
