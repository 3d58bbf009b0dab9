"""Several receivers at one real gpsd: the best of them, and each by its name."""

import itertools
import os
import pathlib
import shutil
import socket
import tempfile

import pytest

from tools.nmea import Drive
from tools.ports import free_port
from tools.programs import BROKER, ROOT
from tools.receiver import Gpsd, Receiver, Watcher
from tools.road import EVERY, INTERVAL, check_all, check_no_epoch_comes_twice, check_no_epoch_outlives, needs_gpsd
from tools.stream import Stream, read_all
from tools.waiting import until
from tools.wire import Connection

pytestmark = needs_gpsd

NORTH, SOUTH = 60.0, 30.0


@pytest.fixture
def pair(tmp_path):
    """Two receivers that drive far from each other, and their gpsd."""
    receivers = [Receiver(map(Drive(interval=INTERVAL, latitude=latitude).epoch, itertools.count()), INTERVAL)
                 for latitude in (NORTH, SOUTH)]
    gpsd = Gpsd(tmp_path, *receivers)
    yield gpsd, *receivers
    for part in (gpsd, *receivers):
        part.close()


def names(daemon):
    with Connection(daemon.broker) as connection:
        resources = connection.result(f"{BROKER}.ListResources")["resources"]
    return {resource["name"] for resource in resources if resource["name"].startswith("location")}


def name_of(daemon, receiver):
    """The name of a receiver that is no tty: /dev/pts/3 is location:pts-3-, and a checksum; of a long path, the beginning counts."""
    start = f"location:{receiver.path.removeprefix('/dev/').replace('/', '-')}-"[:64]
    until(lambda: any(name.startswith(start) for name in names(daemon)), f"{start}…")
    return next(name for name in names(daemon) if name.startswith(start))


def latitudes(stream):
    return [round(values["latitudeDegrees"]) for _, _, values in stream.samples if "latitudeDegrees" in values]


def test_each_receiver_has_a_name_before_anybody_subscribes(pair, start):
    gpsd, north, south = pair
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    assert {"location", name_of(daemon, north), name_of(daemon, south)} == names(daemon)


def test_a_receiver_on_the_network(tmp_path, start, closing):
    """What docs/hardware.md says of one whose sentences come as datagrams."""
    assert 'DEVICES="udp://0.0.0.0:5000"' in (ROOT / "docs/hardware.md").read_text()
    receiver = closing(Receiver(map(Drive(interval=INTERVAL, latitude=NORTH).epoch, itertools.count()), INTERVAL))
    port = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(("127.0.0.1", port))
        os.dup2(sender.fileno(), receiver.master)
    receiver.path = f"udp://0.0.0.0:{port}"
    gpsd = closing(Gpsd(tmp_path, receiver))
    receiver.talking.set()
    with Stream(start("--gpsd", f"localhost:{gpsd.port}").broker, EVERY) as stream:
        stream.until(lambda stream: len(latitudes(stream)) >= 5, "five positions")
        assert set(latitudes(stream)) == {round(NORTH)}


def test_one_receiver_alone_has_no_name_of_its_own(road, start):
    way = road(iter(()))
    daemon = start(*way.option)
    with Stream(daemon.broker, EVERY) as stream:
        stream.until(lambda s: s.states, "a state")
    assert names(daemon) == {"location"}


def test_each_name_has_its_receivers_track_and_location_has_the_best(pair, start):
    gpsd, north, south = pair
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    watchers = [Watcher(gpsd.port, receiver.path) for receiver in (north, south)]
    ways = [{**EVERY, "resource": name} for name in ("location", name_of(daemon, north), name_of(daemon, south))]
    best, northern, southern = (Stream(daemon.broker, way) for way in ways)
    north.talking.set()
    read_all([best, northern, southern], lambda: len(latitudes(best)) >= 5, "the first receiver")
    south.talking.set()
    read_all([best, northern, southern], lambda: len(latitudes(southern)) >= 20, "the second receiver")
    assert set(latitudes(northern)) == {NORTH} and set(latitudes(southern)) == {SOUTH}
    assert set(latitudes(best)) == {NORTH}, "left a receiver that has a fix"
    for stream, watcher in zip((northern, southern), watchers):
        check_all(stream, watcher)
    # The first falls silent: the other one soon becomes the best, and its own readers notice nothing.
    north.talking.clear()
    count = len(northern.samples)
    northern_ended = lambda: any(state == "stale" for _, state, _ in northern.states)
    read_all([best, northern, southern], lambda: latitudes(best)[-1] == SOUTH and northern_ended(), "the change")
    assert len(northern.samples) <= count + 2
    northern.close()
    seen = len(southern.samples)
    read_all([best, southern], lambda: len(southern.samples) >= seen + 10, "readings after the other's end")
    assert not southern.losses and set(latitudes(southern)) == {SOUTH}
    check_all(southern, watchers[1])
    for part in (best, southern, *watchers):
        part.close()


