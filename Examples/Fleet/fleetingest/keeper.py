"""What runs beside the writer, with a connection of its own: partitions, requests for what is missing, corrections of times."""

import datetime
import json
import threading
import time

from . import corrections, database, partitions
from .asking import Asking

KEEP_SECONDS, LOOK_SECONDS, STEP_SECONDS = 600, 15, 1
# Complete: ended, and nothing between 1 and the newest number is missing.
COMPLETE = """update ingest.streams set is_complete = true
    where not is_complete and is_ended and int8multirange(int8range(1, newest + 1)) <@ have + lost"""
# Its will may be lost with the server.
ONLINE = "select host from ingest.hosts where state = 'online' and heard > now() - interval '10 minutes'"
# So many of a host that none keeps the others from their turn; those of newer epochs first.
MISSING = """select host, resource, epoch, first, last from (
        select m.*, row_number() over (partition by host order by epoch desc, resource, first) as place
        from missing m join ingest.hosts h using (host) where h.state = 'online') as found
    where place <= 100"""
FIGURES = """select (select count(*) from ingest.streams where not is_complete),
    (select coalesce(sum(last - first + 1), 0) from missing left join ingest.hosts h using (host) where h.state is distinct from 'removed')"""
# A host may say anything of its state.
STATES = """select case when state in ('online', 'offline', 'lost', 'removed') then state else 'other' end as known, count(*)
    from ingest.hosts group by known"""


class Task:
    def __init__(self, action, seconds):
        self.action, self.seconds, self.due = action, seconds, 0


class Keeper:
    def __init__(self, options, server, figures, log):
        self.options, self.server, self.figures, self.log = options, server, figures, log
        self.connection, self.asking = None, Asking(options.ask_every)
        self.tasks = [Task(self.keep, KEEP_SECONDS), Task(self.ask, min(LOOK_SECONDS, options.ask_every)), Task(self.correct, STEP_SECONDS)]
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run, name="keeper", daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        self.thread.join(5)

    def run(self):
        while not self.stopping.wait(min(STEP_SECONDS, self.options.ask_every)):
            for task in self.tasks:
                # One that fails is tried again after its time, and does not hold up the others.
                if task.due <= time.monotonic():
                    task.due = time.monotonic() + task.seconds
                    self.attempt(task.action)

    def attempt(self, action):
        try:
            if self.connection is None or self.connection.closed:
                self.connection = database.connect(self.options.database)
                # Whoever waits for the lock of a table makes all others wait.
                self.connection.execute("set lock_timeout = '3s'")
            action()
        except Exception as error:
            self.figures.add("keeper_failures_total")
            self.log(f"keeper: {action.__name__}: {database.first_line(error)}")

    def correct(self):
        self.figures.add("corrected_readings_total", corrections.step(self.connection) or 0)

    def keep(self):
        today = datetime.datetime.now(datetime.timezone.utc).date()
        partitions.make_ahead(self.connection, today)
        if self.options.keep_days:
            before = today - datetime.timedelta(days=self.options.keep_days)
            for name in partitions.drop(self.connection, before):
                self.log(f"{name}: its {self.options.keep_days} days are over")
            partitions.drop_accounts(self.connection, before)

    def ask(self):
        self.connection.execute(COMPLETE)
        self.figures.replace("hosts", self.connection.execute(STATES).fetchall())
        open_streams, missing = self.connection.execute(FIGURES).fetchone()
        self.figures.set("open_streams", open_streams)
        self.figures.set("missing_messages", int(missing))
        online = [host for host, in self.connection.execute(ONLINE)]
        missing = self.connection.execute(MISSING).fetchall()
        for host, resource, epoch, first, last in self.asking.due(missing, online, time.monotonic()):
            request = {"resource": resource, "epoch": epoch, "from": first, "to": last}
            if self.server.publish(f"{self.options.prefix}/{host}/resend", json.dumps(request).encode()):
                self.figures.add("requests_total")
