"""Groups of messages: one transaction each, and acknowledged after it.

Whatever the database says against a message divides the group until that message is alone, and then it is set aside; so does a fault of
this program. Any other failure is one of the database: the writer waits, connects again and tries again, however long that takes; the
server keeps what is not acknowledged.
"""

import threading
import time

import psycopg

from . import database, message
from .store import Stale, Store

MESSAGES, GATHER_SECONDS, QUIET_SECONDS = 500, 0.1, 0.01
# A frame has many: so many in a transaction, and so many bytes of their texts.
ITEMS, BYTES = 2_000, 8 << 20
WAITS = (0.1, 0.5, 1, 2, 5, 10)
NAMELESS = message.SetAside("", "", b"", "fault", "a message could not be set aside")


class Stopped(Exception):
    """The program ends, and this group was not committed."""


def is_culprit(error):
    """Whether a message has to do with an error: the database refuses it, or this program has a fault."""
    return database.refuses(error) if isinstance(error, psycopg.Error) else not isinstance(error, (Stale, OSError, MemoryError))


def settle(items, store):
    """Stores all items; those that the database refuses are set aside."""
    groups = [items]
    while groups:
        group = groups.pop()
        try:
            store(group)
        except Exception as error:
            if not is_culprit(error):
                raise
            if len(group) > 1:
                middle = len(group) // 2
                groups += [group[middle:], group[:middle]]
            elif group[0] is not NAMELESS:
                # What cannot even be set aside is counted.
                groups.append([NAMELESS if type(group[0]) is message.SetAside else refused(group[0], error)])
            else:
                raise


def refused(item, error):
    is_database = isinstance(error, psycopg.Error)
    detail = f"{error.sqlstate}: {error.diag.message_primary or error}" if is_database else f"{type(error).__name__}: {error}"
    key = (*item.key, item.number) if type(item) is message.Entry else None
    return message.SetAside(item.host, item.topic, (item.text or "").encode(), "database" if is_database else "fault", detail, key=key)


def understood(prefix, one):
    """The items of a message; a fault of this program stops nothing."""
    try:
        return message.read(prefix, one.topic, one.payload, one.size)
    except Exception as error:
        return [message.SetAside("", one.topic.decode(errors="backslashreplace"), one.payload, "fault", f"{type(error).__name__}: {error}")]


def groups(prefix, messages):
    """The items of messages for one transaction after the other: never all of what hostile frames unpack to."""
    items, size = [], 0
    for one in messages:
        for item in understood(prefix, one):
            items.append(item)
            size += sum(len(text) for _, text in item.parts) if type(item) is message.Entry else len(one.payload)
            if len(items) >= ITEMS or size >= BYTES:
                yield items
                items, size = [], 0
    if items:
        yield items


class Writer:
    def __init__(self, options, inbox, server, figures, log):
        self.options, self.inbox, self.server, self.figures, self.log = options, inbox, server, figures, log
        self.connection, self.store = None, Store(figures, log)
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, name="writer", daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        """Commits what has come, if the database takes it."""
        self.stopping.set()
        self.inbox.close()
        self.thread.join(10)

    def run(self):
        try:
            while messages := self.inbox.take(MESSAGES, GATHER_SECONDS, QUIET_SECONDS):
                for items in groups(self.options.prefix, messages):
                    self.write(items)
                self.server.acknowledge(messages)
                self.figures.set("waiting_messages", len(self.inbox.waiting))
        except Stopped:
            pass

    def write(self, items):
        """Tries until it is done."""
        tries = 0
        while True:
            try:
                settle(items, self.put)
                return
            except Exception as error:
                tries += 1
                self.failed(error, WAITS[min(tries, len(WAITS)) - 1])

    def put(self, group):
        start = time.monotonic()
        if self.connection is None or self.connection.closed:
            self.connection = database.connect(self.options.database)
            self.store.use(self.connection)
        try:
            self.store.store(group)
        except Exception as error:
            if is_culprit(error):
                self.figures.add("divided_groups_total", len(group) > 1)
            raise
        self.figures.add("transactions_total")
        self.figures.add("transaction_seconds_total", time.monotonic() - start)
        self.figures.set("committed_timestamp_seconds", time.time())

    def failed(self, error, wait):
        if type(error) is not Stale:
            self.figures.add("database_failures_total")
            self.log(f"the database: {database.first_line(error)}; next attempt in {wait:g} s")
        if self.stopping.wait(wait):
            raise Stopped()
