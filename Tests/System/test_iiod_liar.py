"""An iiod that violates its own protocol: only its resource is unavailable, and returns when the iiod behaves again."""

import sys

import pytest

from tools.imu import FakeIiod
from tools.programs import ROOT
from tools.stream import Stream
from tools.scriptedgpsd import ScriptedGpsd, tpv

SUPPORT = ROOT / "Tests/Support"
sys.path.insert(0, str(SUPPORT))
from iiodlies import LIES  # noqa: E402

REQUEST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


@pytest.fixture
def iiod(closing):
    return closing(FakeIiod())


@pytest.fixture
def gpsd(closing):
    return closing(ScriptedGpsd())


@pytest.mark.parametrize("command", LIES)
def test_an_iiod_that_breaks_its_protocol_affects_only_its_own_resource(start, iiod, gpsd, command):
    """One lie after the other, to one broker: it believes the iiod again after each, and never for good or too soon."""
    daemon = start("--iio", f"ip:127.0.0.1:{iiod.port}", "--gpsd", f"127.0.0.1:{gpsd.port}")
    location = Stream(daemon.broker, {"resource": "location", "intervalNanoseconds": 0})
    gpsd.until(lambda g: g.peers, "a watcher")
    with location, Stream(daemon.broker, REQUEST) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "readings")
        for turn, lie in enumerate(LIES[command]):
            marks = len(stream.states)
            iiod.order(f"lie {lie}")
            if command != "READBUF":
                # Requests that are made only during an opening.
                iiod.order("drop")
            stream.until(lambda s: any(is_reported(state) for state in s.states[marks:]), f"word of the lie {lie}")
            seen = len(location.samples)
            gpsd.say(tpv(2 * turn) + tpv(2 * turn + 1))
            location.until(lambda s: len(s.samples) > seen, f"a location after the lie {lie}")
            iiod.order("lie none")
            stream.until(lambda s: s.states[-1][1] == "active", f"an iiod that is believed again after the lie {lie}")
            before = len(stream.samples)
            stream.until(lambda s: len(s.samples) >= before + 20, f"readings after the lie {lie}")
    assert all(x == -y and abs(x) < 1000 for _, _, (x, y, _) in stream.samples), "a reading that was made of a lie"


def is_reported(state):
    """Whether a state says that the iiod violates its protocol."""
    _, name, reason = state
    return name == "unavailable" and "does not follow iiod's protocol" in (reason or "")
