"""Starts the parts and ends them in good order: nothing more is read, what was read is committed, and then acknowledged."""

import signal
import sys
import time

import psycopg

from . import carry, database, figures, options, partitions, schema
from .keeper import Keeper
from .server import Inbox, Server
from .store import Store
from .writer import WAITS, Writer


def log(line):
    print(line, file=sys.stderr, flush=True)


def prepare(words, counted):
    """The schema of this version, with partitions for the first days."""
    with database.connect(words.database) as connection:
        schema.migrate(connection, log)
        partitions.make_ahead(connection, connection.execute("select (now() at time zone 'utc')::date").fetchone()[0])
        if carry.is_needed(connection):
            with database.connect(words.database) as other:
                carry.carry(connection, Store(counted, log, other), log)


def prepared(words, counted):
    """Tries until the database is there."""
    tries = 0
    while True:
        try:
            return prepare(words, counted)
        except psycopg.OperationalError as error:
            wait = WAITS[min(tries, len(WAITS) - 1)]
            tries += 1
            log(f"the database: {database.first_line(error)}; next attempt in {wait:g} s")
            time.sleep(wait)


def main():
    words = options.parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    counted = figures.Figures()
    try:
        if words.migrate:
            return prepare(words, counted)
        if words.metrics:
            figures.serve(counted, *words.metrics)
        prepared(words, counted)
    except (psycopg.Error, OSError) as error:
        raise SystemExit(f"ingest.py: {str(error).strip()}") from None
    inbox = Inbox()
    server = Server(words, inbox, counted, log)
    writer = Writer(words, inbox, server, counted, log)
    keeper = Keeper(words, server, counted, log)
    parts = (server, writer, keeper)
    for part in parts:
        part.start()
    try:
        # A part that has ended by a fault ends the program, and the service manager starts it again: it never runs without one of them.
        while all(part.thread.is_alive() for part in parts):
            time.sleep(1)
        raise SystemExit(1)
    finally:
        server.pause()
        writer.stop()
        keeper.stop()
        server.stop()


if __name__ == "__main__":
    main()
