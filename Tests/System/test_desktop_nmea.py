"""The location as NMEA, from a socket of the service of the desktop."""

import os
import re
import signal
import socket
import sys
import time

import pytest

from tools.commands import run
from tools.descriptorstore import Service
from tools.desktopscene import TURNS, bus, scene, state  # noqa: F401  fixtures
from tools.ports import free_port
from tools.processes import processor_seconds
from tools.programs import PATIENCE, SENSORBROKER_DESKTOP, SENSORCTL
from tools.unixsockets import listening
from tools.users import ALICE, everybodys, let_everybody_in, needs_root
from tools.waiting import until


class NMEAService(Service):
    """The service of sensorbroker-nmea.socket, under a service manager that keeps its clients."""

    def __init__(self, directory, broker):
        os.mkdir(directory)
        super().__init__(directory)
        for _, listener in self.listening:
            listener.close()
        self.path = f"{directory}/nmea"
        self.listening = [("nmea", self.listen(self.path))]
        self.command = [SENSORBROKER_DESKTOP, "--nmea", "--socket", broker]


@pytest.fixture
def listen(bus, directory):
    """Starts the service at a socket, with the location of a daemon."""
    def begin(daemon, *prefix, path=f"{directory}/nmea", program=SENSORBROKER_DESKTOP):
        nmea = bus.program(*prefix, program, "--nmea", "--listen", path, environment={"SENSORBROKER_SOCKET": daemon.broker})
        until(lambda: listening(path), "the socket", lambda: nmea.lines)
        return nmea, path

    return begin


@pytest.fixture
def service(scene, closing, directory):
    """A daemon, and the service of the socket under a service manager."""
    daemon, _ = scene(TURNS)
    return daemon, closing(NMEAService(f"{directory}/service", daemon.broker)).start()


def test_nmea_is_served_only_while_somebody_reads_it(scene, bus, listen):
    daemon, _ = scene(TURNS)
    nmea, path = listen(daemon)
    assert state(daemon, "location") in ("idle", "warm")
    reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
    reader.until(lambda r: len(r.matches(r"^\$GPRMC,.*,A,4807\.03\d{4},N,01131\.\d{6},E,")) > 1, "positions")
    assert reader.matches(r"^\$GPGGA,.*,1,\d*,10\.0,5\d\d")
    reader.end()
    until(lambda: state(daemon, "location") != "active", "the receiver to be released")


def test_a_connection_outlives_the_service_and_the_broker(bus, start, directory, service):
    daemon, service = service
    reader = bus.program("socat", "-u", f"UNIX-CONNECT:{service.path}", "-")
    reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position")

    def more(what):
        count = len(reader.lines)
        reader.until(lambda r: len(r.lines) > count + 3, f"positions after {what}")

    service.restart()
    more("a restart of the service")
    service.restart(signal.SIGKILL)
    more("a crash of the service")
    daemon.stop()
    daemon = start(f"--mock={directory}/test.scenario")
    more("a restart of the broker")
    assert reader.process.poll() is None
    # No sentence was torn.
    assert not [line for line in reader.lines if not re.fullmatch(r"\$GP(GGA|RMC),.*\*[0-9A-F]{2}\r?", line)]


def test_a_client_that_sends_no_more_is_let_go_of_by_all(service):
    """As `socat -u` and `nc -N` do at the end of their input: the service manager that has the socket as well would not notice."""
    _, service = service
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(service.path)
        assert client.recv(1 << 16).startswith(b"$GP")
        client.shutdown(socket.SHUT_WR)
        while client.recv(1 << 16):
            pass
    service.wait_for(lambda: not service.stored, "an empty store")
    assert service.wait() == 0


def test_without_descriptors_it_waits_until_a_client_goes(scene, listen):
    daemon, _ = scene(TURNS)
    nmea, path = listen(daemon, "prlimit", "--nofile=14")
    clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    try:
        for client in clients:
            client.settimeout(PATIENCE)
            client.connect(path)
            # Before the others take the descriptor that the broker needs.
            if client is clients[0]:
                assert client.recv(1 << 16).startswith(b"$GP")
        before = processor_seconds(nmea.process.pid)
        time.sleep(2)
        assert processor_seconds(nmea.process.pid) - before < 1
        for client in clients[:15]:
            client.close()
        assert clients[-1].recv(1 << 16).startswith(b"$GP")
    finally:
        for client in clients:
            client.close()


