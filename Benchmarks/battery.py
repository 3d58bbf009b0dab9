"""What a phone's sensors cost its battery in an hour: wake-ups and processor time of each program, beside the programs that people use.

usage: battery.py [--quick] [--instructions] [--seconds N] [--rounds N] [--out FILE]    figures as JSON and a picture are beside FILE

Both sides do the same: monitor-sensor has claimed the accelerometer of a device in a hand, which is turned every twenty seconds; an app
gets the location each second; and each location goes to an MQTT server, at quality 1.

    theirs   iio-sensor-proxy; gpsd, which the app watches; gpspipe -w | mosquitto_pub -l, a message for each report of gpsd, since
             neither can gather some
    ours     sensorbrokerd, sensorbroker-desktop, and sensorbroker-mqtt with a batch of a minute

Both have gpsd with a receiver of 1 Hz at a pseudo-terminal, dbus-daemon, monitor-sensor, the app (socat) and mosquitto. The sides take
turns, each started anew, and a window of some minutes is scaled to an hour: nothing of them happens less often than once a minute.
What the kernel's driver of the accelerometer does is on neither side (handheld.py), nor are receiver and consumer. `Tests/VM/count
battery` runs it in a machine where each instruction takes a nanosecond, so that processor time is their number. As root.
"""

import argparse
import contextlib
import itertools
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

from handheld import PROXY, ROOT, Chip, enter  # Before what it lets find the programs.
from bridging.counter import Counter
from conductor.written import prepare, write
from services import POSITIONS, Ours, Theirs  # of Tests/VM, as the next
from test_desktop_costs import tasks
from tools.bridge import Bridge, children  # of Tests/System, as those that follow
from tools.daemon import Daemon, die_with_parent
from tools.desktop import Bus
from tools.mosquitto import Mosquitto
from tools.nmea import Drive
from tools.receiver import Gpsd, Receiver
from tools.waiting import until

HOUR = 3600
# The broker learns in the first fifty epochs how many reports one has; also, what starting has begun is over.
LEARNING_SECONDS = 60
TURN_SECONDS = 20
SUBSCRIBE = {"method": "io.sensorbroker.Broker.Subscribe", "more": True,
             "parameters": {"requests": [{"resource": "location", "intervalNanoseconds": 1_000_000_000}]}}
WATCH = b'?WATCH={"enable":true,"json":true};\n'
# What a program costs that is the same on both sides is told, too: it may be woken more often on one of them.
APP, SERVER = "socat, the app", "mosquitto, the server"
BOTH = ["gpsd", "dbus-daemon", "monitor-sensor", APP, SERVER]


class Phone:
    """What both sides have: a bus, a receiver with its gpsd, a server with a consumer, and then the two programs that ask."""

    def __init__(self, stack):
        self.stack, self.programs = stack, {}
        self.directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sb-")))
        self.directory.chmod(0o755)
        self.bus = self.closing(Bus(self.directory))
        drive = Drive(interval=1)
        receiver = self.closing(Receiver((drive.epoch(number) for number in itertools.count()), 1))
        self.gpsd = self.closing(Gpsd(str(self.directory), receiver))
        receiver.talking.set()
        self.server = self.closing(Mosquitto(self.directory, "allow_anonymous true", "log_type none"))
        self.server.start()
        # Without a subscriber nothing counts as delivered.
        self.consumer = self.closing(Counter(self.server.port))
        self.programs |= {"gpsd": self.gpsd.process.pid, "dbus-daemon": self.bus.process.pid, SERVER: self.server.process.pid}

    def closing(self, thing):
        return self.stack.enter_context(contextlib.closing(thing))

    def start(self, name, *words, **options):
        process = subprocess.Popen([str(word) for word in words], preexec_fn=die_with_parent, **options)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        self.programs[name] = process.pid
        return process

    def ask(self, address, call, word):
        """Starts the two that ask: for the orientation, and an app for the location, which has come when there is the word."""
        self.monitor = self.bus.program(PROXY / "usr/bin/monitor-sensor")
        self.programs["monitor-sensor"] = self.monitor.process.pid
        self.log, self.word = self.directory / "locations", word
        app = self.start(APP, "socat", "STDIO", address, stdin=subprocess.PIPE, stdout=self.log.open("w"))
        app.stdin.write(call)
        app.stdin.flush()
        self.stack.callback(app.stdin.close)
        until(lambda: all(self.told()), "an orientation, a location and a message", lambda: f"{self.told()} {self.monitor.lines}")

    def told(self):
        """How many orientations, locations and messages have come so far."""
        return [len(self.monitor.matches("orientation changed")), self.log.read_bytes().count(self.word), len(self.consumer.taken)]


