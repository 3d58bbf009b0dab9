"""Partitions of the readings, one a day, and their end; with TimescaleDB chunks of a day, which it makes itself."""

import datetime

AHEAD = 3
# As many as a status may name
OPEN_A_HOST = 1_000

# Of an epoch that has not ended, or lacks something, its host may still tell: by its retained status, however old that is, or once it is
# back. Forgotten, all before that would seem to be missing. So many of a host are kept, those heard last.
FORGET = """delete from ingest.streams s where heard < %s and not exists (
    select from (
        select o.id, row_number() over (partition by h.host order by o.heard desc, o.id desc) as place
        from ingest.streams o join ingest.epochs e on e.id = o.epoch_id join ingest.hosts h using (host)
        where not o.is_complete and h.state <> 'removed') as open
    where open.id = s.id and place <= %s)"""


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
    """What belongs to the readings that went: the account of what was complete before, and what was set aside."""
    limit = (f"{before}T00:00Z",)
    connection.execute(FORGET, (*limit, OPEN_A_HOST))
    connection.execute("delete from ingest.gaps where received < %s", limit)
    connection.execute("delete from ingest.set_aside where received < %s", limit)
    connection.execute("delete from ingest.set_aside_counts where day < %s", (before,))
    connection.execute("delete from ingest.epochs e where not exists (select from ingest.streams s where s.epoch_id = e.id)")
    connection.execute("""delete from ingest.clocks c where told < %s
        and not exists (select from ingest.epochs e where (e.host, e.boot) = (c.host, c.boot))""", limit)
