"""Partitions of the readings, one a day, and their end; with TimescaleDB chunks of a day, which it makes itself."""

import datetime

AHEAD = 3


def is_timescale(connection):
    """Whether the extension is in this database."""
    return connection.execute("select count(*) from pg_proc where proname = 'create_hypertable'").fetchone()[0] > 0


def is_partitioned(connection):
    return connection.execute("select relkind from pg_class where oid = 'ingest.parts'::regclass").fetchone()[0] in ("p", b"p")


def existing(connection):
    """The names of the days' partitions."""
    return {name for name, in connection.execute(
        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'ingest.parts'::regclass")}


def partition(day):
    return f"parts_{day:%Y%m%d}"


def make(connection, days):
    """Makes those that are not there. One whose rows are in the default partition already stays there: nothing is moved."""
    if not is_partitioned(connection):
        return
    there = existing(connection)
    for day in days:
        if partition(day) in there:
            continue
        following = day + datetime.timedelta(days=1)
        inside = connection.execute("select exists (select from ingest.parts_other where received >= %s and received < %s)",
                                    (f"{day}T00:00Z", f"{following}T00:00Z")).fetchone()[0]
        if not inside:
            connection.execute(f"create table if not exists ingest.{partition(day)} partition of ingest.parts "
                               f"for values from ('{day}T00:00Z') to ('{following}T00:00Z')")


def make_ahead(connection, today):
    make(connection, [today + datetime.timedelta(days=count) for count in range(-1, AHEAD + 1)])


def drop(connection, before):
    """Drops all days before one; returns what went."""
    if not is_partitioned(connection):
        connection.execute("select drop_chunks('ingest.parts', %s::timestamptz)", (f"{before}T00:00Z",))
        return []
    gone = sorted(name for name in existing(connection) if name != "parts_other" and name < partition(before))
    for name in gone:
        connection.execute(f"drop table ingest.{name}")
    connection.execute("delete from ingest.parts_other where received < %s", (f"{before}T00:00Z",))
    return gone


def drop_accounts(connection, before):
    """What belongs to the readings that went: the account of streams that told nothing since, and what was set aside."""
    limit = (f"{before}T00:00Z",)
    connection.execute("delete from ingest.streams where heard < %s", limit)
    connection.execute("delete from ingest.gaps where received < %s", limit)
    connection.execute("delete from ingest.set_aside where received < %s", limit)
    connection.execute("delete from ingest.set_aside_counts where day < %s", (before,))
    connection.execute("delete from ingest.epochs e where not exists (select from ingest.streams s where s.epoch_id = e.id)")
    connection.execute("""delete from ingest.clocks c where told < %s
        and not exists (select from ingest.epochs e where (e.host, e.boot) = (c.host, c.boot))""", limit)
