"""The desktop's own programs with iio-sensor-proxy, and then, unchanged, with sensorbroker-desktop: one hub, the same movements.

All programs run at once. What each calls and what each shows must be the same with both, in the same order. Then what owns the
device is upgraded, iio-sensor-proxy or our broker: what each program does then is a table of desktop_tables, and with
ours no program may notice anything. Last, our service on the bus is upgraded: some programs notice that, and none may lose anything.

mutter shows nothing of a rotation, as a virtual display is not built in: of it there are only the calls. KWin claims nothing
without a display that is built in, gsd-power nothing without a backlight, and there is neither here. Phosh loses what comes while
it paints itself anew, which takes long in an emulated machine; it is tried in Tests/System. geoclue has its location from a
receiver that stands still: iio-sensor-proxy has none."""

import collections
import functools
import json
import os
import tempfile
import xml.etree.ElementTree

import pytest

from services import POSITIONS, Ours, Theirs, udev  # noqa: F401
from desktop_tables import PROGRAMS
from hub import Hub
from tools import desktop, desktopclients
from tools.desktop import COMPASS, NAME, SENSORS, Bus
from tools.desktopclients import QT_WORDS, Receiver
from tools.waiting import until
import proxy

MISSING = ", ".join(proxy.MISSING) or ("" if desktop.is_fetched() else "package of the desktop's programs")
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"NOT RUN: there is no {MISSING}: the desktop's programs were not compared")

# What the hub is told, a step after the other, and what that is in iio-sensor-proxy's words.
Step = collections.namedtuple("Step", "position orientation als light rotation heading prox near")
STEPS = [Step(*position, *rest) for position, rest in zip(POSITIONS, [
    ("12345", 123.45, "270", 270.0, "0", False), ("50", 0.5, "30", 30.0, "9", True), ("70000", 700.0, "123", 123.0, "0", False),
    ("900", 9.0, "359", 359.0, "9", True), ("20050", 200.5, "1", 1.0, "0", False)])]
NEAR_LEVEL = "PROXIMITY_NEAR_LEVEL=3\n"
NUMBERS = {"light": lambda text: round(float(text), 2), "heading": lambda text: round(float(text), 1),
           "near": lambda text: text in ("1", "True")}


class Show(collections.namedtuple("Show", "name start ready patterns words comes_back", defaults=[{}, False])):
    """A program: how it is started, what it says once it has claimed, and what of its output says what; its words, if they are
    not iio-sensor-proxy's; whether it claims anew when the service has been started anew."""

    def expected(self, kind, step):
        return self.words.get(getattr(step, kind), getattr(step, kind))

    def seen(self, program, kind):
        """What it has shown of a kind, without repetitions."""
        found = [NUMBERS.get(kind, str)(text) for text in program.matches(self.patterns[kind])]
        return [value for index, value in enumerate(found) if index == 0 or value != found[index - 1]]


QT = {"orientation": "QOrientationSensor (.*(?:Up|Down))", "light": r"QLightSensor ([0-9.]+)", "heading": r"QCompass ([0-9.]+)"}
BINDING = {"orientation": "AccelerometerOrientation (.*)", "light": r"LightLevel ([0-9.]+)", "heading": r"CompassHeading (\S+)",
           "near": r"ProximityNear (\S+)"}
SHOWS = [
    Show("`monitor-sensor`", lambda scene: [desktopclients.monitor_sensor(scene.bus)], "=== Has proximity",
         {"orientation": "orientation changed: (.*)", "light": r"Light changed: (\S+) \(lux\)", "near": "Proximity value changed: (.)"},
         comes_back=True),
    Show("Qt 5's plugin", lambda scene: [desktopclients.qt(scene.bus, "PyQt5")], "QCompass starts True", QT, QT_WORDS),
    Show("Qt 6's plugin", lambda scene: [desktopclients.qt(scene.bus, "PyQt6")], "QCompass starts True", QT, QT_WORDS),
    Show("GLib's proxy objects", lambda scene: [desktopclients.proxies(scene.bus)], "claimed", BINDING),
    Show("Python's D-Bus module", lambda scene: [desktopclients.module(scene.bus)], "claimed", BINDING),
    Show("geoclue with `where-am-i`", lambda scene: desktopclients.geoclue(scene.bus, scene.nmea), "Heading:",
         {"heading": r"Heading:\s+([0-9.]+)"}),
    Show("mutter", lambda scene: [desktopclients.mutter(scene.bus, scene.made("mutter"))], None, {}, comes_back=True),
]


