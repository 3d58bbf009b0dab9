"""Messages that cannot be taken are kept with their topic, bytes and reason, and counted; so many bytes, and so many a day and host."""

import datetime

BYTES = 64 << 10
A_DAY, A_DAY_AND_HOST, COUNTED_HOSTS = 100_000, 1_000, 10_000

KEEP = "insert into ingest.set_aside (host, topic, reason, detail, size, payload) values (%s, %s, %s, %s, %s, %s)"
COUNT = """insert into ingest.set_aside_counts (day, host, reason, messages) values (current_date, %s, %s, %s)
    on conflict (day, host, reason) do update set messages = set_aside_counts.messages + excluded.messages"""


class Budget:
    """How much of today's there is room for."""

    def __init__(self):
        self.day, self.hosts, self.kept = None, {}, 0

    def take(self, host, today):
        """The name under which it is counted, and whether it is kept."""
        if today != self.day:
            self.day, self.hosts, self.kept = today, {}, 0
        if host not in self.hosts and len(self.hosts) >= COUNTED_HOSTS:
            return "", False
        self.hosts[host] = self.hosts.get(host, 0) + 1
        is_kept = self.hosts[host] <= A_DAY_AND_HOST and self.kept < A_DAY
        self.kept += is_kept
        return host, is_kept


class Report:
    """A line of the log a minute at most, whatever hosts send."""

    SECONDS = 60

    def __init__(self, log):
        self.log, self.count, self.due = log, 0, 0

    def tell(self, items, now):
        self.count += len(items)
        if items and now >= self.due:
            last = items[-1]
            # What hosts send does not move the terminal's cursor.
            self.log(f"set aside {self.count}, the last one on {last.topic[:200]!a}: {last.reason}: {last.detail[:200]!a}")
            self.count, self.due = 0, now + self.SECONDS


def clean(text, size):
    """What PostgreSQL takes as text."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")[:size]


def keep(cursor, budget, items):
    if not items:
        return
    rows, counts = [], {}
    for item in items:
        host, is_kept = budget.take(clean(item.host, 255), datetime.date.today())
        counts[host, item.reason] = counts.get((host, item.reason), 0) + 1
        if is_kept:
            rows.append((host, clean(item.topic, 1024), item.reason, clean(item.detail, 500), item.size, item.payload[:BYTES]))
    if rows:
        cursor.executemany(KEEP, rows)
    cursor.executemany(COUNT, [(*key, count) for key, count in sorted(counts.items())])
