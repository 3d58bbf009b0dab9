"""A name server that never answers keeps only the process of the connection. What follows from it is tested on virtual time (LinkTests).
Of a name with several addresses, one that never answers keeps nobody from the others."""

import os
import shutil
import socket
import subprocess
import sys
import textwrap

import pytest

from tools.bridge import Bridge, children
from tools.scriptedmqtt import ScriptedServer, await_complete
from tools.waiting import until

# In mounts of its own: names come only from a server at a port that is open and never read. The descriptor
# of that port is passed on to the bridge, which does not know of it.
SILENCE = textwrap.dedent("""\
    import os, socket, subprocess, sys
    for name in ("resolv.conf", "nsswitch.conf"):
        subprocess.run(["mount", "--bind", f"{sys.argv[1]}/{name}", f"/etc/{name}"], check=True)
    port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    port.bind(("127.0.0.66", 53))
    os.set_inheritable(port.fileno(), True)
    os.execvp(sys.argv[2], sys.argv[2:])
    """)


def may_unshare():
    return os.getuid() == 0 and shutil.which("unshare") and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@pytest.fixture
def silence(tmp_path):
    if not may_unshare():
        pytest.skip("NOT RUN: a silent name server needs mounts of its own, and port 53")
    (tmp_path / "silence.py").write_text(SILENCE)
    # Twenty minutes for a name: longer than any test.
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.66\noptions timeout:30 attempts:5\nsearch a.example b.example c.example\n")
    (tmp_path / "nsswitch.conf").write_text("hosts: dns\npasswd: files\ngroup: files\n")
    return ("unshare", "-m", sys.executable, str(tmp_path / "silence.py"), str(tmp_path))


def spooled(bridge):
    return sum(entry.stat().st_size for entry in os.scandir(bridge.spool))


def test_a_silent_name_server_blocks_only_the_process_of_the_connection(closing, directory, daemon, silence):
    bridge = closing(Bridge(directory, daemon.broker, "mqtt://broker.fleet.example", prefix=silence, readings=("location=10ms",),
                            spool=("SyncSec=200ms",))).start()
    until(lambda: children(bridge.process.pid), "a process of the connection")
    size = spooled(bridge)
    until(lambda: spooled(bridge) > size + 4_000, "the spool to go on")
    # The end does not wait for it: it would take minutes more, and the test's patience is shorter.
    last, = children(bridge.process.pid)
    bridge.stop()
    until(lambda: not os.path.exists(f"/proc/{last}"), "its end")


@pytest.fixture
def unanswered(closing):
    """The address that the resolver puts first, at which no connection is answered, and a server at another one; their port."""
    server = closing(ScriptedServer(address="127.0.0.2"))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", server.port))
        listener.listen(0)
        # It accepts none of these, and what comes when it is full is dropped.
        waiting = [closing(socket.socket()) for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", server.port))
        yield server


@pytest.mark.skipif(not may_unshare(), reason="NOT RUN: names of its own need mounts of its own")
def test_an_address_that_does_not_answer_keeps_nobody_from_the_next(closing, directory, daemon, unanswered, tmp_path):
    (tmp_path / "hosts").write_text("127.0.0.1 broker.fleet.example\n127.0.0.2 broker.fleet.example\n")
    prefix = ("unshare", "-m", "sh", "-c", f'mount --bind {tmp_path}/hosts /etc/hosts && exec "$@"', "sh")
    closing(Bridge(directory, daemon.broker, f"mqtt://broker.fleet.example:{unanswered.port}", prefix=prefix)).start()
    assert not await_complete(unanswered).lost