class Scene:
    """All programs on one bus with one service."""

    def __init__(self, side, udev):
        self.directory = tempfile.mkdtemp(prefix="scene-")
        udev.matrix.write_text(NEAR_LEVEL)
        self.hub, self.bus = Hub(), Bus(self.made("bus"))
        self.tell(STEPS[-2])
        self.service = side(self.bus, udev)
        self.nmea = f"{self.directory}/nmea"
        self.receiver = Receiver(self.nmea)
        self.monitor = self.bus.program("busctl", f"--address={self.bus.address}", "monitor", "--json=short", NAME)
        self.monitor.until(lambda m: m.matches("Monitoring"), "the monitor of the bus")
        self.programs = {show.name: show.start(self) for show in SHOWS}
        for show in SHOWS:
            if show.ready:
                self.shown(show).until(lambda program, show=show: program.matches(show.ready), f"{show.name} to claim")
            else:
                until(lambda show=show: "ClaimAccelerometer" in self.calls(show), f"{show.name} to claim",
                      lambda show=show: self.shown(show).lines)

    def made(self, name):
        path = f"{self.directory}/{name}"
        os.mkdir(path)
        os.chmod(path, 0o700)
        return path

    def tell(self, step):
        for command in (f"accel {step.position}", f"als {step.als}", f"magn 200 -30 450 {step.rotation}", f"prox {step.prox}"):
            self.hub.tell(f"set {command}")

    def shown(self, show):
        """The one of its programs that shows something."""
        return self.programs[show.name][-1]

    def play(self, shows):
        """Plays all steps; each is shown by all of these programs before the next."""
        for step in STEPS:
            self.tell(step)
            for show in shows:
                for kind in show.patterns:
                    expected = show.expected(kind, step)
                    self.shown(show).until(
                        lambda program, show=show, kind=kind, expected=expected: show.seen(program, kind)[-1:] == [expected],
                        f"{show.name} to show {expected}")

    def calls(self, show):
        """The methods of the service that a program has called so far, in order."""
        calls = [json.loads(line) for line in list(self.monitor.lines) if line.startswith('{"type":"method_call"')]
        sessions = [program.process.pid for program in self.programs[show.name]]
        return [call["member"] for call in calls
                if call["path"] in (SENSORS[0], COMPASS[0]) and self.session(call["sender"]) in sessions]

    @functools.cache
    def session(self, sender):
        """The session of the process behind a name on the bus: each program is the first of its own."""
        answer = self.bus.busctl("call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", sender)
        return os.getsid(int(answer.stdout.split()[1])) if answer.returncode == 0 else None

    def close(self):
        self.bus.close()
        self.service.close()
        self.receiver.close()
        self.hub.close()


@pytest.fixture(scope="module", params=[Theirs, Ours], ids=["iio-sensor-proxy", "sensorbroker-desktop"])
def scene(request, udev):  # noqa: F811
    scene = Scene(request.param, udev)
    yield scene
    scene.close()
    udev.mount(None)


def members(service, where):
    """The members of an object's own interface, with their types, as its description says."""
    path, interface = where
    text = service.bus.busctl("--json=short", "call", NAME, path, "org.freedesktop.DBus.Introspectable", "Introspect").stdout
    [described] = [each for each in xml.etree.ElementTree.fromstring(json.loads(text)["data"][0]) if each.get("name") == interface]
    return {(member.tag, member.get("name"), member.get("type"), member.get("access"),
             tuple((argument.get("direction"), argument.get("type")) for argument in member.findall("arg"))) for member in described}


MEMBERS, SHOWN, AFTER = {}, {}, {}
SERVICE = "our service on the bus"


def test_the_objects_have_all_members_with_their_types(scene):
    MEMBERS[scene.service.name] = {where: members(scene.service, where) for where in (SENSORS, COMPASS)}
    for where, theirs in MEMBERS.get(Theirs.name, {}).items():
        assert theirs and theirs <= MEMBERS[scene.service.name][where]


def test_all_programs_show_the_same_words_in_the_same_order(scene):
    scene.play(SHOWS)
    shown = SHOWN[scene.service.name] = {}
    for show in SHOWS:
        words = {kind: show.seen(scene.shown(show), kind)[-len(STEPS):] for kind in show.patterns}
        assert words == {kind: [show.expected(kind, step) for step in STEPS] for kind in show.patterns}, show.name
        shown[show.name] = (scene.calls(show), words)
    assert shown == SHOWN.get(Theirs.name, shown)


def test_an_upgrade_while_the_device_turns(scene):
    """Of iio-sensor-proxy; of our broker, which no program may notice; and of our service on the bus, with which all go on."""
    is_ours = isinstance(scene.service, Ours)
    back = SHOWS if is_ours else [show for show in SHOWS if show.comes_back]
    after, calls = seen_after(scene, scene.service.upgrade, back, is_noticed=not is_ours)
    AFTER[scene.service.name] = after
    if is_ours:
        assert not any(calls.values()), calls
        AFTER[SERVICE], _ = seen_after(scene, scene.service.upgrade_service, SHOWS, is_noticed=True)


def seen_after(scene, upgrade, back, is_noticed):
    """What each program does after an upgrade, in words, and which calls it makes; those that are to come back show everything."""
    before = {show.name: len(scene.calls(show)) for show in SHOWS}
    upgrade(lambda: scene.tell(STEPS[1]))

    def calls(show):
        return scene.calls(show)[before[show.name]:]

    def claims(show):
        return any("Claim" in call for call in calls(show))

    if is_noticed:
        for show in [show for show in back if show.comes_back]:
            until(lambda show=show: claims(show), f"{show.name} to claim anew")
    scene.play(back)
    for show in SHOWS:
        assert scene.shown(show).process.poll() is None, show.name
    words = {show.name: "claims anew" if claims(show) else "goes on" if show in back else "does not claim anew" for show in SHOWS}
    return words, {show.name: calls(show) for show in SHOWS}


def rows():
    yield ("program", "claims", "shows",
           f"{Theirs.name} is upgraded", "our broker is upgraded", "our service on the bus is upgraded")
    for show in SHOWS:
        calls, words = SHOWN[Ours.name][show.name]
        claims = ", ".join(call.removeprefix("Claim").lower() for call in calls if call.startswith("Claim"))
        shown = "; ".join(", ".join(word if kind == "orientation" else f"{word:g}" for word in each)
                          for kind, each in words.items() if kind != "near")
        yield show.name, claims, shown or "-", *(AFTER[what][show.name] for what in (Theirs.name, Ours.name, SERVICE))


def test_the_table_of_the_page_is_what_was_seen():
    if len(AFTER) < 3:
        pytest.skip("NOT RUN: the programs were not seen with both")
    assert list(rows()) == PROGRAMS