class TheirPhone(Phone):
    name = "iio-sensor-proxy, gpsd, mosquitto_pub"

    def __init__(self, stack):
        super().__init__(stack)
        proxy = self.closing(Theirs(self.bus, None))
        self.programs["iio-sensor-proxy"] = proxy.processes[0]
        address = f"localhost:{self.gpsd.port}"
        pipe = self.start("gpspipe", "gpspipe", "-w", address, stdout=subprocess.PIPE)
        topic = ["-t", "fleet/phone/location", "-q", 1]
        self.start("mosquitto_pub", "mosquitto_pub", "-p", self.server.port, *topic, "-l", stdin=pipe.stdout)
        pipe.stdout.close()
        self.ask(f"TCP:{address}", WATCH, b'"class":"TPV"')


def watchdog(unit):
    """What the service manager tells a service of the signs of life that it wants: they are wake-ups too."""
    seconds = int(re.search(r"^WatchdogSec=(\d+)s$", (ROOT / f"systemd/{unit}.service").read_text(), re.MULTILINE)[1])
    return {"WATCHDOG_USEC": str(seconds * 1_000_000)}


class OurPhone(Phone):
    name = "SensorBroker"

    def __init__(self, stack):
        super().__init__(stack)
        port = self.gpsd.port

        class Beside(Ours):
            """With a gpsd."""

            def start(self):
                environment = watchdog("sensorbrokerd")
                self.daemon = Daemon(self.directory, "--gpsd", f"localhost:{port}", environment=environment).await_ready()

        service = self.closing(Beside(self.bus, None))
        self.programs |= zip(["sensorbrokerd", "sensorbroker-desktop"], service.processes)
        bridge = self.closing(Bridge(
            self.directory, service.daemon.broker, f"mqtt://127.0.0.1:{self.server.port}", ["location=1s batch 1min"], ["SyncSec=5s"],
            environment=watchdog("sensorbroker-mqtt")))
        bridge.start()
        bridge.await_output("connected to mqtt")
        self.programs["sensorbroker-mqtt"] = bridge.process.pid
        self.programs["sensorbroker-mqtt, its connection"], = children(bridge.process.pid)
        self.ask(f"UNIX-CONNECT:{service.daemon.broker}", json.dumps(SUBSCRIBE).encode() + b"\0", b'"readings":[{')


def threads_of(programs):
    """Wake-ups and nanoseconds so far, by thread; one that is the only one has its program's name alone."""
    found = {}
    for program, process in programs.items():
        for (name, number), cost in tasks(process).items():
            found[program if int(number) == process else f"{program}: {name}", number] = cost
    return found