def test_an_unplugged_receiver_is_reported_and_the_other_one_takes_over(pair, start):
    gpsd, north, south = pair
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    north.talking.set()
    south.talking.set()
    own = Stream(daemon.broker, {**EVERY, "resource": name_of(daemon, north)})
    best = Stream(daemon.broker, EVERY)
    read_all([own, best], lambda: len(own.samples) >= 5 and len(best.samples) >= 5, "readings")
    north.unplug()
    ended = lambda: own.states[-1][1] in ("stale", "unavailable")
    read_all([own, best], lambda: ended() and latitudes(best)[-1] == SOUTH, "word of the end, and the other receiver")
    # gpsd 3.22 reports it to nobody: only its silence shows it. SilenceLimitsTests and ReceiverChoiceTests test how long that takes.
    assert own.states[-1][2], "an end without a reason"
    own.close()
    best.close()


@pytest.fixture
def common_ground():
    """A folder that gpsd's own user can read."""
    folder = pathlib.Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_readings_come_again_when_a_receiver_is_plugged_in_again(start, tmp_path, common_ground):
    node = common_ground / "gps0"
    epochs = map(Drive(interval=INTERVAL, latitude=NORTH).epoch, itertools.count())
    receiver = Receiver(epochs, INTERVAL, node)
    gpsd = Gpsd(tmp_path, receiver)
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    lost = []
    with Stream(daemon.broker, EVERY) as stream:
        for _ in range(2):
            receiver.talking.set()
            seen = len(stream.samples)
            stream.until(lambda s: len(s.samples) >= seen + 5 and s.states[-1][1] == "active", "readings")
            receiver.unplug()
            gpsd.announce("-", receiver)
            stream.until(lambda s: "no receiver" in (s.states[-1][2] or ""), "word that there is no receiver")
            assert stream.states[-1][1] == "unavailable"
            lost.append(len(stream.samples))
            receiver = Receiver(epochs, INTERVAL, node)
            gpsd.announce("+", receiver)
        receiver.talking.set()
        seen = len(stream.samples)
        stream.until(lambda s: len(s.samples) >= seen + 5 and s.states[-1][1] == "active", "readings")
        check_no_epoch_comes_twice(stream)
        for count in lost:
            check_no_epoch_outlives(stream, count)
        assert {gap["cause"] for gap in stream.losses} <= {"deviceLost"}
    for part in (gpsd, receiver):
        part.close()


# As udev names them in /dev/serial/by-id; libgps cuts a request with such a path.
LONG = "usb-u-blox_AG_-_www.u-blox.com_u-blox_7_-_GPS_GNSS_Receiver-if00"


def test_the_other_receivers_are_inactive_while_one_is_requested_by_name(start, tmp_path, common_ground):
    north, south = (Receiver(map(Drive(interval=INTERVAL, latitude=latitude).epoch, itertools.count()), INTERVAL, node)
                    for latitude, node in ((NORTH, common_ground / LONG), (SOUTH, None)))
    gpsd = Gpsd(tmp_path, north, south, options=())
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    for receiver in (north, south):
        receiver.talking.set()
    with Stream(daemon.broker, {**EVERY, "resource": name_of(daemon, north)}) as stream:
        stream.until(lambda s: len(s.samples) >= 3, "readings")
        assert set(latitudes(stream)) == {NORTH}
        assert opens(gpsd, north) and not opens(gpsd, south)
        # While it is not there, that is reported, and no other one is asked.
        north.unplug()
        gpsd.announce("-", north)
        stream.until(lambda s: "has no receiver" in (s.states[-1][2] or ""), "word that it is not there")
        assert stream.states[-1][1] == "unavailable" and not opens(gpsd, south)
    for part in (gpsd, north, south):
        part.close()


def test_a_missing_named_receiver_is_served_once_it_is_plugged_in(start, tmp_path, common_ground):
    other = Receiver(map(Drive(interval=INTERVAL, latitude=SOUTH).epoch, itertools.count()), INTERVAL)
    epochs = map(Drive(interval=INTERVAL, latitude=NORTH).epoch, itertools.count())
    node = common_ground / "gps0"
    receiver = Receiver(epochs, INTERVAL, node)
    gpsd = Gpsd(tmp_path, other, receiver)
    daemon = start("--gpsd", f"localhost:{gpsd.port}")
    name = name_of(daemon, receiver)
    receiver.unplug()
    gpsd.announce("-", receiver)
    with Stream(daemon.broker, {**EVERY, "resource": name}) as stream:
        stream.until(lambda s: s.states[-1][1] == "unavailable", "word that it is not there")
        assert str(node) in stream.states[-1][2]
        receiver = Receiver(epochs, INTERVAL, node)
        receiver.talking.set()
        gpsd.announce("+", receiver)
        stream.until(lambda s: len(s.samples) >= 5, "readings")
        assert set(latitudes(stream)) == {NORTH}
    for part in (gpsd, other, receiver):
        part.close()


def opens(gpsd, receiver):
    """Whether gpsd has a receiver open."""
    folder = f"/proc/{gpsd.process.pid}/fd"
    return os.path.realpath(receiver.path) in (os.readlink(f"{folder}/{number}") for number in os.listdir(folder))
