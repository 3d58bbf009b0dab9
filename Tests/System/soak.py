"""Hundreds of clients of all kinds, and a random fault every few seconds, for any duration.

usage: soak.py MINUTES [SEED]

At the end the daemon must have as many descriptors, and no more memory, than at the beginning; each loss must have been
reported in its stream; and the log must not have more lines than there were faults. Exit status 0 if all of that is
true.
"""

import json
import os
import random
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from tools.administration import admin
from tools.daemon import Daemon, die_with_parent
from tools.ports import free_port
from tools.processes import resident_bytes
from tools.programs import ADMIN, BROKER, ROOT
from tools.stream import MILLISECOND, Stream
from tools.waiting import until
from tools.wire import Closed, Connection, call

SCALE = 0.009806650
PAUSE = 3.0
GREETING = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n'


class FakeGpsd:
    """A position five times a second, on a port that remains the same when it goes away and comes back."""

    def __init__(self):
        self.port = free_port()
        self.peers, self.is_talking, self.text = [], True, None
        self.open()
        threading.Thread(target=self.talk, daemon=True).start()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                peer, _ = listener.accept()
                peer.sendall(GREETING.encode())
            except OSError:
                return
            self.peers.append(peer)

    def talk(self):
        while True:
            time.sleep(0.2)
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() // MILLISECOND % 1000:03}Z"
            line = json.dumps({"class": "TPV", "device": "/dev/x", "mode": 3, "time": stamp, "lat": 50.5, "lon": 10.5})
            if self.is_talking:
                self.say(line.replace(" ", "") + "\r\n")

    def say(self, text):
        for peer in list(self.peers):
            try:
                peer.settimeout(1)
                peer.sendall(text.encode())
            except OSError:
                self.peers.remove(peer)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for peer in self.peers:
            peer.close()
        self.peers = []


class Listener(Stream):
    """A stream that keeps only its account, so that hours of it fit in memory."""

    # Replies within which a hole must have been reported.
    PATIENCE = 50

    def __init__(self, path, request, is_tap=False):
        self.request, self.is_tap, self.last, self.recent = request, is_tap, None, []
        self.holes, self.spans = [], []
        self.count, self.told, self.wakes = 0, 0, 0.0
        super().__init__(path, request)

    def note(self, reply):
        super().note(reply)
        self.recent = (self.recent + [str(reply)[:600]])[-5:]
        self.told += len(self.gaps)
        self.spans = (self.spans + [(gap["fromNanoseconds"], gap["untilNanoseconds"]) for gap in self.gaps])[-100:]
        for stamp, sequence, values in self.samples:
            self.take(stamp, sequence, round(values[2] / SCALE) if self.is_tap else None)
        self.count += len(self.samples)
        self.settle()
        for kept in (self.samples, self.came, self.readings, self.gaps, self.resources, self.states):
            kept.clear()
        return reply.get("parameters", {})

    def take(self, stamp, sequence, number):
        if self.last is not None:
            # Epochs that were read together after a stall have one stamp.
            came = (stamp, sequence)
            assert came > (self.last[0], self.last[2]), (
                f"came twice, to {self.request}: {self.last}, {came}; of late: {self.recent}")
            if self.is_tap and number != self.last[1] + 1:
                self.holes.append([self.last, (stamp, number, sequence), self.PATIENCE])
        self.last = (stamp, number, sequence)

    def settle(self):
        """Checks that each hole is covered by a gap, sent before it or soon after."""
        self.holes = [hole for hole in self.holes if not any(
            start <= hole[1][0] and hole[0][0] <= end for start, end in self.spans)]
        for hole in self.holes:
            hole[2] -= 1
            assert hole[2] > 0, f"lost in silence, between {hole[0]} and {hole[1]}; gaps: {self.spans[-5:]}"


