"""One transaction for a group of messages. What is there already changes nothing, so a group may come again.

Ids and clocks are kept in memory; after a failure they are read again, since the transaction that made them may not have been committed.
"""

import time

from .hostclocks import HostClocks
from .message import Entry, SetAside, Status
from .setaside import Budget, Report, keep
from .streams import Streams

# Of a multirange, about 8,000 holes
RANGES_BYTES = 128 << 10
NULL = "\\N"

STAGED = """create temporary table if not exists staged (stream int, number bigint, part int, received timestamptz, stamp bigint,
    measured bigint, is_synchronized boolean, content jsonb) on commit delete rows"""
# In their order, so that two programs never wait for each other.
LOCK = """select id, upper(have), pg_column_size(have) > %s, pg_column_size(lost) > %s
    from ingest.streams where id = any(%s) order by id for update"""
COPY = "copy staged (stream, number, part, received, stamp, measured, is_synchronized, content) from stdin"
INSERT = """with inserted as (
    insert into ingest.parts (stream, number, part, received, stamp, measured, is_synchronized, content)
    select c.stream, c.number, c.part, coalesce(c.received, now()), c.stamp,
        timestamptz 'epoch' + c.measured * interval '1 microsecond', c.is_synchronized, c.content
    from staged c join ingest.streams s on s.id = c.stream where not s.have @> c.number
    returning part, stamp)
    select count(*) filter (where part = 0), count(stamp) from inserted"""
HAVE = """update ingest.streams s
    set have = s.have + n.numbers, newest = greatest(s.newest, n.highest), is_complete = false, heard = now()
    from (select stream, range_agg(int8range(number, number, '[]')) as numbers, max(number) as highest
        from staged where part = 0 group by stream) n
    where s.id = n.stream and not s.have @> n.numbers"""
NEWEST = "update ingest.streams set newest = %s, is_complete = false where id = %s and newest < %s"
# An end below what came is a contradiction: then it is not known either.
ENDED = """update ingest.streams set is_ended = true, is_end_unknown = is_end_unknown or %s or newest > %s, heard = now()
    where id = %s"""
LOSS = "insert into ingest.losses (stream, numbers, cause) values (%s, int8range(%s, %s, '[]'), %s) on conflict do nothing"
LOST = """update ingest.streams
    set lost = lost + int8multirange(int8range(%s, %s, '[]')), newest = greatest(newest, %s), heard = now()
    where id = %s and not lost @> int8range(%s, %s, '[]')"""
GAP = """insert into ingest.gaps (stream, number, item, cause, count, from_nanoseconds, until_nanoseconds, gap)
    values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing"""
HOST = """insert into ingest.hosts (host, state, status) values (%s, %s, %s) on conflict (host) do update
    set state = excluded.state, status = coalesce(excluded.status, hosts.status), heard = now(),
    since = case when hosts.state = excluded.state then hosts.since else now() end"""


class Stale(Exception):
    """A stream that was known is gone: its time was over. Its id is read again."""


def escaped(text):
    """For COPY."""
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if "\t" in text or "\r" in text or "\n" in text:
        text = text.replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
    return text


