"""A program as a sensor of an installed host: who may connect, who may provide what, and a restart of the service."""

import os
import subprocess

import pytest

from host import CONFIGURATION, SERVICE, attempt, configure, eventually, identity, owner, run

ARM = "accelerometer:arm"
FEED_SOCKET = "/run/sensorbroker/io.sensorbroker.Feed"
LINES = "while echo 1.5,-2,9.75; do sleep 0.02; done"


@pytest.fixture
def configured(broker):
    """bob may provide one resource; he may connect for that, and read nothing."""
    run("usermod", "-aG", "sensorbroker-feed", "bob")
    configure(f"[Feed {ARM}]\nUsers=bob\nMaxRate=200\n")
    run("systemctl", "restart", SERVICE)
    yield
    os.remove(CONFIGURATION)
    run("systemctl", "restart", SERVICE)
    run("gpasswd", "-d", "bob", "sensorbroker-feed")


def test_only_who_may_provide_can_connect(broker):
    assert owner(FEED_SOCKET) == ("0o660", "root", "sensorbroker-feed")
    result = attempt("sensorctl", "feed", "accelerometer", "--name", ARM, user="bob")
    assert result.returncode == 77 and "sensorbroker-feed" in result.stderr


def test_a_user_provides_what_the_settings_say(configured):
    refused = attempt("sensorctl", "feed", "gyroscope", "--name", "gyroscope:arm", user="bob")
    assert refused.returncode != 0 and "[Feed gyroscope:arm]" in refused.stderr
    lines = subprocess.Popen(["sh", "-c", LINES], stdout=subprocess.PIPE)
    feed = subprocess.Popen(["sensorctl", "feed", "accelerometer", "--name", ARM], stdin=lines.stdout, **identity("bob"))
    try:
        read = "sensorctl", "get", ARM, "--format", "json"
        eventually(lambda: attempt(*read, user="alice").returncode == 0, "alice reads what bob provides")
        assert '"z":[9.75]' in run(*read, user="alice")
        # The program connects again.
        run("systemctl", "restart", SERVICE)
        eventually(lambda: attempt(*read, user="alice").returncode == 0, "it is provided again")
        assert feed.poll() is None
    finally:
        for process in (feed, lines):
            process.kill()
            process.wait()
