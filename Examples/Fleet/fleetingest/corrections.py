"""Puts the times of readings right, of which the relation of the clocks became known later; some thousand rows at a time.

A stream's rows are gone through in the order of their times, from the beginning: a row that moves ahead is met again, and is right
then. What a host tells may be any year, also one that Python does not know, so times travel as texts and numbers.
"""

from . import hostclocks

ROWS = 5_000
DIFFERENCE_MICROSECONDS = 1_000_000

NEXT = """select c.stream, c.after::text, e.host, e.boot from ingest.corrections c
    join ingest.streams s on s.id = c.stream join ingest.epochs e on e.id = s.epoch_id
    order by c.worked limit 1 for update of c skip locked"""
UNKNOWN = """select number, part, stamp, null::bigint, is_synchronized, null::text from ingest.parts
    where stream = %s and measured is null and stamp is not null limit %s"""
AFTER = """select number, part, stamp, (extract(epoch from measured) * 1000000)::bigint, is_synchronized, measured::text from ingest.parts
    where stream = %s and measured > %s order by measured limit %s"""
PUT = """update ingest.parts p
    set measured = timestamptz 'epoch' + u.new * interval '1 microsecond', is_synchronized = u.is_synchronized
    from unnest(%s::bigint[], %s::int[], %s::bigint[], %s::bigint[], %s::bool[]) as u (number, part, old, new, is_synchronized)
    where p.stream = %s and p.number = u.number and p.part = u.part
        and p.measured is not distinct from timestamptz 'epoch' + u.old * interval '1 microsecond'"""


def step(connection):
    """Goes on with one stream; how many rows were put right, or none if nothing is left to do."""
    with connection.transaction(), connection.cursor() as cursor:
        row = cursor.execute(NEXT).fetchone()
        if row is None:
            return None
        stream, after, host, boot = row
        relations = hostclocks.stored(cursor, host, boot)
        rows = cursor.execute(UNKNOWN, (stream, ROWS)).fetchall() if relations.rows else []
        is_last = False
        if not rows:
            rows = cursor.execute(AFTER, (stream, after, ROWS)).fetchall()
            is_last = len(rows) < ROWS
        wrong = []
        for number, part, stamp, old, is_synchronized, _ in rows:
            new, is_right = relations.at(stamp)
            if new is not None and (old is None or abs(new - old) > DIFFERENCE_MICROSECONDS or is_right != is_synchronized):
                wrong.append((number, part, old, new, is_right))
        if wrong:
            cursor.execute(PUT, (*map(list, zip(*wrong)), stream))
        if is_last:
            cursor.execute("delete from ingest.corrections where stream = %s", (stream,))
        else:
            # Whoever sets its clock all the time has its turn after the others.
            cursor.execute("update ingest.corrections set worked = clock_timestamp(), after = coalesce(%s, after) where stream = %s",
                           (rows[-1][-1], stream))
        return len(wrong)
