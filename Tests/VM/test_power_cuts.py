"""The power of the host of sensorbroker-mqtt is cut, again and again: its spool is on ext4, on a drive that loses what it had not flushed.

POWER_CUTS in the environment is how often.
"""

import glob
import json
import os
import random
import subprocess
import threading
import time
import uuid

import pytest

from drive import Drive
from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.network import Proxy
from tools.stream import boot_nanoseconds

CUTS = int(os.environ.get("POWER_CUTS", "4"))
SECOND = 1_000_000_000
SYNC = SECOND
# An interval of location, and what a reading needs from the sensor to the spool.
ON_THE_WAY = SECOND // 2
IMAGE = 24 << 20
BOOT_ID = "/proc/sys/kernel/random/boot_id"
# A program that believes what this says loses everything.
LIAR = "int fdatasync(int descriptor) { return descriptor < 0; } int fsync(int descriptor) { return descriptor < 0; }"


def run(*words):
    subprocess.run(words, check=True)


class Witness:
    """What a busy host, and a drive that is served by this process, did to a bridge: how late whoever sleeps is woken, and how long a sync
    takes, by the life of the thread that waits for it.
    """

    def __init__(self):
        self.pid, self.stall, self.sync, self.since, self.is_over = 0, 0, 0, None, False
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.is_over:
            before = boot_nanoseconds()
            time.sleep(0.02)
            now = boot_nanoseconds()
            self.stall = max(self.stall, now - before - SECOND // 50)
            syncs = self.syncs()
            since = (self.since or now) if syncs else None
            self.sync = max(self.sync, now - since if syncs else 0)
            self.since = since

    def syncs(self):
        for name in glob.iglob(f"/proc/{self.pid}/task/*/comm"):
            try:
                with open(name) as file:
                    if file.read() == "sync\n":
                        return True
            except OSError:
                # It has ended meanwhile.
                continue
        return False

    def follow(self, pid):
        self.pid, self.stall, self.sync, self.since = pid, 0, 0, None

    def allowance(self, late):
        """What is readied during one sync is written by the next; how late the caller was woken, may not have been seen yet."""
        return 4 * max(self.stall, late) + 2 * self.sync

    def close(self):
        self.is_over = True
        self.thread.join()


class Site:
    """A vehicle whose power is cut: its network and server are elsewhere, and stay."""

    def __init__(self, directory, broker, seed, environment=None):
        self.dice, self.directory, self.cuts = random.Random(seed), directory, []
        self.mount = os.path.join(directory, "var")
        os.mkdir(self.mount)
        self.server = Mosquitto(directory).start()
        self.network = Proxy(self.server.port)
        self.consumer = Consumer(self.server.port)
        self.bridge = Bridge(directory, broker, f"mqtt://127.0.0.1:{self.network.port}", environment=environment,
                             spool=("SyncSec=1s", "BacklogSpeed=max"))
        self.bridge.spool = os.path.join(self.mount, "spool")
        self.witness = Witness()
        self.drive = Drive(bytes(IMAGE))
        run("mkfs.ext4", "-q", "-F", self.drive.path)
        self.start()

    def start(self):
        run("mount", "-t", "ext4", self.drive.path, self.mount)
        # Another boot: readings of the former one are told apart by this.
        with open(os.path.join(self.directory, "boot_id"), "w") as file:
            file.write(f"{uuid.UUID(int=self.dice.getrandbits(128), version=4)}\n")
        run("mount", "--bind", file.name, BOOT_ID)
        self.bridge.start()

    def stop(self, image=None):
        self.bridge.kill()
        run("umount", BOOT_ID)
        run("umount", self.mount)
        self.drive.close()
        if image is not None:
            self.drive = Drive(image)

    def live_through_a_cut(self, seconds):
        is_connected = self.dice.random() < 0.5
        self.network.refuse(not is_connected)
        began = boot_nanoseconds()
        self.witness.follow(self.bridge.process.pid)
        time.sleep(seconds)
        late = boot_nanoseconds() - began - round(seconds * SECOND)
        image = self.drive.cut(self.dice)
        self.cuts.append((began, boot_nanoseconds(), SYNC + ON_THE_WAY + self.witness.allowance(late)))
        self.stop(image)
        self.start()

    def violations(self):
        """What a consumer finds wrong once it has got all that it can get.

        Of each epoch that a cut ended, the end on the disk alone counts: what had arrived before may be more.
        """
        self.network.refuse(False)
        self.consumer.await_count("location", self.consumer.count("location") + 5)
        self.consumer.await_all(resend=True)
        # The ledger has compared the bytes of messages that came twice.
        with self.consumer.lock:
            objects, begun, lost = dict(self.consumer.objects), dict(self.consumer.began), list(self.consumer.lost)
        messages = [(epoch, number, json.loads(line)) for (name, epoch, number), line in objects.items() if name == "location"]
        numbers, found, self.losses = {}, [], []
        for epoch, number, message in messages:
            for reading in message.get("readings", []):
                other = numbers.setdefault((epoch, reading["timestampNanoseconds"]), number)
                if other != number:
                    found.append(f"a reading is number {other} and number {number} of {epoch}")
        ends = {}
        for (resource, _), began in begun.items():
            if resource != "location" or "previous" not in began:
                continue
            if began["cause"] != "powerLoss":
                found.append(f"a power cut is told as {began}")
            former = began["previous"]
            ends[former] = min([began["last"], *(first - 1 for one, other, first, *_ in lost if (one, other) == ("location", former))])
        kept = sorted(stamp for (epoch, stamp), number in numbers.items() if number <= ends.get(epoch, 0))
        for began, cut, bound in self.cuts:
            newest = max((stamp for stamp in kept if began <= stamp <= cut), default=began)
            self.losses.append(((cut - newest) // 1_000_000, bound // 1_000_000))
            if cut - newest > bound:
                found.append(f"of the last {(cut - began) // 1_000_000} ms before a cut {self.losses[-1]} are lost")
        if len(ends) < len(self.cuts) / 2:
            found.append(f"{len(self.cuts)} cuts, and only {len(ends)} epochs that were ended by one")
        return found

    def close(self):
        self.stop()
        self.witness.close()
        for part in (self.bridge, self.consumer, self.network, self.server):
            part.close()


@pytest.fixture
def site(start, directory):
    sites = []

    def make(seed, environment=None):
        sites.append(Site(directory, start("--mock").broker, seed, environment))
        return sites[-1]

    yield make
    for one in sites:
        one.close()


def test_a_power_cut_costs_at_most_what_was_not_synced_and_each_number_is_used_once(site):
    place = site(1)
    for _ in range(CUTS):
        place.live_through_a_cut(place.dice.uniform(1.3, 3.5))
    violations = place.violations()
    print(f"{CUTS} power cuts, {len(violations)} violations; lost and allowed, in ms: {sorted(place.losses)}; "
          f"told lost: {len(place.consumer.lost)}")
    assert not violations
    assert place.consumer.groups, "no run was without a connection"


def test_what_a_program_loses_that_does_not_sync_is_noticed(site, directory):
    source, library = os.path.join(directory, "liar.c"), os.path.join(directory, "liar.so")
    with open(source, "w") as file:
        file.write(LIAR)
    run("cc", "-shared", "-fPIC", "-o", library, source)
    place = site(2, {"LD_PRELOAD": library})
    # Data that nobody syncs stays in memory for half a minute.
    place.live_through_a_cut(8)
    assert place.violations()
