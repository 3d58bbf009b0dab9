"""The clocks of all hosts: which boot an epoch belongs to, and the relations of its clocks, in the database and in memory."""

from .clocks import Relations

CACHED = 20_000

BOOT = "update ingest.epochs set boot = %s where host = %s and epoch = %s and boot is null"
RELATIONS = """select boot_nanoseconds, utc_microseconds, is_synchronized from ingest.clocks
    where host = %s and boot = %s and not is_outdated"""
ADD = """insert into ingest.clocks (host, boot, boot_nanoseconds, utc_microseconds, is_synchronized) values (%s, %s, %s, %s, %s)
    on conflict do nothing"""
SUPERSEDED = "delete from ingest.clocks where host = %s and boot = %s and boot_nanoseconds = any(%s)"
OUTDATED = "update ingest.clocks set is_outdated = true where host = %s and boot = %s and boot_nanoseconds = any(%s)"
CORRECT = """insert into ingest.corrections (stream)
    select s.id from ingest.streams s join ingest.epochs e on e.id = s.epoch_id where e.host = %s and e.boot = %s
    on conflict (stream) do update set after = '-infinity'"""
NOTHING = Relations()


def stored(cursor, host, boot):
    """The relations of a boot that are in force."""
    return Relations(cursor.execute(RELATIONS, (host, boot)).fetchall())


class HostClocks:
    def __init__(self, streams):
        self.streams = streams
        self.forget()

    def forget(self):
        self.known = {}

    def of(self, cursor, host, epoch):
        """The relations of an epoch's boot."""
        boot = self.streams.boots.get((host, epoch))
        return NOTHING if boot is None else self.of_boot(cursor, host, boot)

    def of_boot(self, cursor, host, boot):
        if (host, boot) not in self.known:
            if len(self.known) > CACHED:
                self.forget()
            self.known[host, boot] = stored(cursor, host, boot)
        return self.known[host, boot]

    def take(self, cursor, host, epoch, clock):
        """Takes what a host told of both clocks; queues a correction if it changes what was computed until now."""
        boot, nanoseconds, microseconds, is_synchronized = clock
        is_new = (host, epoch) not in self.streams.boots
        if is_new:
            self.streams.boots[host, epoch] = boot
            cursor.execute(BOOT, (boot, host, epoch))
        elif self.streams.boots[host, epoch] != boot:
            return
        change = self.of_boot(cursor, host, boot).add(nanoseconds, microseconds, is_synchronized)
        if change.is_in_force:
            cursor.execute(ADD, (host, boot, nanoseconds, microseconds, bool(is_synchronized)))
        if change.superseded:
            cursor.execute(OUTDATED if change.corrects else SUPERSEDED, (host, boot, list(change.superseded)))
        if change.corrects or is_new:
            cursor.execute(CORRECT, (host, boot))
