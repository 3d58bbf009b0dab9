"""How Examples/Fleet stores messages in the real PostgreSQL: its parts in this process, without an MQTT server."""

import datetime
import json
import re
import sys

import psycopg
import pytest
import zstandard

from tools.database import EXAMPLE, database, postgres  # noqa: F401  fixtures
from tools.programs import ROOT

sys.path.insert(0, str(EXAMPLE))
from fleetingest import carry, corrections, message, partitions, schema, store, streams  # noqa: E402
from fleetingest.figures import Figures  # noqa: E402
from fleetingest.keeper import Keeper  # noqa: E402
from fleetingest.writer import settle  # noqa: E402

EPOCH, FORMER = "02" * 16, "01" * 16
SECOND = 1_000_000_000
YEAR = 31_536_000_000_000


class Fleet:
    """The program's parts in this process, at a database: messages are put into it without a server."""

    def __init__(self, database):
        self.database, self.figures, self.log, self.asked = database, Figures(), [], []
        self.connection = psycopg.connect(database.address, autocommit=True)
        schema.migrate(self.connection, self.log.append)
        partitions.make_ahead(self.connection, datetime.datetime.now(datetime.timezone.utc).date())
        self.store = store.Store(self.figures, self.log.append, self.connection)
        self.keeper = Keeper(self, self, self.figures, self.log.append)
        self.keeper.connection = self.connection

    # What the keeper needs of options and server
    ask_every, keep_days, prefix = 0, None, "fleet"

    def publish(self, topic, payload):
        self.asked.append((topic, json.loads(payload)))
        return True

    def put(self, rest, *payloads, host="truck"):
        """Each as a message of the server, all of them in one group."""
        items = []
        for payload in payloads:
            data = payload if isinstance(payload, bytes) else json.dumps({"epoch": EPOCH, **payload} if rest != "status" else payload).encode()
            items += message.read("fleet", f"fleet/{host}/{rest}".encode(), data)
        settle(items, self.store.store)

    def reading(self, number, seconds, **members):
        return {"number": number, "readings": [{"timestampNanoseconds": int(seconds * SECOND)}], **members}

    def clock(self, number, seconds, utc, is_synchronized=None, boot="boot"):
        clock = {"bootId": boot, "bootNanoseconds": int(seconds * SECOND), "utcMicroseconds": utc}
        return {"number": number, "clock": clock if is_synchronized is None else {**clock, "synchronized": is_synchronized}}

    def utc(self, where="true"):
        """The times of readings in microseconds, in the order of their numbers."""
        return [value if value is None else int(value) for value, in self.database.all(
            f"select extract(epoch from measured) * 1000000 from readings where {where} order by epoch, number")]

    def correct(self):
        while corrections.step(self.connection) is not None:
            pass

    def close(self):
        self.connection.close()


@pytest.fixture
def fleet(closing, database):
    return closing(Fleet(database))