class Crowd:
    """Well-behaved clients, and clients that sleep now and then; all read by one thread."""

    def __init__(self, daemon, dice, count):
        self.daemon, self.dice, self.count = daemon, dice, count
        self.selector, self.listeners, self.sleeping = selectors.DefaultSelector(), [], []
        self.failure, self.is_over = None, False
        self.lock = threading.Lock()
        for _ in range(count):
            self.join()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def join(self):
        kind = self.dice.random()
        if kind < 0.03:
            request, is_tap = {"resource": "accelerometer", "intervalNanoseconds": 0}, True
        elif kind < 0.2:
            request, is_tap = {"resource": "location", "intervalNanoseconds": self.dice.choice((0, 200, 1000)) * MILLISECOND}, False
        else:
            interval = self.dice.choice((10, 20, 50, 100, 333, 500, 1000)) * MILLISECOND
            request, is_tap = {"resource": "accelerometer", "intervalNanoseconds": interval}, False
            if self.dice.random() < 0.2:
                request["batchNanoseconds"] = 5 * interval
            if self.dice.random() < 0.1:
                request["filter"] = "mean"
        listener = Listener(self.daemon.broker, request, is_tap)
        with self.lock:
            self.listeners.append(listener)
            self.selector.register(listener, selectors.EVENT_READ, listener)

    def leave(self, listener):
        with self.lock:
            if listener in self.listeners:
                self.listeners.remove(listener)
                if listener not in self.sleeping:
                    self.selector.unregister(listener)
                else:
                    self.sleeping.remove(listener)
                listener.close()

    def sleep(self, listener, seconds):
        with self.lock:
            if listener in self.listeners and listener not in self.sleeping:
                self.selector.unregister(listener)
                listener.wakes = time.monotonic() + seconds
                self.sleeping.append(listener)

    def read(self):
        try:
            while not self.is_over:
                self.wake()
                for key, _ in self.selector.select(0.1):
                    with self.lock:
                        if key.data not in self.listeners or key.data in self.sleeping:
                            continue
                        try:
                            key.data.note_some()
                        except Closed:
                            pass
                        else:
                            continue
                    # Ended by an administrator, or because it slept too long.
                    self.leave(key.data)
        except BaseException as error:
            self.failure = error

    def wake(self):
        with self.lock:
            for listener in [one for one in self.sleeping if time.monotonic() >= one.wakes]:
                self.sleeping.remove(listener)
                self.selector.register(listener, selectors.EVENT_READ, listener)

    def end(self):
        self.is_over = True
        self.thread.join()
        for listener in list(self.listeners):
            self.leave(listener)
        if self.failure:
            raise self.failure


class Faults:
    """The possible faults; each has ended when its method returns, except for the clients' reactions."""

    def __init__(self, daemon, crowd, dice, gpsd, iiod):
        self.daemon, self.crowd, self.dice, self.gpsd, self.iiod = daemon, crowd, dice, gpsd, iiod
        self.kinds = [name for name in dir(self) if name.startswith("fault_")]
        self.counts = dict.fromkeys(self.kinds, 0)

    def happen(self):
        kind = self.dice.choice(self.kinds)
        self.counts[kind] += 1
        getattr(self, kind)()

    def tell(self, command):
        print(command, file=self.iiod.stdin, flush=True)
        self.iiod.stdout.readline()

    def fault_sensor_unplugged(self):
        self.tell("unplug")
        time.sleep(self.dice.random() * 2)
        self.tell("plug")

    def fault_sensor_stalls(self):
        self.tell("stall")
        time.sleep(self.dice.random() * 3)
        self.tell("resume")

    def fault_connections_to_the_sensor_break(self):
        self.tell(self.dice.choice(("drop", "cut")))

    def fault_samples_are_lost(self):
        self.tell(f"lose {self.dice.randrange(1, 50)}")

    def fault_gpsd_starts_anew(self):
        self.gpsd.close()
        time.sleep(self.dice.random() * 2)
        self.gpsd.open()

    def fault_gpsd_is_silent(self):
        self.gpsd.is_talking = False
        time.sleep(self.dice.random() * 3)
        self.gpsd.is_talking = True

    def fault_gpsd_sends_garbage(self):
        self.gpsd.say(self.dice.choice(("{" * 3000 + "\n", "x" * 70_000 + "\n", '{"class":"TPV","lat":1e400}\n', "\0\xff\n")))

    def fault_host_stalls(self):
        self.daemon.send_signal(signal.SIGSTOP)
        time.sleep(self.dice.random())
        self.daemon.send_signal(signal.SIGCONT)

    def fault_reload(self):
        self.daemon.send_signal(signal.SIGHUP)

    def fault_release(self):
        scope = self.dice.choice(({"all": True}, {"resource": "accelerometer"}, {"kind": "location"}))
        admin(self.daemon, "Release", **scope)
        admin(self.daemon, "Reacquire", all=True)

    def fault_clients_sleep(self):
        for listener in self.dice.sample(self.crowd.listeners, 20):
            self.crowd.sleep(listener, self.dice.random() * 10)

    def fault_clients_vanish(self):
        for listener in self.dice.sample(self.crowd.listeners, 20):
            self.crowd.leave(listener)

    def fault_administrator_disconnects(self):
        clients = [one["id"] for one in admin(self.daemon, "GetStatus")["clients"] if one.get("subscription")]
        for number in self.dice.sample(clients, 5):
            admin(self.daemon, "DisconnectClient", id=number)

    def fault_nonsense(self):
        for _ in range(50):
            with Connection(self.daemon.broker) as client:
                client.socket.sendall(self.dice.randbytes(self.dice.randrange(1, 300)).replace(b"\0", b"") + b"\0")

    def fault_calls_are_not_finished(self):
        halves = [Connection(self.daemon.broker) for _ in range(20)]
        for half in halves:
            half.socket.sendall(b'{"method":"x' * 500)
        time.sleep(0.5)
        for half in halves:
            half.close()

    def fault_flood_of_calls(self):
        with Connection(self.daemon.broker) as flood:
            flood.socket.settimeout(0.5)
            try:
                for _ in range(50):
                    flood.send(*[call(f"{BROKER}.ListResources")] * 100)
            except TimeoutError:
                pass

    def fault_churn(self):
        for _ in range(3000):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(self.daemon.broker)

    def fault_many_modifies(self):
        listener = self.dice.choice(self.crowd.listeners)
        if listener.is_tap:
            return
        with Connection(self.daemon.broker) as second:
            for _ in range(50):
                second.call(f"{BROKER}.Modify", {"subscription": listener.subscription, "requests": [
                    {"resource": next(iter(listener.grants)), "intervalNanoseconds": self.dice.randrange(10, 500) * MILLISECOND}]})

    def fault_no_descriptors_left(self):
        used = len(os.listdir(f"/proc/{self.daemon.pid}/fd"))
        former = resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE, (used + 3, former[1]))
        crowd = [Connection(self.daemon.broker) for _ in range(20)]
        time.sleep(1)
        resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE, former)
        for connection in crowd:
            connection.close()

    def fault_reads_give_up(self):
        for _ in range(20):
            with Connection(self.daemon.broker) as reader:
                reader.send(call(f"{BROKER}.Read", {"resource": self.dice.choice(("location", "accelerometer"))}))


