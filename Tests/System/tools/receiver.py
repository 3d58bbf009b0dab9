"""A real gpsd on a pseudo-terminal with a simulated receiver at its other end, and a watcher that logs gpsd's
reports."""

import contextlib
import datetime
import json
import os
import pty
import socket
import subprocess
import threading
import time
import tty

from tools.daemon import die_with_parent
from tools.ports import free_port, listens
from tools.waiting import until

GPSD = "/usr/sbin/gpsd"


class Receiver:
    """Writes an epoch per interval to a pseudo-terminal, whether anybody reads or not, as hardware does."""

    def __init__(self, epochs, interval, node=None):
        """A node is a name that stays the same from one plug to the next, as udev's do."""
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self.slave)
        # gpsd opens it as its own user.
        os.chmod(self.path, 0o666)
        self.node = node
        if node:
            os.symlink(self.path, node)
            self.path = str(node)
        self.epochs, self.interval = iter(epochs), interval
        self.talking, self.done, self.end = threading.Event(), threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.talk, daemon=True)
        self.thread.start()

    def talk(self):
        due = time.monotonic()
        text = next(self.epochs, None)
        while text is not None and not self.end.is_set():
            if not self.talking.wait(0.1):
                due = time.monotonic()
                continue
            self.say(text.encode(), due)
            text = next(self.epochs, None)
            if text is None:
                self.done.set()
            # On a busy host it slips, since hardware never sends two epochs at once: gpsd would take them for one.
            due = max(due + self.interval, time.monotonic())
            self.end.wait(max(0, due - time.monotonic()))

    def say(self, text, due):
        """Writes sentence by sentence over half the interval, as over a serial line."""
        sentences = text.splitlines(keepends=True)
        for index, words in enumerate(sentences):
            self.end.wait(max(0, due + self.interval / 2 * index / len(sentences) - time.monotonic()))
            try:
                os.write(self.master, words)
            except OSError:
                # Nobody reads, or it is unplugged: the bytes are lost, as on a wire.
                return

    def unplug(self):
        """Removes the receiver: a process that has the terminal open sees a hangup."""
        self.end.set()
        self.thread.join()
        if self.node and os.path.islink(self.node):
            os.unlink(self.node)
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1

    close = unplug


class Gpsd:
    def __init__(self, directory, *receivers, options=("-n",)):
        """With -n it opens its receivers at once, without only while somebody watches them."""
        self.options = options
        self.paths = [receiver.path for receiver in receivers]
        self.directory, self.port = directory, free_port()
        self.process = None
        self.start()

    def start(self):
        """Starts gpsd, again on the same port, and waits until it accepts connections."""
        self.process = subprocess.Popen(
            [GPSD, "-N", *self.options, "-b", "-S", str(self.port), "-F", f"{self.directory}/gpsd.sock", *self.paths],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
        until(lambda: self.process.poll() is not None or listens(self.port), "gpsd to listen")
        assert self.process.poll() is None, f"gpsd ended with {self.process.returncode}"

    def announce(self, word, receiver):
        """Sends + or - and a path to its control socket, as udev's rules do through gpsdctl."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(f"{self.directory}/gpsd.sock")
            control.sendall(f"{word}{receiver.path}\r\n".encode())
            control.shutdown(socket.SHUT_WR)
            return control.recv(100)

    def kill(self):
        self.process.kill()
        self.process.wait()

    close = kill


class Watcher:
    """Logs gpsd's own reports, of all receivers or of one: for each time of a fix, its TPVs in order."""

    def __init__(self, port, path=None):
        self.path = path
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(b'?WATCH={"enable":true,"json":true};\n')
        self.fixes, self.timeless = {}, []
        self.has_device = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        # A gpsd that is killed ends the connection in either way.
        with contextlib.suppress(ConnectionResetError), self.socket.makefile() as lines:
            for line in lines:
                self.note(json.loads(line))

    def note(self, report):
        devices = report.get("devices", []) if report["class"] == "DEVICES" else [report]
        if report["class"] in ("DEVICES", "DEVICE") and any("activated" in device for device in devices):
            self.has_device.set()
        if report["class"] == "TPV" and self.path in (None, report.get("device")):
            if "time" in report:
                self.fixes.setdefault(microseconds(report["time"]), []).append(report)
            else:
                self.timeless.append(report)

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()


def microseconds(text):
    """gpsd's time in the unit of the interface."""
    instant = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (instant - datetime.datetime.fromtimestamp(0, datetime.timezone.utc)) // datetime.timedelta(microseconds=1)