def test_what_is_lost_or_missing_is_seen(fleet):
    database = fleet.database
    for _ in range(2):
        fleet.put("location", {"number": 1, "began": {"previous": FORMER, "last": 9, "cause": "crash"}}, {"number": 2}, {"number": 7}, {"number": 7},
                  {"number": 5, "lost": {"epoch": EPOCH, "from": 3, "to": 4, "cause": "evicted"}},
                  {"number": 8, "gaps": [{"resource": "location", "cause": "deviceLost", "count": 3, "more": 1}]})
        fleet.put("location/late", {"number": 6})
        fleet.put("status", {"state": "online", "epoch": EPOCH, "streams": {"location": {"last": 12}, "light": {"last": 0}}})
        fleet.put("location/late", zstandard.ZstdCompressor().compress(
            b"".join(json.dumps({"epoch": EPOCH, "number": number}).encode() + b"\n" for number in (10, 11))))
    missing = "select resource, epoch, first, last from missing order by epoch, first"
    assert database.all(missing) == [("location", FORMER, 1, 9), ("location", EPOCH, 9, 9), ("location", EPOCH, 12, 12)]
    assert database.all("select cause, count, gap ->> 'more' from gaps") == [("deviceLost", 3, "1")]
    assert database.one("select count(*) from messages") == 8 == database.one("select count(distinct (epoch, number)) from messages")
    assert fleet.figures.values["repeated_messages_total"][None] == 10
    # It is asked for, on the host's topic, until it came or is reported as lost; then its epoch is complete.
    fleet.keeper.ask()
    fleet.keeper.ask()
    assert ("fleet/truck/resend", {"resource": "location", "epoch": FORMER, "from": 1, "to": 9}) in fleet.asked
    assert len({str(one) for one in fleet.asked}) == 3
    assert fleet.figures.values["missing_messages"][None] == 11 and fleet.figures.values["hosts"] == {"online": 1}
    fleet.put("location", {"number": 9}, {"number": 12, "lost": {"epoch": FORMER, "from": 1, "to": 9, "cause": "gone"}})
    fleet.keeper.ask()
    assert database.all("select epoch, is_ended, is_complete from newest where resource = 'location' order by epoch") == [
        (FORMER, True, True), (EPOCH, False, False)]
    # What comes nevertheless is stored.
    fleet.put("location/late", {"epoch": FORMER, "number": 3}, {"epoch": FORMER, "number": 11})
    assert database.all(missing) == [("location", FORMER, 10, 10)]


def test_an_end_that_is_not_known_proves_nothing(fleet):
    gap = {"bootId": "b", "cause": "powerLoss", "fromNanoseconds": 5 * SECOND, "untilNanoseconds": 9 * SECOND}
    fleet.put("location", {"epoch": "a", "number": 1}, fleet.clock(2, 1, YEAR, True, boot="b") | {"epoch": "a"}, {"epoch": "c", "number": 3})
    for _ in range(2):
        fleet.put("location", {"epoch": "b", "number": 1, "began": {"previous": "a", "last": 2, "cause": "crash", "endUnknown": True, "gap": gap}})
        # An end below what came contradicts it.
        fleet.put("location", {"epoch": "d", "number": 1, "began": {"previous": "c", "last": 1, "cause": "crash"}})
    fleet.put("location", {"epoch": "e", "number": 1, "began": {"previous": "b", "last": 1, "cause": "restart"}})
    fleet.keeper.ask()
    assert fleet.database.all("select epoch, is_ended, is_end_unknown, is_complete from newest order by epoch") == [
        ("a", True, True, True), ("b", True, False, True), ("c", True, True, False), ("d", False, False, False), ("e", False, False, False)]
    # The gap is of the former epoch, by the clock of its boot.
    assert fleet.database.all("select epoch, cause, (extract(epoch from until) * 1000000)::bigint from gaps") == [("a", "powerLoss", YEAR + 8_000_000)]


def test_a_group_that_the_database_refuses_is_divided(fleet):
    fleet.connection.execute("alter table ingest.parts add check (number not in (3, 60))")
    fleet.put("location", *({"number": number} for number in range(1, 101)))
    assert fleet.database.one("select count(*) from messages") == 98
    assert fleet.database.all("select reason, messages from set_aside_counts") == [("database", 2)]
    assert fleet.database.all("select lower(numbers), cause from losses order by 1") == [(3, "setAside"), (60, "setAside")]
    assert fleet.figures.values["divided_groups_total"][None] == 0 and fleet.figures.values["repeated_messages_total"][None] == 0


def test_what_cannot_even_be_set_aside_is_counted(fleet):
    settle([message.SetAside("truck", "x", None, "notJSON", "its payload is none", size=3)], fleet.store.store)
    assert fleet.database.all("select host, reason, messages from set_aside_counts") == [("", "fault", 1)]


