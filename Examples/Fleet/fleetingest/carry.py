"""Carries the rows of version 1 over: its messages go the same way as new ones, and it may be interrupted and begun anew."""

import json

from . import jsontext, message, partitions
from .writer import settle

ROWS = 1_000
MESSAGES = """select host, resource, epoch, number, content::text, to_char(received at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US+00')
    from ingest.messages_1"""
NEWEST = "select host, resource, epoch, number from ingest.newest_1"


def is_needed(connection):
    return connection.execute("select to_regclass('ingest.messages_1') is not null").fetchone()[0]


def carry(connection, store, log):
    """`connection` reads the old rows, and the store's writes."""
    days = [day for day, in connection.execute("select distinct (received at time zone 'utc')::date from ingest.messages_1")]
    partitions.make(connection, sorted(days))
    log(f"carrying over the messages of {len(days)} days from version 1 of the schema")
    count = 0
    with connection.transaction(), connection.cursor(name="carried") as rows:
        rows.itersize = ROWS
        rows.execute(MESSAGES)
        while group := rows.fetchmany(ROWS):
            settle([old(*row) for row in group], store.store)
            count += len(group)
    with connection.transaction(), connection.cursor(name="carried") as rows:
        rows.execute(NEWEST)
        while group := rows.fetchmany(ROWS):
            settle([newest(*row) for row in group], store.store)
    with connection.transaction():
        for table in ("messages", "newest", "losses", "clocks"):
            connection.execute(f"drop table if exists ingest.{table}_1")
    log(f"carried over {count} messages")


def old(host, resource, epoch, number, text, received):
    topic = f"{host}/{resource}"
    try:
        return message.entry(host, resource, topic, text, received)
    except jsontext.Refusal as refusal:
        return message.SetAside(host, topic, text.encode(), refusal.reason, refusal.detail, key=(host, resource, epoch, number))


def newest(host, resource, epoch, number):
    """As a status would tell it; the host's state is not known."""
    text = json.dumps({"state": "unknown", "epoch": epoch, "streams": {resource: {"last": number}}})
    return message.status(host, f"{host}/status", text.encode())
