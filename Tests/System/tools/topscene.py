"""Daemons for sensorctl top to show, with clients, and what it shows of them."""

import contextlib
import json
import select
import socket
import subprocess
import sys
import threading

import pytest

from tools.daemon import die_with_parent
from tools.programs import BROKER


@pytest.fixture
def phone(start):
    return start("--mock=phone")


def row(text, name):
    """The row of a resource or client."""
    return next((line for line in text.splitlines() if line.startswith(name)), "")


def subscribe(daemon, resource="accelerometer", milliseconds=20, **options):
    client = socket.socket(socket.AF_UNIX)
    client.connect(daemon.broker)
    request = {"resource": resource, "intervalNanoseconds": milliseconds * 1_000_000, **options}
    call = {"method": f"{BROKER}.Subscribe", "parameters": {"requests": [request]}, "more": True}
    client.sendall(json.dumps(call).encode() + b"\0")
    return client


@contextlib.contextmanager
def reading(clients):
    """Reads what the clients get; the place of each one whose connection has ended is in the list."""
    ended, over = [], threading.Event()

    def read():
        rest = list(clients)
        while rest and not over.is_set():
            for client in select.select(rest, [], [], 0.1)[0]:
                if not client.recv(1 << 16):
                    ended.append(clients.index(client))
                    rest.remove(client)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield ended
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def process(name, daemon, code="import time\nwhile True: time.sleep(100)"):
    """A client in a process of its own with any name."""
    program = (
        "import ctypes, json, socket, sys\n"
        f"ctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)\n"
        f"client = socket.socket(socket.AF_UNIX); client.connect({daemon.broker!r})\n"
        f"call = dict(method='{BROKER}.Subscribe', more=True, parameters=dict(requests=[dict(resource='accelerometer')]))\n"
        "client.sendall(json.dumps(call).encode() + b'\\0')\n"
        "print(client.recv(1) and 'there', flush=True)\n" + code)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    try:
        assert child.stdout.readline() == "there\n"
        yield child
    finally:
        child.kill()
        child.wait()