def test_times_are_put_right_when_the_clock_is_known(fleet):
    fleet.put("location", fleet.reading(1, 5), {"number": 2, "readings": [{"timestampNanoseconds": None}, {"x": 1}]})
    assert fleet.utc() == [None, None, None]
    # Set by a year, in the epoch after it, of the same boot
    fleet.put("location", fleet.clock(3, 10, 1_000_000_000), fleet.reading(4, 20))
    fleet.correct()
    assert fleet.utc("number <> 2") == [995_000_000, 1_010_000_000]
    other = "03" * 16
    fleet.put("location", {**fleet.clock(1, 100, YEAR), "epoch": other}, {**fleet.reading(2, 90), "epoch": other})
    assert fleet.utc("number <> 2 or epoch <> '%s'" % EPOCH) == [995_000_000, 1_010_000_000, YEAR - 10_000_000]
    fleet.correct()
    assert fleet.utc("number <> 2 or epoch <> '%s'" % EPOCH) == [YEAR - 95_000_000, YEAR - 80_000_000, YEAR - 10_000_000]
    # Another boot has a clock of its own, also if the program is started anew.
    fleet.store.forget()
    fleet.put("location", {**fleet.clock(3, 5, 7_000_000, True, boot="next"), "epoch": "04" * 16}, {**fleet.reading(4, 6), "epoch": "04" * 16})
    assert fleet.utc("epoch = '%s'" % ("04" * 16)) == [8_000_000]
    assert fleet.database.one("select count(*) from readings where is_synchronized") == 1
    # A synchronized clock puts right what was not, whatever the difference.
    fleet.put("location", {**fleet.clock(5, 200, YEAR + 102_000_000, True), "epoch": other})
    fleet.correct()
    assert fleet.utc("epoch = '%s'" % other) == [YEAR - 8_000_000] and fleet.database.one("select count(*) from readings where is_synchronized") == 4


def test_times_of_many_readings_are_put_right_in_steps(fleet, monkeypatch):
    monkeypatch.setattr(corrections, "ROWS", 7)
    fleet.put("location", fleet.clock(1, 0, 0), *(fleet.reading(number, number) for number in range(2, 40)))
    fleet.put("light", *(fleet.reading(number, number) for number in range(1, 30)))
    fleet.put("location", fleet.clock(40, 50, YEAR))
    # Times of any year, which no library of Python knows, are times as well.
    fleet.put("location", fleet.reading(41, (1 << 62) / SECOND))
    assert corrections.step(fleet.connection) == 7
    fleet.correct()
    times = fleet.utc("number < 41")
    assert [time - YEAR for time in times] == [(number - 50) * 1_000_000 for number in sorted([*range(2, 40), *range(1, 30)])]
    assert fleet.database.one("select count(*) from readings where measured < '1970-06-01'") == 0


def test_the_first_query_of_the_page_shows_what_is_new(fleet):
    """And not what has no time yet, of which there may be any number."""
    query = re.search(r"psql fleet -c '(.*)'", (EXAMPLE / "README.md").read_text())[1]
    fleet.put("location", *({**fleet.reading(number, number), "epoch": FORMER} for number in range(1, 10)))
    fleet.put("location", fleet.clock(1, 0, YEAR), fleet.reading(2, 1), fleet.reading(3, 2))
    times = [row[2] for row in fleet.database.all(query)]
    assert len(times) == 5 and times[0] > times[1] and times[2:] == [None] * 3


def test_a_host_that_sets_its_clock_all_the_time_does_not_keep_others_waiting(fleet, monkeypatch):
    monkeypatch.setattr(corrections, "ROWS", 5)
    for host in ("mean", "truck"):
        fleet.put("location", *(fleet.reading(number, number) for number in range(2, 40)), host=host)
    fleet.put("location", fleet.clock(1, 50, YEAR), host="truck")
    for turn in range(20):
        fleet.put("location", fleet.clock(100 + turn, 50 + turn, YEAR * (1 + turn % 2)), host="mean")
        corrections.step(fleet.connection)
    assert fleet.database.one("select count(measured) from readings where host = 'truck'") == 38


def test_a_stream_with_thousands_of_holes_costs_a_bounded_share(fleet, monkeypatch):
    monkeypatch.setattr(store, "RANGES_BYTES", 2_000)
    for start in range(0, 2_000, 100):
        fleet.put("location", *({"number": number} for number in range(start + 1, start + 100, 2)))
    stored, aside = fleet.database.one("select count(*) from messages"), fleet.database.one("select sum(messages) from set_aside_counts")
    assert 50 < stored < 1_000 and stored + aside == 1_000 and fleet.database.one("select pg_column_size(have) from ingest.streams") < 8_000
    # What closes a hole is taken.
    fleet.put("location", {"number": 2})
    assert fleet.database.one("select count(*) from messages") == stored + 1