def window(phone, chip, seconds):
    """Wake-ups, and milliseconds on a processor, in an hour, by thread; and what was told meanwhile."""
    dice, begun, before, start = random.Random(1), phone.told(), threads_of(phone.programs), time.monotonic()
    for index in range(seconds * 10):
        upright = [int(axis) for axis in POSITIONS[index // (10 * TURN_SECONDS) % 4][0].split()]
        chip.tell("set accel " + " ".join(str(axis + dice.randint(-40, 40)) for axis in upright))
        time.sleep(max(0, start + (index + 1) / 10 - time.monotonic()))
    after, hours = threads_of(phone.programs), (time.monotonic() - start) / HOUR
    threads = {}
    for task, cost in after.items():
        sums = threads.setdefault(task[0], [0, 0])
        for place, (now, was) in enumerate(zip(cost, before.get(task, (0, 0)))):
            sums[place] += (now - was) / hours / (1, 1e6)[place]
    return threads, [now - was for now, was in zip(phone.told(), begun)]


def measure(side, chip, learning, seconds):
    chip.reset()
    chip.tell(f"set accel {POSITIONS[0][0]}")
    with contextlib.ExitStack() as stack:
        phone = side(stack)
        time.sleep(learning)
        return window(phone, chip, seconds)


def rows(figures):
    """Medians of the rounds: for each thread that does something, wake-ups and milliseconds of theirs and of ours."""
    names = dict.fromkeys(BOTH) | dict.fromkeys(itertools.chain.from_iterable(threads for side in figures for threads, _ in side))

    def median(side, name, place):
        return statistics.median(threads.get(name, (0, 0))[place] for threads, _ in side)

    found = {name: [median(side, name, place) for place in (0, 1) for side in figures] for name in names}
    return {name: values for name, values in found.items() if max(values) >= 1}


def sums(figures, without=(), instead={}):
    """The medians of the sums of a round, each with the median of their ratios; some programs count as others do."""
    found = []
    for place in (0, 1):
        theirs, ours = ([sum(threads[instead.get(name, name)][place] for name in threads if name.split(": ")[0] not in without) for threads, _ in side]
                        for side in figures)
        found += [statistics.median(theirs), statistics.median(ours), statistics.median(one / other for one, other in zip(ours, theirs))]
    return found


def table(figures, unit):
    lines = [f"| in an hour | wake-ups: {TheirPhone.name} | {OurPhone.name} | ratio | {unit}: theirs | ours | ratio |",
             "| --- | --- | --- | --- | --- | --- | --- |"]

    def line(name, theirs, ours, ratio, their_time, our_time, ratio_of_times):
        numbers = [f"{value:,.0f}" if value >= 1 else "" for value in (theirs, ours, their_time, our_time)]
        ratios = [f"{value:.2f}" if value else "" for value in (ratio, ratio_of_times)]
        return f"| {name} | {numbers[0]} | {numbers[1]} | {ratios[0]} | {numbers[2]} | {numbers[3]} | {ratios[1]} |"

    # gpspipe looks ten times a second whether something has come, and need not.
    lines.append(line("the phone, had gpspipe the cost of the app", *sums(figures, [SERVER], {"gpspipe": APP})))
    lines.append(line("the phone: all but the server", *sums(figures, [SERVER])))
    lines.append(line("without what both sides have", *sums(figures, BOTH)))
    lines.append(line("with the server", *sums(figures)))
    for name, (theirs, ours, their_time, our_time) in rows(figures).items():
        lines.append(line(name, theirs, ours, 0, their_time, our_time, 0))
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one short round, which shows that it works and measures nothing")
    parser.add_argument("--instructions", action="store_true", help="an instruction takes a nanosecond here, and the kernel counts all of them")
    parser.add_argument("--seconds", type=int, help="how long a window is (120)")
    parser.add_argument("--rounds", type=int, help="how often each side is measured (3)")
    parser.add_argument("--out", type=pathlib.Path, help="where the table goes as well, and beside it figures and picture")
    options = parser.parse_args()
    if options.out:
        prepare()
    seconds, rounds = options.seconds or (5 if options.quick else 120), options.rounds or (1 if options.quick else 3)
    enter("sensorbrokerd", "sensorbroker-desktop", "sensorbroker-mqtt")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    chip, figures = Chip(), ([], [])
    for _ in range(rounds):
        for side, measured in zip((TheirPhone, OurPhone), figures):
            measured.append(measure(side, chip, 2 if options.quick else LEARNING_SECONDS, seconds))
    lines = table(figures, "million instructions" if options.instructions else "ms of a processor") + [""]
    for side, measured in zip((TheirPhone, OurPhone), figures):
        told = [statistics.median(column) for column in zip(*(told for _, told in measured))]
        lines.append("{}: told in a window {:.0f} orientations, {:.0f} locations, {:.0f} messages".format(side.name, *told))
    print("\n".join(lines))
    if options.out:
        programs = [{"program": name, "wake-ups": values[:2], "milliseconds": values[2:]} for name, values in rows(figures).items()]
        write(options.out, [f"Medians of {rounds} rounds of {seconds} s, in turns, scaled to an hour.", "", *lines], programs)


main()
