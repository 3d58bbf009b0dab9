-- What users read. Made again at each migration.

-- Each message once, as it came
create view messages as
select e.host, s.resource, e.epoch, p.number, p.content, p.received
from ingest.parts p join ingest.streams s on s.id = p.stream join ingest.epochs e on e.id = s.epoch_id
where p.part = 0;

-- Each reading with the time of its first sample in UTC; null as long as the host has reported nothing of its clock
create view readings as
select e.host, s.resource, e.epoch, p.number, p.measured, p.is_synchronized, p.content -> 'readings' -> 0 as reading, p.received
from ingest.parts p join ingest.streams s on s.id = p.stream join ingest.epochs e on e.id = s.epoch_id
where p.content -> 'readings' -> 0 is not null;

-- Readings that the broker or the bridge of a host could not deliver, as they reported it
create view gaps as
select e.host, s.resource, e.epoch, g.number, g.cause, g.count, g.gap,
    c.utc + (g.from_nanoseconds - c.boot_nanoseconds) / 1000 * interval '1 microsecond' as since,
    c.utc + (g.until_nanoseconds - c.boot_nanoseconds) / 1000 * interval '1 microsecond' as until, g.received
from ingest.gaps g join ingest.streams s on s.id = g.stream join ingest.epochs e on e.id = s.epoch_id
left join lateral (
    select boot_nanoseconds, timestamptz 'epoch' + utc_microseconds * interval '1 microsecond' as utc
    from ingest.clocks c where (c.host, c.boot) = (e.host, e.boot) and not is_outdated
    order by boot_nanoseconds <= g.from_nanoseconds desc, abs(boot_nanoseconds - g.from_nanoseconds) limit 1
) c on true;

-- What never came and was not reported as lost, as ranges: ask for it on the topic .../resend
create view missing as
select e.host, s.resource, e.epoch, lower(numbers) as first, upper(numbers) - 1 as last
from ingest.streams s join ingest.epochs e on e.id = s.epoch_id
cross join lateral unnest(int8multirange(int8range(1, s.newest + 1)) - s.have - s.lost) as numbers
where not s.is_complete;

-- Numbers that will never come, and why; `setAside`: it came, and could not be stored
create view losses as
select e.host, s.resource, e.epoch, l.numbers, l.cause, l.received
from ingest.losses l join ingest.streams s on s.id = l.stream join ingest.epochs e on e.id = s.epoch_id;

-- The newest number of each stream, whether its epoch has ended, and whether all is there that is known; that proves nothing if the end is not
create view newest as
select e.host, s.resource, e.epoch, s.newest as number, s.is_ended, s.is_complete, s.is_end_unknown, s.heard
from ingest.streams s join ingest.epochs e on e.id = s.epoch_id;

create view clocks as
select host, boot, boot_nanoseconds, timestamptz 'epoch' + utc_microseconds * interval '1 microsecond' as utc, is_synchronized, is_outdated
from ingest.clocks;

create view hosts as select host, state, since, heard, status from ingest.hosts;
create view set_aside as select received, host, topic, reason, detail, size, payload from ingest.set_aside;
create view set_aside_counts as select day, host, reason, messages from ingest.set_aside_counts;
