"""Clients that mean no good, as a user with no rights of its own; goes on until it is ended, then says how much
it has done a second: it gives way to whoever is measured.

usage: attack.py HOW COUNT PATH [USER]
  crowd    COUNT clients connect and stay         dribble  COUNT clients send a call, a byte each 10 ms
  flood    COUNT clients call without end         churn    COUNT connects a second, which leave at once
"""

import os
import resource
import signal
import socket
import sys
import time

CALL = b'{"method":"io.sensorbroker.Broker.ListResources"}\0'

done = 0


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.setblocking(False)
    try:
        client.connect(path)
    except BlockingIOError:
        # More wait already than the kernel keeps.
        pass
    return client


def began():
    """What is done from now on counts."""
    def end(*_):
        print(done / (time.monotonic() - at), flush=True)
        os._exit(0)

    at = time.monotonic()
    signal.signal(signal.SIGTERM, end)
    print("ready", flush=True)


def drain(client):
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


def each(seconds):
    """Turns at a pace; late ones are not made up for."""
    due = time.monotonic()
    while True:
        yield
        due = max(due + seconds, time.monotonic() - seconds)
        time.sleep(max(0, due - time.monotonic()))


def crowd(count, path):
    clients = [connect(path) for _ in range(count)]
    began()
    for _ in each(1):
        assert clients


def dribble(count, path):
    global done
    clients = [connect(path) for _ in range(count)]
    began()
    for turn, _ in enumerate(each(0.01)):
        place = turn % len(CALL)
        for client in clients:
            if place == 0:
                drain(client)
            done += client.send(CALL[place:place + 1])


def flood(count, path):
    global done
    clients = [connect(path) for _ in range(count)]
    began()
    while True:
        for client in clients:
            try:
                done += client.send(CALL * 100) // len(CALL)
            except BlockingIOError:
                pass
            drain(client)


def churn(count, path):
    global done
    began()
    for turn, _ in enumerate(each(0.01)):
        for _ in range(count // 100):
            client = connect(path)
            if turn % 3 == 0:
                try:
                    client.send(CALL)
                except OSError:
                    pass
            client.close()
            done += 1


def main():
    how, count, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if len(sys.argv) > 4:
        os.setgroups([])
        os.setgid(int(sys.argv[4]))
        os.setuid(int(sys.argv[4]))
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    {"crowd": crowd, "dribble": dribble, "flood": flood, "churn": churn}[how](count, path)


main()