def usage(daemon):
    """Descriptors and resident bytes."""
    return len(os.listdir(f"/proc/{daemon.pid}/fd")), resident_bytes(daemon.pid)


def soak(daemon, minutes, dice, gpsd, iiod):
    alone = usage(daemon)[0]
    crowd = Crowd(daemon, dice, 300)
    faults = Faults(daemon, crowd, dice, gpsd, iiod)
    # After a while with all clients, memory has reached its final size.
    time.sleep(min(10, minutes * 12))
    size = usage(daemon)[1]
    deadline = time.monotonic() + minutes * 60
    happened, minute = 0, time.monotonic() + 60
    while time.monotonic() < deadline and not crowd.failure:
        faults.happen()
        happened += 1
        while len(crowd.listeners) < crowd.count and not crowd.failure:
            crowd.join()
        assert daemon.process.poll() is None, f"the daemon ended: {daemon.output()}"
        time.sleep(dice.random() * PAUSE)
        if time.monotonic() > minute:
            minute += 60
            print("%d descriptors, %d KiB" % (usage(daemon)[0], usage(daemon)[1] / 1024), flush=True)
    delivered, told = (sum(getattr(one, name) for one in crowd.listeners) for name in ("count", "told"))
    crowd.end()
    with Connection(daemon.admin) as status:
        until(lambda: len(status.result(f"{ADMIN}.GetStatus")["clients"]) == 1, "all clients to be gone")
        until(lambda: all(one["state"] != "warm" for one in status.result(f"{ADMIN}.GetStatus")["devices"]),
              "the devices to be closed")
    grown = usage(daemon)[1] - size
    lines = [line for line in daemon.output().splitlines() if "serving " not in line]
    print(f"{happened} faults, {delivered} readings and {told} gaps of those who are left, "
          f"{grown / 1024:+.0f} KiB, {len(lines)} lines")
    print("  " + ", ".join(f"{name[6:].replace('_', ' ')} {count}" for name, count in faults.counts.items() if count))
    until(lambda: usage(daemon)[0] <= alone, f"{alone} descriptors instead of {usage(daemon)[0]}")
    assert grown < max(2 << 20, int(minutes * 10 * 1024)), f"{grown} bytes more"
    assert len(lines) <= happened, "\n".join(lines)
    daemon.stop()


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    print(f"seed {seed}, {minutes:g} minutes", flush=True)
    port = free_port()
    gpsd = FakeGpsd()
    iiod = subprocess.Popen([sys.executable, ROOT / "Tests/Support/fakeiiod.py", "--port", str(port), "--hz", "100"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    iiod.stdout.readline()
    with tempfile.TemporaryDirectory(prefix="sb-") as directory:
        daemon = Daemon(directory, "--gpsd", f"127.0.0.1:{gpsd.port}", "--iio", f"ip:127.0.0.1:{port}").await_ready()
        try:
            soak(daemon, minutes, random.Random(seed), gpsd, iiod)
        except BaseException:
            print(f"the daemon said:\n{daemon.output()[-4000:]}")
            raise
        finally:
            daemon.close()
            iiod.kill()


if __name__ == "__main__":
    main()
