"""The database's schema and its versions: made at the start, and carried over from that of former versions."""

import importlib.resources

from . import partitions

VERSION = 2
LOCK = 7_365_682


def sql(name):
    return (importlib.resources.files(__package__) / "schema" / name).read_text()


def version(connection):
    """0 without any; 1 is that of the first example, which did not write it down."""
    if connection.execute("select to_regclass('ingest.version')").fetchone()[0]:
        return connection.execute("select max(version) from ingest.version").fetchone()[0]
    is_first = connection.execute(
        "select count(*) from pg_class where oid = to_regclass('public.messages') and relkind = 'r'").fetchone()[0]
    return 1 if is_first else 0


def migrate(connection, log):
    """Brings the schema to this version, in one transaction, while no other program does."""
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
        found = version(connection)
        if found > VERSION:
            raise SystemExit(f"the database has version {found} of the schema, and this program knows {VERSION}: use the newer program")
        if found == VERSION:
            return
        if found == 1:
            put_aside(connection)
        connection.execute(made_by(connection, sql("2.sql")))
        connection.execute(sql("views.sql"))
        connection.execute("create table ingest.version (version int not null, since timestamptz not null default now())")
        connection.execute("insert into ingest.version values (%s)", (VERSION,))
    log(f"the schema has version {VERSION}")


def made_by(connection, text):
    """With TimescaleDB the readings are a table of its own kind instead of a partitioned one."""
    if not partitions.is_timescale(connection):
        return text
    text = text.replace(") partition by range (received);", ");\nselect create_hypertable('ingest.parts', 'received', "
                        "chunk_time_interval => interval '1 day');")
    return text.replace("create table ingest.parts_other partition of ingest.parts default;", "")


def put_aside(connection):
    """The tables of version 1 wait in the schema `ingest` until their rows are carried over."""
    connection.execute("create schema if not exists ingest")
    for view in ("missing", "readings", "gaps"):
        connection.execute(f"drop view if exists public.{view}")
    for table in ("messages", "newest", "losses", "clocks"):
        connection.execute(f"alter table if exists public.{table} rename to {table}_1")
        connection.execute(f"alter table if exists public.{table}_1 set schema ingest")