class Store:
    def __init__(self, figures, log, connection=None):
        self.figures, self.budget, self.report = figures, Budget(), Report(log)
        self.streams = Streams()
        self.clocks = HostClocks(self.streams)
        if connection:
            self.use(connection)

    def use(self, connection):
        """Another connection: what was known may not be there."""
        self.connection = connection
        connection.execute(STAGED)
        self.forget()

    def forget(self):
        self.streams.forget()
        self.clocks.forget()

    def store(self, items):
        """Stores a group in one transaction; raises what the database says."""
        try:
            with self.connection.transaction(), self.connection.cursor() as cursor:
                added = self.put(cursor, items)
        except BaseException:
            self.forget()
            raise
        stored, readings, repeated, aside = added
        self.figures.add("stored_messages_total", stored)
        self.figures.add("stored_readings_total", readings)
        self.figures.add("repeated_messages_total", repeated)
        self.report.tell(aside, time.monotonic())
        for item in aside:
            self.figures.add("set_aside_messages_total", label=item.reason)

    def put(self, cursor, items):
        self.streams.find(cursor, {key for item in items for key in self.named(item)})
        entries, statuses, aside = self.admitted(items)
        repeated = len(items) - len(entries) - len(statuses) - len(aside)
        entries = self.bounded(cursor, entries, statuses, aside)
        for item in entries:
            if item.clock:
                self.clocks.take(cursor, item.host, item.epoch, item.clock)
        for item in statuses:
            if item.clock and item.epoch:
                self.clocks.take(cursor, item.host, item.epoch, item.clock)
        stored = self.insert(cursor, entries) if entries else (0, 0)
        self.account(cursor, entries, statuses, aside)
        keep(cursor, self.budget, aside)
        return *stored, repeated + len(entries) - stored[0], aside

    @staticmethod
    def named(item):
        """The streams that an item names."""
        if type(item) is Entry:
            yield item.key
            for other in (item.lost, item.began):
                if other:
                    yield item.host, item.resource, other[0]
        elif type(item) is Status:
            yield from ((item.host, resource, item.epoch) for resource, _ in item.newest)
        elif item.key:
            yield item.key[:3]

    def admitted(self, items):
        """The entries, each number once, the statuses, and what is set aside."""
        entries, statuses, aside = {}, [], []
        for item in items:
            if type(item) is SetAside:
                aside.append(item)
            elif any(key not in self.streams for key in self.named(item)):
                aside.append(SetAside(item.host, item.topic, item.text.encode(), "streams", "too many new ones today"))
            elif type(item) is Status:
                statuses.append(item)
            else:
                entries.setdefault((self.streams[item.key], item.number), item)
        return list(entries.values()), statuses, aside

    def bounded(self, cursor, entries, statuses, aside):
        """Locks all streams; sets aside what would make holes in one that has too many."""
        keys = {key for item in (*entries, *statuses, *aside) for key in self.named(item) if key in self.streams}
        ids = sorted(self.streams[key] for key in keys)
        found = {row[0]: row[1:] for row in cursor.execute(LOCK, (RANGES_BYTES, RANGES_BYTES, ids))} if ids else {}
        if len(found) < len(ids):
            raise Stale()
        if not any(row[1] or row[2] for row in found.values()):
            return entries
        kept = []
        for item in entries:
            end, has_holes, _ = found[self.streams[item.key]]
            loses = item.lost and found[self.streams[item.host, item.resource, item.lost[0]]][2]
            if has_holes and item.number > end or loses:
                aside.append(SetAside(item.host, item.topic, item.text.encode(), "holes", "the stream has thousands of them"))
            else:
                kept.append(item)
        return kept

    def insert(self, cursor, entries):
        """Copies all parts, and inserts those that are not there yet; how many messages and readings these were."""
        lines, relations = [], {}
        for item in entries:
            stream, received = self.streams[item.key], item.received or NULL
            if (item.host, item.epoch) not in relations:
                relations[item.host, item.epoch] = self.clocks.of(cursor, item.host, item.epoch)
            for part, (stamp, text) in enumerate(item.parts):
                measured, is_synchronized = relations[item.host, item.epoch].at(stamp)
                lines.append(f"{stream}\t{item.number}\t{part}\t{received}\t{NULL if stamp is None else stamp}\t"
                             f"{NULL if measured is None else measured}\t{is_synchronized}\t{escaped(text)}\n")
        with cursor.copy(COPY) as copy:
            copy.write("".join(lines))
        stored = cursor.execute(INSERT).fetchone()
        cursor.execute(HAVE)
        return stored

    def account(self, cursor, entries, statuses, aside):
        """What messages tell beside their readings."""
        newest, ended, losses, gaps, hosts = [], [], [], [], []
        for item in entries:
            if item.lost:
                losses.append((self.streams[item.host, item.resource, item.lost[0]], *item.lost[1:]))
            if item.began:
                former = self.streams[item.host, item.resource, item.began[0]]
                _, last, is_unknown, gap = item.began
                newest.append((former, last))
                ended.append((is_unknown, last, former))
                gaps += [(former, 0, 0, *gap)] if gap else []
            gaps += ((self.streams[item.key], item.number, place, *gap) for place, gap in enumerate(item.gaps))
        for item in statuses:
            newest += ((self.streams[item.host, resource, item.epoch], last) for resource, last in item.newest)
            hosts.append((item.host, item.state, item.text))
        for item in aside:
            if item.key and item.key[:3] in self.streams:
                losses.append((self.streams[item.key[:3]], item.key[3], item.key[3], "setAside"))
        self.each(cursor, ENDED, ended)
        self.each(cursor, NEWEST, [(last, stream, last) for stream, last in newest])
        self.each(cursor, LOSS, losses)
        self.each(cursor, LOST, [(first, last, last, stream, first, last) for stream, first, last, _ in losses])
        self.each(cursor, GAP, gaps)
        self.each(cursor, HOST, hosts)

    @staticmethod
    def each(cursor, statement, rows):
        if rows:
            cursor.executemany(statement, rows)

