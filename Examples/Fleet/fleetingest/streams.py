"""Streams and their ids: a resource of a host in an epoch. They are kept in memory; so many new ones a day and host."""

import datetime

A_DAY_AND_HOST, A_DAY, CACHED = 10_000, 2_000_000, 200_000

EPOCHS = """insert into ingest.epochs (host, epoch) select distinct * from unnest(%s::text[], %s::text[]) on conflict do nothing"""
STREAMS = """insert into ingest.streams (epoch_id, resource)
    select distinct e.id, k.resource from unnest(%s::text[], %s::text[], %s::text[]) as k (host, resource, epoch)
    join ingest.epochs e using (host, epoch) on conflict do nothing"""
FIND = """select e.host, s.resource, e.epoch, s.id, e.boot
    from unnest(%s::text[], %s::text[], %s::text[]) as k (host, resource, epoch)
    join ingest.epochs e using (host, epoch) join ingest.streams s on s.epoch_id = e.id and s.resource = k.resource"""


class Streams:
    def __init__(self):
        self.day, self.new, self.made = None, {}, 0
        self.forget()

    def forget(self):
        """Ids by host, resource and epoch; boots by host and epoch."""
        self.ids, self.boots = {}, {}

    def __contains__(self, key):
        return key in self.ids

    def __getitem__(self, key):
        return self.ids[key]

    def find(self, cursor, keys):
        """Finds all, and makes those that are new, as far as their hosts may."""
        unknown = {key for key in keys if key not in self.ids}
        if not unknown:
            return
        if len(self.ids) > CACHED:
            self.forget()
            unknown = set(keys)
        self.look(cursor, unknown)
        made = [key for key in sorted(unknown - self.ids.keys()) if self.may(key[0], datetime.date.today())]
        if made:
            hosts, resources, epochs = map(list, zip(*made))
            cursor.execute(EPOCHS, (hosts, epochs))
            cursor.execute(STREAMS, (hosts, resources, epochs))
            self.look(cursor, made)

    def may(self, host, today):
        if self.day != today:
            self.day, self.new, self.made = today, {}, 0
        self.new[host] = self.new.get(host, 0) + 1
        self.made += 1
        return self.new[host] <= A_DAY_AND_HOST and self.made <= A_DAY

    def look(self, cursor, keys):
        hosts, resources, epochs = map(list, zip(*keys))
        for host, resource, epoch, identifier, boot in cursor.execute(FIND, (hosts, resources, epochs)):
            self.ids[host, resource, epoch] = identifier
            if boot is not None:
                self.boots[host, epoch] = boot
