"""TCP ports of this host."""

import errno
import random
import socket

# Below those of which the kernel gives one to whoever asks for any: nobody gets it by chance before it is used.
PORTS = range(10_000, 32_768)
DICE = random.SystemRandom()


def free_port():
    while True:
        port = DICE.choice(PORTS)
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


def listens(port):
    """Whether somebody accepts connections there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def waiting_connections(port):
    """How many connections wait to be accepted at a port. proc_net_tcp(5)"""
    with open("/proc/net/tcp") as file:
        for line in file:
            fields = line.split()
            if fields[1].endswith(f":{port:04X}") and fields[3] == "0A":
                return int(fields[4].split(":")[1], 16)
    raise AssertionError(f"nobody listens at {port}")