def test_a_host_that_begins_streams_without_end_is_bounded(fleet, monkeypatch):
    monkeypatch.setattr(streams, "A_DAY_AND_HOST", 20)
    fleet.put("location", *({"epoch": f"e{count}", "number": 1} for count in range(50)))
    fleet.put("location", {"epoch": "e0", "number": 2}, host="other")
    assert fleet.database.one("select count(*) from ingest.streams") == 21
    assert fleet.database.all("select reason, messages from set_aside_counts") == [("streams", 30)]


def test_a_host_with_many_holes_does_not_keep_others_waiting(fleet):
    for host, numbers in (("mean", range(2, 2_000, 2)), ("truck", (2,))):
        fleet.put("location", *({"number": number} for number in numbers), host=host)
        fleet.put("status", {"state": "online", "epoch": EPOCH, "streams": {}}, host=host)
    fleet.put("status", {"state": "a" * 50, "epoch": EPOCH, "streams": {}}, host="strange")
    fleet.keeper.ask()
    assert ("fleet/truck/resend", {"resource": "location", "epoch": EPOCH, "from": 1, "to": 1}) in fleet.asked
    assert len(fleet.asked) == 11 and fleet.figures.values["hosts"] == {"online": 2, "other": 1}
    # Nothing is reported of what a host lacks that has left the fleet.
    fleet.put("status", b"", host="mean")
    fleet.keeper.ask()
    assert fleet.figures.values["missing_messages"][None] == 1


def test_two_programs_at_one_database_store_each_number_once(fleet, closing):
    other = closing(Fleet(fleet.database))
    for number in range(1, 50):
        (fleet if number % 2 else other).put("location", {"number": number})
        other.put("location", {"number": number})
    assert fleet.database.one("select count(*) from messages") == 49 and fleet.database.all("select * from missing") == []


def plan(database, query):
    return json.dumps(database.one("explain (analyze, format json) " + query))


def test_a_month_of_data_makes_nothing_slower(fleet):
    """300,000 readings of 20 hosts in 30 days, made in the database."""
    database, today = fleet.database, datetime.datetime.now(datetime.timezone.utc).date()
    partitions.make(fleet.connection, [today - datetime.timedelta(days=day) for day in range(31)])
    database.connection.execute("insert into ingest.epochs (host, epoch) select 'truck-' || n, 'e' || n from generate_series(1, 20) n")
    database.connection.execute("""insert into ingest.streams (epoch_id, resource, have, newest)
        select id, 'location', int8multirange(int8range(1, 9001), int8range(9002, 15001)), 15000 from ingest.epochs""")
    database.connection.execute("""insert into ingest.parts select s.id, n, 0, t, n * 172800000000, t, true, '{"readings":[{}]}'
        from ingest.streams s, generate_series(1, 15000) n, 
        lateral (select date_trunc('day', now()) - interval '30 days' + n * interval '172.8 s') as x (t)""")
    database.connection.execute("analyze")
    assert database.one("select count(*) from missing") == 20
    # What is missing does not touch the readings at all.
    assert "parts" not in plan(database, "select * from missing") and "parts" not in plan(database, "select * from newest")
    # All hosts in a time, and one host in a time: by an index, and a small part of the rows.
    for query, index in (("select * from readings where measured > date_trunc('day', now()) - interval '20 minutes'", "measured"),
                         ("select * from readings where host = 'truck-3' and measured > date_trunc('day', now()) - interval '1 hour'", "stream")):
        found = plan(database, query)
        assert index in "".join(re.findall(r'"Index Name": "([^"]*)"', found)), found
        removed = sum(int(float(rows)) for rows in re.findall(r'"Rows Removed by (?:Filter|Index Recheck)": (\d+)', found))
        assert removed < 30_000, found
    # The end of what is kept
    fleet.keep_days = 10
    fleet.keeper.keep()
    first = database.one("select min(received)::date from messages")
    assert first == today - datetime.timedelta(days=10)
    assert database.one("select count(*) from missing") == 20 and any("days are over" in line for line in fleet.log)


