"""Access: which sensors a client may read, and how fast, by the groups that the kernel reports."""

import os
import sys

import pytest

from tools.administration import admin
from tools.commands import run, start as start_program
from tools.programs import ADMIN, BROKER, ROOT
from tools.stream import MILLISECOND, Stream
from tools.users import ALICE, as_user, let_everybody_in, needs_root
from tools.wire import Connection

FAST = {"resource": "accelerometer", "intervalNanoseconds": MILLISECOND}
TAP = {"resource": "accelerometer", "intervalNanoseconds": 0}
LOCATION = {"resource": "location"}
DENIED = ("org.varlink.service.PermissionDenied", {})
SURVEYORS, MOVERS, RUNNERS = 61010, 61011, 61012

pytestmark = needs_root


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sensorbrokerd.conf"
    path.write_text(f"[Location]\nGroups={SURVEYORS}\n[Accelerometer]\nGroups={MOVERS}\nFastGroups={RUNNERS}\n")
    return path


@pytest.fixture
def guarded(start, file):
    daemon = start("--mock", "--config", file)
    let_everybody_in(daemon)
    return daemon


def listed(connection):
    return {item["name"]: item for item in connection.result(f"{BROKER}.ListResources")["resources"]}


def connect(daemon, *groups):
    with as_user(ALICE, groups):
        return Connection(daemon.broker)


def stream(daemon, groups, *requests):
    with as_user(ALICE, groups):
        return Stream(daemon.broker, *requests)


@pytest.mark.parametrize("groups, names", [
    ([], set()), ([SURVEYORS], {"location"}), ([MOVERS], {"accelerometer", "orientation", "tilt"}),
    ([RUNNERS], set()), ([SURVEYORS, MOVERS], {"location", "accelerometer", "orientation", "tilt"}),
    ([*range(62000, 62300), MOVERS], {"accelerometer", "orientation", "tilt"}),
], ids=["none", "one", "other", "unrelated", "both", "hundreds"])
def test_a_client_sees_and_reads_what_its_groups_may_read(guarded, groups, names):
    with connect(guarded, *groups) as client:
        assert set(listed(client)) == names
        for name in ("location", "accelerometer", "orientation", "tilt"):
            request = {"resource": name}
            if name in names:
                with stream(guarded, groups, request) as mine:
                    assert mine.first["resources"][0]["name"] == name
            else:
                assert client.error(f"{BROKER}.Read", {"resource": name}) == DENIED
                assert client.error(f"{BROKER}.Subscribe", {"requests": [request]}, more=True) == DENIED
                # Nor in another way: through a stream of another resource.
                if names:
                    with stream(guarded, groups, {"resource": sorted(names)[0]}) as mine:
                        assert client.error(
                            f"{BROKER}.Modify", {"subscription": mine.subscription, "requests": [request]}) == DENIED


def test_the_primary_group_counts(guarded):
    with as_user(SURVEYORS):
        assert set(listed(Connection(guarded.broker))) == {"location"}


def test_root_reads_everything(guarded):
    with Connection(guarded.broker) as client:
        assert set(listed(client)) == {"location", "accelerometer", "orientation", "tilt"}
        assert listed(client)["accelerometer"]["minimumIntervalNanoseconds"] < 5 * MILLISECOND


def test_a_watched_list_has_only_readable_resources(guarded):
    with as_user(ALICE, [SURVEYORS]):
        watcher = Connection(guarded.broker)
    first = watcher.result(f"{BROKER}.ListResources", more=True)
    assert [item["name"] for item in first["resources"]] == ["location"]
    with Stream(guarded.broker, TAP, LOCATION):
        seen = watcher.receive()["parameters"]["resources"]
        assert [item["name"] for item in seen] == ["location"]


