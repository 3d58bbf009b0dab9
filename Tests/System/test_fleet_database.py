"""The example that puts a fleet into PostgreSQL, with a real server: killed and started again, it has everything, once."""

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

import psycopg
import pytest

from tools.bridge import Bridge
from tools.daemon import die_with_parent
from tools.mosquitto import Mosquitto
from tools.programs import HOST, ROOT
from tools.waiting import until

EXAMPLE = ROOT / "Examples/Fleet"


class Database:
    """A server of PostgreSQL in a directory, reached by a socket in it. It does not run as root."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sb-pg-")
        self.user = {}
        if os.getuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        subprocess.run([f"{programs}/initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "fleet", "--no-sync"], check=True,
                       capture_output=True, cwd=self.folder, **self.user)
        self.process = subprocess.Popen(
            [f"{programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-c", "listen_addresses=", "-c", "fsync=off"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, preexec_fn=die_with_parent,
            **self.user)
        self.address = f"host={self.folder} dbname=postgres user=fleet"
        self.connection = until(self.connect, "the database")
        self.connection.execute((EXAMPLE / "schema.sql").read_text())

    def connect(self):
        try:
            return psycopg.connect(self.address, autocommit=True)
        except psycopg.OperationalError:
            assert self.process.poll() is None
            return None

    def all(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def one(self, query, *values):
        return self.all(query, *values)[0][0]

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Ingest:
    def __init__(self, server, database):
        self.command = [sys.executable, str(EXAMPLE / "ingest.py"), "--server", "127.0.0.1", "--port", str(server.port), "--database",
                        database.address, "--ask-every", "1"]
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        return self

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def database(closing):
    return closing(Database())


def test_everything_is_in_the_database_once_whatever_is_killed(closing, directory, daemon, database):
    server = closing(Mosquitto(directory)).start()
    ingest = closing(Ingest(server, database)).start()
    # With all that is beside the messages: it has no numbers, and is nothing for a database.
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{server.port}",
                            others=("[Control]", "RemoteInterval=yes", "[HomeAssistant]", "Discovery=homeassistant"))).start()

    def count():
        return database.one("select count(*) from readings where resource = 'location'")

    def more():
        start = count()
        until(lambda: ingest.process.poll() is None and count() > start + 10, "more readings")

    more()
    ingest.close()
    ingest.start()
    more()
    server.kill()
    server.start()
    more()
    bridge.kill()
    bridge.start()
    more()
    bridge.stop()
    # An orderly end tells the newest numbers.
    until(lambda: database.one("select count(*) from newest") >= 4 and not database.all("select * from missing"),
          lambda: str(database.all("select * from missing")))
    assert database.all("select * from losses") == []
    assert database.one("select count(distinct epoch) from messages") == 2
    # Each number of each stream, from 1 to its newest, is there exactly once.
    for host, resource, epoch, newest in database.all("select * from newest"):
        numbers = [number for number, in database.all(
            "select number from messages where host = %s and resource = %s and epoch = %s order by number", host, resource, epoch)]
        assert host == HOST and numbers == list(range(1, max(newest, len(numbers)) + 1))
    # Times are right: the location of the simulated receiver carries UTC itself.
    worst = database.one("""select max(abs(extract(epoch from measured) - (reading -> 'location' ->> 'utcMicroseconds')::numeric / 1000000))
                            from readings where resource = 'location'""")
    assert worst < 60


def test_what_is_lost_or_missing_is_seen(database):
    sys.path.insert(0, str(EXAMPLE))
    try:
        import ingest
    finally:
        sys.path.remove(str(EXAMPLE))
    epoch, former = "02" * 16, "01" * 16

    def take(resource, *messages):
        for message in messages:
            payload = ingest.json.dumps({"epoch": epoch, **message}).encode()
            for _ in range(2):
                ingest.take(database.connection, "fleet", f"fleet/truck/{resource}", payload)

    take("location", {"number": 1, "began": {"previous": former, "last": 9, "cause": "crash"}}, {"number": 2}, {"number": 7},
         {"number": 5, "lost": {"epoch": epoch, "from": 3, "to": 4, "cause": "evicted"}},
         {"number": 8, "gaps": [{"resource": "location", "cause": "deviceLost", "count": 3}]})
    take("location/late", {"number": 6})
    status = {"state": "online", "epoch": epoch, "streams": {"location": {"last": 12}, "light": {"last": 0}}}
    ingest.take(database.connection, "fleet", "fleet/truck/status", ingest.json.dumps(status).encode())
    compressed = ingest.zstandard.ZstdCompressor().compress(
        b"".join(ingest.json.dumps({"epoch": epoch, "number": number}).encode() + b"\n" for number in (10, 11)))
    ingest.take(database.connection, "fleet", "fleet/truck/location/late", compressed)
    missing = "select resource, epoch, first, last from missing order by epoch, first"
    assert database.all(missing) == [("location", former, 1, 9), ("location", epoch, 9, 9), ("location", epoch, 12, 12)]
    assert database.all("select cause, count from gaps") == [("deviceLost", 3)]
    assert database.one("select count(*) from messages") == 8