def test_what_is_over_is_forgotten_and_the_program_notices(fleet):
    fleet.put("location", fleet.clock(1, 5, YEAR), {"epoch": "next", "number": 1, "began": {"previous": EPOCH, "last": 1}})
    fleet.put("location", b"bad")
    fleet.keeper.ask()
    fleet.database.connection.execute("""update ingest.streams set heard = now() - interval '30 days'; update ingest.set_aside set received = heard
        from (select now() - interval '30 days' as heard) x; update ingest.clocks set told = now() - interval '30 days'""")
    fleet.keep_days = 10
    fleet.keeper.keep()
    for view in ("newest", "set_aside", "clocks"):
        assert fleet.database.all(f"select * from {view}") == []
    with pytest.raises(store.Stale):
        fleet.put("location", {"number": 2})
    fleet.put("location", {"number": 2})
    assert fleet.database.one("select count(*) from newest") == 1


def test_what_a_host_may_still_report_is_not_forgotten(fleet, monkeypatch):
    database, fleet.keep_days = fleet.database, 10

    def keep(days):
        database.connection.execute("update ingest.streams set heard = heard - %s * interval '1 day'", (days,))
        fleet.keeper.ask()
        fleet.keeper.keep()
        fleet.store.forget()

    def accounts():
        return database.all("select resource, epoch from newest order by epoch desc, resource")

    fleet.put("light", *({"number": number} for number in range(1, 6)))
    fleet.put("orientation", *({"number": number} for number in range(1, 6)))
    missing, now = [("truck", "light", EPOCH, 6, 9)], [("light", "next"), ("orientation", "next")]
    # Nothing new while it is online, and then its retained status again and again
    for state in ("online", "online", "offline", "offline"):
        fleet.put("status", {"state": state, "epoch": EPOCH, "streams": {"light": {"last": 9}, "orientation": {"last": 5}}})
        assert database.all("select * from missing") == missing
        keep(30)
    # Back after a restart; what has become complete has its time from then on.
    for days in (0, 30):
        for resource, last in (("light", 9), ("orientation", 5)):
            fleet.put(resource, {"epoch": "next", "number": 1, "began": {"previous": EPOCH, "last": last}})
        assert database.all("select * from missing") == missing
        keep(days)
    assert accounts() == [*now, ("light", EPOCH)]
    fleet.put("light", {"epoch": "next", "number": 2, "lost": {"epoch": EPOCH, "from": 6, "to": 9, "cause": "gone"}})
    keep(0)
    assert database.all("select cause from losses") == [("gone",)]
    keep(30)
    assert accounts() == now
    # So many of a host, and none if it is no longer part of the fleet
    monkeypatch.setattr(partitions, "OPEN_A_HOST", 1)
    keep(30)
    assert accounts() == now[:1]
    fleet.put("status", b"")
    keep(30)
    assert accounts() == []


def test_a_day_whose_rows_came_before_its_partition_stays_where_it_is(fleet):
    day = datetime.date(2020, 2, 29)
    fleet.connection.execute("insert into ingest.parts values (1, 1, 0, '2020-02-29T12:00Z', null, null, false, '{}')")
    partitions.make(fleet.connection, [day, day + datetime.timedelta(days=1)])
    there = partitions.existing(fleet.connection)
    assert there >= {"parts_20200301", "parts_other"} and "parts_20200229" not in there
    partitions.drop(fleet.connection, datetime.date(2020, 3, 5))
    assert fleet.database.one("select count(*) from ingest.parts") == 0 and "parts_20200301" not in partitions.existing(fleet.connection)


