"""Behaviour that a real gpsd does not show on demand: stalling within a line, malformed lines, and reporting whether it
is watched.
"""

import pytest

from tools.administration import device
from tools.scriptedgpsd import ScriptedGpsd, tpv
from tools.stream import Stream
from tools.threads import await_rest

EVERY = {"resource": "location", "intervalNanoseconds": 0}
NONSENSE = {
    "garbage": "\x01\x02}{\n$GPGGA,,*00\n[]\n",
    "1e400": '{"class":"TPV","device":"/dev/x","mode":3,"time":"2026-03-15T10:00:00.000Z","lat":1e400,"lon":-1e400}\n',
    "nested": '{"class":"TPV","mode":' + "[" * 3000 + "]" * 3000 + "}\n",
    "500 satellites": '{"class":"SKY","device":"/dev/x","satellites":['
    + ",".join('{"PRN":%d,"el":1,"az":1,"ss":1,"used":true}' % (n % 200 + 1) for n in range(500)) + "]}\n",
    "five devices": '{"class":"DEVICES","devices":['
    + ",".join('{"class":"DEVICE","path":"/dev/tty%d"}' % n for n in range(5)) + "]}\n",
    "far years": "".join('{"class":"TPV","device":"/dev/x","mode":1,"time":"%s-01-01T00:00:00.000Z"}\n' % year
                         for year in ("0001", "1999", "9999")),
    "100 KB line": "x" * 100_000,
}


@pytest.fixture
def gpsd(closing):
    return closing(ScriptedGpsd())


def watch(start, gpsd, *arguments):
    daemon = start("--gpsd", f"127.0.0.1:{gpsd.port}", *arguments)
    stream = Stream(daemon.broker, EVERY)
    gpsd.until(lambda g: g.peers, "a watcher")
    return daemon, stream


def test_without_subscribers_gpsd_is_not_watched(start, gpsd, tmp_path):
    (tmp_path / "short.conf").write_text("[Location]\nWarmGraceSec=500ms\n")
    _, stream = watch(start, gpsd, "--config", tmp_path / "short.conf")
    gpsd.say(tpv(1))
    stream.until(lambda s: s.samples, "a reading")
    ended = gpsd.ended
    stream.close()
    gpsd.until(lambda g: '"enable":false' in g.lines[-1] and g.ended > ended, "the end of the watching")


def test_impossible_values_are_counted(start, gpsd):
    daemon, stream = watch(start, gpsd)
    # Of 1e400, which no double holds, libgps 3.25 makes none.
    gpsd.say(NONSENSE["1e400"].replace("1e400", "1e300") + tpv(1) + tpv(2))
    stream.until(lambda s: len(s.samples) >= 2, "readings")
    assert device(daemon, "location")["refusedValues"] == 2


def test_half_a_line_costs_no_processor_time(start, gpsd):
    daemon, stream = watch(start, gpsd)
    gpsd.say(tpv(1) + tpv(2)[:40])
    stream.until(lambda s: s.samples, "a reading")
    await_rest(daemon.pid, "gpsd")
    gpsd.say(tpv(2)[40:] + tpv(3))
    stream.until(lambda s: len(s.samples) >= 2, "the line's other half")


@pytest.mark.parametrize("name", NONSENSE)
def test_readings_continue_after_malformed_lines(start, gpsd, name):
    _, stream = watch(start, gpsd)
    peers = len(gpsd.peers)
    gpsd.say(NONSENSE[name])
    if name == "100 KB line":
        gpsd.until(lambda g: len(g.peers) > peers, "a new connection")
        gpsd.say("")
    gpsd.say(tpv(1) + tpv(2))
    stream.until(lambda s: any(v.get("latitudeDegrees") == 50.5 for _, _, v in s.samples), "a reading")
    for _, _, values in stream.samples:
        assert values["fix"] == "none" or values["latitudeDegrees"] == 50.5
    stream.close()
