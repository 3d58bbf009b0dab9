"""Servers of MQTT that do harm: they end no program, neither the bridge nor a consumer.

Their bytes are read by libmosquitto in a process of the connection. That of Debian 12 aborts at properties that it does not know.
"""

import os
import signal
import subprocess

import pytest

from tools.bridge import Bridge, children
from tools.daemon import die_with_parent
from tools.hostilemqtt import HostileServer
from tools.programs import PATIENCE, SENSORBROKER_FLEET, SENSORBROKER_MQTT
from tools.scriptedmqtt import ScriptedServer, await_complete, scripted
from tools.waiting import until

# Connections of a bridge that is sent away wait ever longer.
LEAST_CONNECTIONS = 20


class Consumer:
    """sensorbroker-fleet as a process."""

    def __init__(self, directory, port, *words):
        self.log = open(f"{directory}/{words[0]}.log", "w+")
        self.process = subprocess.Popen([SENSORBROKER_FLEET, *words, "--server", f"mqtt://127.0.0.1:{port}"], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, preexec_fn=die_with_parent)

    def output(self):
        with open(self.log.name, errors="replace") as file:
            return file.read()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_a_server_sends_no_program_ends(closing, directory, daemon, seed):
    server = closing(HostileServer(seed))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}", readings=("accelerometer=10ms",),
                            others=("[Control]", "RemoteInterval=yes"))).start()
    consumers = [closing(Consumer(directory, server.port, *words)) for words in (("watch",), ("record", f"{directory}/drives"))]

    def all_have_met_it():
        assert bridge.process.poll() is None, bridge.output()
        assert all(consumer.process.poll() is None for consumer in consumers), [consumer.output() for consumer in consumers]
        bridge.manager.receive(0.1)
        return len(server.connections) >= LEAST_CONNECTIONS

    until(all_have_met_it, lambda: f"more than {len(server.connections)} connections")
    for consumer in consumers:
        consumer.process.terminate()
        assert consumer.process.wait(PATIENCE) == 0, consumer.output()
    bridge.stop()


def test_bytes_that_abort_the_library_are_logged_with_the_signal_and_nothing_is_lost(closing, directory, daemon):
    unknown = b"\x7f\x00"
    server = closing(ScriptedServer(properties=unknown))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}")).start()
    bridge.await_output("not connected to")
    server.properties = b""
    ledger = await_complete(server)
    assert not ledger.lost and ledger.count("location") > 0
    # Another library than Debian 12's may only end the connection.
    assert "ended the process of the connection (signal 6)" in bridge.output() or "signal" not in bridge.output()


def test_a_process_of_a_connection_that_is_killed_is_replaced_and_ends_with_its_program(closing, directory, daemon):
    server, bridge = scripted(closing, directory, daemon)
    await_complete(server)
    first, = children(bridge.process.pid)
    os.kill(first, signal.SIGKILL)
    until(lambda: children(bridge.process.pid) not in ([], [first]), "another process")
    assert not await_complete(server).lost
    assert "the process of the connection ended" in bridge.output()
    last, = children(bridge.process.pid)
    # It leaves signals that ask to end to its program.
    os.kill(last, signal.SIGTERM)
    os.kill(last, signal.SIGINT)
    await_complete(server)
    assert children(bridge.process.pid) == [last]
    bridge.process.kill()
    until(lambda: not os.path.exists(f"/proc/{last}"), "the process of the connection to end")


def test_a_program_that_hangs_does_not_look_alive(closing, directory, daemon):
    """The server would otherwise say that the host is online for as long as the hang lasts."""
    server, bridge = scripted(closing, directory, daemon)
    await_complete(server)
    bridge.process.send_signal(signal.SIGSTOP)
    until(lambda: not server.writers, "the connection to end")
    bridge.process.send_signal(signal.SIGCONT)
    assert not await_complete(server).lost


def test_the_process_of_a_connection_is_none_to_start_by_hand():
    for program in (SENSORBROKER_FLEET, SENSORBROKER_MQTT):
        result = subprocess.run([program, "--hold-connection"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        assert result.returncode == 64 and "starts itself again" in result.stderr