def test_what_version_1_had_is_carried_over(database, closing):
    database.connection.execute((EXAMPLE / "fleetingest/schema/1.sql").read_text())
    content = {"epoch": EPOCH, "number": 1, "readings": [{"timestampNanoseconds": 5 * SECOND}],
               "clock": {"bootId": "b", "bootNanoseconds": 0, "utcMicroseconds": YEAR}, "gaps": [{"cause": "slowClient", "count": 2}]}
    insert = "insert into messages values ('truck', 'location', %s, %s, %s, '2024-05-06T12:00Z')"
    for number in (1, 2, 4):
        database.connection.execute(insert, (EPOCH, number, json.dumps({**content, "number": number})))
    database.connection.execute(insert, (EPOCH, 5, json.dumps({"epoch": EPOCH, "number": 5, "readings": 3})))
    database.connection.execute("insert into newest values ('truck', 'location', %s, 7), ('truck', 'light', %s, 1)", (EPOCH, FORMER))
    missing = database.all("select * from missing order by resource, first")
    fleet = closing(Fleet(database))
    assert carry.is_needed(fleet.connection)
    carry.carry(fleet.connection, fleet.store, fleet.log.append)
    assert database.all("select * from missing order by resource, first") == missing
    assert database.all("select number, received::date, content ->> 'epoch' from messages order by number") == [
        (number, datetime.date(2024, 5, 6), EPOCH) for number in (1, 2, 4)]
    assert fleet.utc() == [YEAR + 5_000_000] * 3 and database.one("select sum(count) from gaps") == 6
    assert database.all("select cause, lower(numbers) from losses") == [("setAside", 5)]
    assert "parts_20240506" in partitions.existing(fleet.connection) and not carry.is_needed(fleet.connection)
    # And nothing happens at the next start; a program that is older than the schema says so.
    schema.migrate(fleet.connection, fleet.log.append)
    database.connection.execute("insert into ingest.version values (99)")
    with pytest.raises(SystemExit, match="newer program"):
        schema.migrate(fleet.connection, fleet.log.append)


def test_with_timescaledb_its_own_functions_are_used(database, closing):
    """The extension is not here: functions of its names note how they are called."""
    database.connection.execute("""create table called (what text);
        create function create_hypertable(relation regclass, time_column_name name, chunk_time_interval interval) returns void
            language sql as $$ insert into called values (relation || ' ' || time_column_name || ' ' || chunk_time_interval) $$;
        create function drop_chunks(relation regclass, older_than timestamptz) returns setof text
            language sql as $$ insert into called values ('drop ' || relation || ' ' || older_than::date) returning what $$""")
    fleet = closing(Fleet(database))
    fleet.put("location", fleet.reading(1, 5))
    fleet.keep_days = 10
    fleet.keeper.keep()
    before = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=10)
    assert database.all("select * from called") == [("ingest.parts received 1 day",), (f"drop ingest.parts {before}",)]
    assert database.one("select count(*) from readings") == 1 and not partitions.is_partitioned(fleet.connection)


def test_the_dashboard_asks_what_the_database_answers_whatever_a_host_sends(fleet):
    fleet.put("location", fleet.clock(1, 5, 1_700_000_000_000_000, True), *(
        {"number": number, "readings": [{"timestampNanoseconds": 6 * SECOND, "location": location}]} for number, location in enumerate(
            [{"latitudeDegrees": 52.5, "longitudeDegrees": 13.4, "speedMetersPerSecond": speed} for speed in (1, "fast", None, {})]
            + [{"latitudeDegrees": "north", "longitudeDegrees": 1}, {"latitudeDegrees": 1, "longitudeDegrees": []}, 3, None,
               {"latitudeDegrees": 10**400, "longitudeDegrees": -10**400, "speedMetersPerSecond": 10**400}], 2)))
    fleet.put("status", {"state": "online", "epoch": EPOCH, "streams": {"location": {"last": 3}}})
    board = json.loads((ROOT / "docs/grafana-fleet.json").read_text())
    queries = [target["rawSql"] for panel in board["panels"] for target in panel.get("targets", []) if "rawSql" in target]
    queries += [variable["query"] for variable in board["templating"]["list"] if variable["type"] == "query"]
    assert len(queries) > 5
    for query in queries:
        text = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 between now() - interval '100 years' and now()", query)
        text = re.sub(r"\$__timeGroup\((\w+), *[^)]*\)", r"date_trunc('minute', \1)", text).replace("$host", "'truck'")
        fleet.database.all(text)