def test_without_a_client_the_service_of_the_socket_ends(service):
    daemon, service = service
    assert service.wait() == 0 and state(daemon, "location") in ("idle", "warm")


@needs_root
def test_nmea_is_not_for_everybody(scene, bus, listen):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    _, path = listen(daemon)
    os.chmod(path, 0o666)
    stranger = bus.program("setpriv", "--reuid", str(ALICE), "--clear-groups", "socat", "-u", f"UNIX-CONNECT:{path}", "-")
    assert stranger.process.wait(PATIENCE) == 0
    assert stranger.lines == []


def test_a_client_that_reads_late_gets_the_positions_of_some_seconds(scene, bus, listen):
    daemon, _ = scene(TURNS, "--speed", "100")
    nmea, path = listen(daemon)
    with socket.socket(socket.AF_UNIX) as late:
        late.connect(path)
        reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
        reader.until(lambda r: len(r.lines) > 200, "the positions of minutes")
        unread = late.recv(1 << 20).decode().splitlines()
        assert all(re.fullmatch(r"\$GP(GGA|RMC),.*\*[0-9A-F]{2}", line) for line in unread) and 2 <= len(unread) <= 40, unread


# Connects without end, as another user.
STRANGER = """
import os, socket, sys
os.setgroups([])
os.setuid(int(sys.argv[2]))
while True:
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.setblocking(False)
        stranger.connect_ex(sys.argv[1])
"""


@needs_root
def test_a_stranger_who_connects_without_end_holds_up_nobody(scene, bus, listen):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    nmea, path = listen(daemon)
    os.chmod(path, 0o666)
    reader = bus.program("socat", "-u", f"UNIX-CONNECT:{path}", "-")
    reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position")
    stranger = bus.program(sys.executable, "-c", STRANGER, path, str(ALICE))
    until(lambda: processor_seconds(stranger.process.pid) > 1, "the stranger to be busy")
    count = len(reader.lines)
    reader.until(lambda r: len(r.lines) > count + 4, "positions meanwhile")
    nmea.process.terminate()
    assert nmea.process.wait(PATIENCE) == 0


@needs_root
def test_a_user_with_many_connections_leaves_some_to_others(scene, bus, directory, listen):
    daemon, _ = scene(TURNS)
    let_everybody_in(daemon)
    os.mkdir(f"{directory}/alice")
    os.chown(f"{directory}/alice", ALICE, ALICE)
    alice = ("setpriv", "--reuid", str(ALICE), "--clear-groups")
    nmea, path = listen(daemon, *alice, path=f"{directory}/alice/nmea", program=everybodys(SENSORBROKER_DESKTOP))
    many = [socket.socket(socket.AF_UNIX) for _ in range(70)]
    try:
        for one in many:
            one.settimeout(PATIENCE)
            one.connect(path)
        assert many[0].recv(1 << 16).startswith(b"$GP") and many[-1].recv(1 << 16) == b""
        nmea.until(lambda p: p.matches("user 0 has as many connections for NMEA as it may have: 32"), "a word about it")
        reader = bus.program(*alice, "socat", "-u", f"UNIX-CONNECT:{path}", "-")
        reader.until(lambda r: r.matches(r"^\$GPRMC.*,A,"), "a position of another user")
    finally:
        for one in many:
            one.close()


def test_a_program_that_reads_a_serial_port_has_the_location(scene, bus, directory):
    """gpsd stands for all of them: navit and gpsbabel read from such a port, foxtrotgps and viking from gpsd."""
    daemon, _ = scene(TURNS)
    port, number = f"{directory}/gps", str(free_port())
    pipe = bus.program("sh", "-c", f"{SENSORCTL} watch location@1s --format nmea | socat -u - PTY,link={port},rawer",
                       environment={"SENSORBROKER_SOCKET": daemon.broker})
    until(lambda: os.path.exists(port), "the port", lambda: pipe.lines)
    gpsd = bus.program("/usr/sbin/gpsd", "-N", "-n", "-S", number, port)
    until(lambda: run("gpspipe", "-w", "-n", "1", f"localhost:{number}").returncode == 0, "gpsd",
          lambda: gpsd.lines)
    watch = bus.program("stdbuf", "-oL", "gpspipe", "-w", f"localhost:{number}")
    watch.until(lambda w: len(w.matches(r'"class":"TPV".*"mode":3.*"lat":48\.117\d*,"lon":11\.516\d*')) > 2, "positions of gpsd")