class TestRate:
    def test_other_users_are_granted_200_hertz_and_the_grant_says_so(self, guarded):
        assert listed(connect(guarded, MOVERS))["accelerometer"]["minimumIntervalNanoseconds"] == 5 * MILLISECOND
        with Stream(guarded.broker, FAST) as driving, stream(guarded, [MOVERS], FAST) as slow, \
                stream(guarded, [MOVERS], TAP) as tap, stream(guarded, [MOVERS, RUNNERS], FAST) as fast:
            assert fast.grants["accelerometer"]["intervalNanoseconds"] == MILLISECOND
            for one in (slow, tap):
                assert one.grants["accelerometer"]["intervalNanoseconds"] == 5 * MILLISECOND
                # While the device runs at 1,000 Hz for others.
                one.until(lambda s: len(s.samples) >= 60, "readings")
                stamps = [stamp for stamp, _, _ in one.samples[10:]]
                assert stamps[-1] - stamps[0] >= (len(stamps) - 1) * 5 * MILLISECOND * 0.95
            assert driving.grants

    def test_a_stream_keeps_its_owners_rights_whoever_changes_it(self, guarded):
        """Root changes the stream of another user."""
        with stream(guarded, [MOVERS], {"resource": "accelerometer"}) as mine, Connection(guarded.broker) as root:
            told = root.result(f"{BROKER}.Modify", {"subscription": mine.subscription, "requests": [FAST]})
            assert told["grants"][0]["intervalNanoseconds"] == 5 * MILLISECOND
            assert root.error(
                f"{BROKER}.Modify", {"subscription": mine.subscription, "requests": [LOCATION]}) == DENIED


class TestReload:
    def test_a_stream_ends_with_a_reason_when_its_right_is_removed(self, guarded, file):
        with stream(guarded, [SURVEYORS], LOCATION) as ends, stream(guarded, [MOVERS], TAP) as goes_on, \
                Stream(guarded.broker, LOCATION) as roots:
            goes_on.until(lambda s: s.samples, "a reading")
            file.write_text(f"[Location]\nGroups={RUNNERS}\n")
            admin(guarded, "Reload")
            assert ends.read_to_end() == "permissionDenied"
            for one in (goes_on, roots):
                seen = len(one.samples)
                one.until(lambda s: len(s.samples) > seen + 1, "readings")

    def test_fast_streams_become_slow_ones_and_fast_again(self, guarded, file):
        with stream(guarded, [MOVERS], FAST) as mine:
            grant = mine.grants["accelerometer"]["intervalNanoseconds"]
            for text, wanted in [(f"FastGroups={MOVERS}", 1), ("", 5)]:
                assert grant != wanted * MILLISECOND
                file.write_text(f"[Accelerometer]\n{text}\n")
                admin(guarded, "Reload")
                while grant != wanted * MILLISECOND:
                    for item in mine.receive().get("grants", []):
                        grant = item["intervalNanoseconds"]


def test_only_root_and_the_daemons_user_may_make_admin_calls(guarded):
    os.chmod(guarded.admin, 0o666)
    with as_user(ALICE, [0, SURVEYORS, MOVERS]):
        assert Connection(guarded.admin).receive()["error"] == DENIED[0]
    with Connection(guarded.admin) as root:
        assert root.result(f"{ADMIN}.GetStatus")["clients"]


def test_who_cannot_be_identified_is_not_taken_for_the_daemons_user(start, file):
    """As in a container that runs it as nobody, which is also what all users are who are not in the container's namespace."""
    container = ["unshare", "--user", "--map-user=65534", "--map-group=65534"]
    if run(*container, "true").returncode:
        pytest.skip("NOT RUN: no user namespaces here")
    daemon = start("--mock", "--config", file, prefix=container)
    let_everybody_in(daemon)
    os.chmod(daemon.admin, 0o666)
    with connect(daemon) as client:
        assert not listed(client) and client.error(f"{BROKER}.Read", LOCATION) == DENIED
    with as_user(ALICE):
        administrator = Connection(daemon.admin)
    assert administrator.receive()["error"] == DENIED[0]


IN_A_USER_NAMESPACE = """
import socket, struct, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
print("ready", flush=True)
client, _ = server.accept()
print(struct.unpack("iII", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1], flush=True)
"""


def test_a_daemon_in_its_own_user_namespace_cannot_identify_clients(directory):
    """The reason why PrivateUsers= is not in the unit: every client would be user 65534, and rights by user would be
    impossible.
    """
    path = os.path.join(directory, "socket")
    server = start_program("unshare", "--user", "--map-root-user", sys.executable, "-c", IN_A_USER_NAMESPACE, path)
    try:
        if server.stdout.readline() != "ready\n":
            pytest.skip(f"NOT RUN: no user namespaces here: {server.stderr.read().strip()}")
        os.chmod(directory, 0o755)
        os.chmod(path, 0o666)
        with as_user(ALICE):
            client = Connection(path)
        assert server.stdout.readline() == "65534\n"
        client.close()
    finally:
        server.kill()
        server.wait()
    unit = (ROOT / "systemd/sensorbrokerd.service").read_text()
    assert not [line for line in unit.splitlines() if line.startswith("PrivateUsers")]
