"""PostgreSQL as a process, and the program of Examples/Fleet that puts a fleet into it."""

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

import psycopg
import pytest

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, ROOT
from tools.waiting import until

EXAMPLE = ROOT / "Examples/Fleet"


class Database:
    """A server of PostgreSQL in a directory, reached by a socket in it. It does not run as root."""

    def __init__(self, *settings):
        self.folder = tempfile.mkdtemp(prefix="sb-pg-")
        self.user, self.settings, self.connection = {}, settings, None
        if os.getuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        subprocess.run([f"{self.programs}/initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "fleet", "--no-sync"], check=True,
                       capture_output=True, cwd=self.folder, **self.user)
        self.start()

    def start(self):
        words = [word for setting in ("listen_addresses=", "fsync=off", *self.settings) for word in ("-c", setting)]
        self.process = subprocess.Popen(
            [f"{self.programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, preexec_fn=die_with_parent,
            **self.user)
        self.use("postgres")
        return self

    def use(self, name):
        """Asks another database of the server from now on."""
        if self.connection:
            self.connection.close()
        self.address = f"host={self.folder} dbname={name} user=fleet"
        self.connection = until(self.connect, "the database")

    def fresh(self):
        """Another database, with nothing in it."""
        self.count = getattr(self, "count", 0) + 1
        self.connection.execute(f"create database fleet{self.count}")
        self.use(f"fleet{self.count}")
        return self

    def connect(self):
        try:
            return psycopg.connect(self.address, autocommit=True)
        except psycopg.OperationalError:
            assert self.process.poll() is None
            return None

    def all(self, query, *values):
        return self.connection.execute(query, values or None).fetchall()

    def one(self, query, *values):
        return self.all(query, *values)[0][0]

    def stop(self):
        """At once, as by a crash."""
        self.connection.close()
        self.process.terminate()
        subprocess.run([f"{self.programs}/pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop"], capture_output=True,
                       cwd=self.folder, **self.user)
        self.process.wait()

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Ingest:
    """The program as a process."""

    def __init__(self, server, database, *words, environment=None):
        self.command = [sys.executable, str(EXAMPLE / "ingest.py"), "--port", str(server.port), "--database", database.address,
                        "--ask-every", "1", *(words or ("--server", "127.0.0.1"))]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None
        self.log = tempfile.TemporaryFile()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment,
                                        preexec_fn=die_with_parent)
        return self

    def output(self):
        return os.pread(self.log.fileno(), 1 << 20, 0).decode()

    def await_output(self, words, times=1):
        until(lambda: self.output().count(words) >= times or self.process.poll() is not None, lambda: f"'{words}' in: {self.output()}")
        assert self.process.poll() is None, self.output()
        return self

    def stop(self):
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0, self.output()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self.log.close()


@pytest.fixture(scope="module")
def postgres():
    """A server for all tests of a file."""
    server = Database()
    yield server
    server.close()


@pytest.fixture
def database(postgres):
    """Another database, with nothing in it."""
    return postgres.fresh()
