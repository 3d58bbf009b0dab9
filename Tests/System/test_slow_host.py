"""A host whose user database answers late, as one on another host does: a reload waits for it, and nothing else
does."""

import os
import select
import shutil
import signal

import pytest

from tools.commands import must
from tools.programs import ADMIN
from tools.stream import Stream, boot_nanoseconds
from tools.wire import Connection, call

# The first lookup of a group that begins with slow- waits until somebody has opened a pipe for writing and closed it.
SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void await(const char *name) {
    static char last[64];
    char byte;
    if (strncmp(name, "slow-", 5) || !strcmp(name, last)) return;
    strncpy(last, name, sizeof last - 1);
    int pipe = open(getenv("SLOW_PIPE"), O_RDONLY);
    while (read(pipe, &byte, 1) > 0);
    close(pipe);
}
struct group *getgrnam(const char *name) {
    await(name);
    return ((struct group *(*)(const char *))dlsym(RTLD_NEXT, "getgrnam"))(name);
}
int getgrnam_r(const char *name, struct group *entry, char *texts, size_t size, struct group **found) {
    await(name);
    return ((int (*)(const char *, struct group *, char *, size_t, struct group **))dlsym(RTLD_NEXT, "getgrnam_r"))(
        name, entry, texts, size, found);
}
"""


@pytest.fixture
def slow(tmp_path):
    """The environment of a program for which the user database is slow, and the pipe that releases it."""
    compiler = shutil.which("cc") or shutil.which("clang")
    assert compiler, "no C compiler: this test needs one"
    source, library, pipe = tmp_path / "slow.c", tmp_path / "slow.so", tmp_path / "pipe"
    source.write_text(SLOW)
    must(compiler, "-shared", "-fPIC", "-o", library, source, "-ldl")
    os.mkfifo(pipe)
    return {"LD_PRELOAD": str(library), "SLOW_PIPE": str(pipe)}, pipe


def configure(file, group):
    file.write_text(f"[Location]\nGroups={group}\n")


def goes_on(stream):
    """Waits for readings that were measured after this moment."""
    now = boot_nanoseconds()
    stream.until(lambda s: sum(stamp > now for stamp, _, _ in s.samples[-60:]) >= 50, "readings, while the reload waits")


def test_a_reload_that_waits_for_the_host_delays_nobody(start, tmp_path, slow):
    environment, pipe = slow
    file = tmp_path / "sensorbrokerd.conf"
    file.write_text("")
    daemon = start("--mock", "--config", file, environment=environment)
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}) as stream, \
            Connection(daemon.admin) as first, Connection(daemon.admin) as second, Connection(daemon.admin) as other:
        stream.until(lambda s: s.samples, "a reading")
        configure(file, "slow-one")
        first.send(call(f"{ADMIN}.Reload"))
        # Opened only after the other end.
        with open(pipe, "wb"):
            goes_on(stream)
            # A caller that asks now expects the file as it is now.
            configure(file, "slow-two")
            second.send(call(f"{ADMIN}.Reload"))
            assert other.result(f"{ADMIN}.GetStatus")["processId"] == daemon.pid
            assert not select.select([first, second], [], [], 0)[0], "answered before the host was"
        assert "slow-one" in str(first.receive())
        with open(pipe, "wb"):
            goes_on(stream)
        assert "slow-two" in str(second.receive())
        assert not stream.losses
        file.write_text("")
        assert "error" not in first.call(f"{ADMIN}.Reload")
    # It ends properly, whatever a reload waits for.
    configure(file, "slow-three")
    daemon.send_signal(signal.SIGHUP)
    with open(pipe, "wb"):
        daemon.stop()
