"""A name server that never answers keeps only the process of the connection. What follows from it is tested on virtual time (LinkTests)."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from tools.bridge import Bridge, children
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
