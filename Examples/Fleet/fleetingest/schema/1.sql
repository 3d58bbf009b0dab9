-- Version 1, which the first example had. Only the test of what is carried over makes it.

-- Readings of a fleet in PostgreSQL 14 or later. A message is named by host, resource, epoch and number, so inserting it twice
-- changes nothing. What a fleet has not reported as lost, and is not here, is in the view `missing`.

create table if not exists messages (
    host text not null,
    resource text not null,
    epoch text not null,
    number bigint not null,
    content jsonb not null,
    received timestamptz not null default now(),
    primary key (host, resource, epoch, number)
);

-- The newest number of a stream in an epoch, as the host reported it: in its status, or at the beginning of the next epoch
create table if not exists newest (
    host text not null,
    resource text not null,
    epoch text not null,
    number bigint not null,
    primary key (host, resource, epoch)
);

-- Numbers that will never come
create table if not exists losses (
    host text not null,
    resource text not null,
    epoch text not null,
    numbers int8range not null,
    cause text not null,
    primary key (host, resource, epoch, numbers, cause)
);

-- Both clocks of a host at one instant
create table if not exists clocks (
    host text not null,
    epoch text not null,
    boot_nanoseconds bigint not null,
    utc timestamptz not null,
    is_synchronized boolean,
    primary key (host, epoch, boot_nanoseconds)
);

-- What never came and was not reported as lost, as ranges: ask for it on the topic .../resend
create or replace view missing as
select host, resource, epoch, lower(numbers) as first, upper(numbers) - 1 as last
from (
    select n.host, n.resource, n.epoch, unnest(
        int8multirange(int8range(1, greatest(n.number, coalesce(m.highest, 0)) + 1))
        - coalesce(m.numbers, '{}') - coalesce(l.numbers, '{}')) as numbers
    from (
        select host, resource, epoch, number from newest
        union
        select distinct host, resource, epoch, 0 from messages m
        where not exists (select from newest n where (n.host, n.resource, n.epoch) = (m.host, m.resource, m.epoch))
    ) n
    left join lateral (
        select max(number) as highest, range_agg(int8range(number, number, '[]')) as numbers
        from messages where (host, resource, epoch) = (n.host, n.resource, n.epoch)
    ) m on true
    left join lateral (
        select range_agg(numbers) as numbers
        from losses where (host, resource, epoch) = (n.host, n.resource, n.epoch)
    ) l on true
) as ranges;

-- Each reading with the time of its first sample in UTC, by the nearest relation of the clocks, a synchronized one if there is any
create or replace view readings as
select m.host, m.resource, m.epoch, m.number,
    c.utc + (r.reading ->> 'timestampNanoseconds')::numeric::bigint / 1000 * interval '1 microsecond'
        - c.boot_nanoseconds / 1000 * interval '1 microsecond' as measured,
    coalesce(c.is_synchronized, false) as is_synchronized,
    r.reading
from messages m
cross join lateral jsonb_array_elements(m.content -> 'readings') as r (reading)
left join lateral (
    select * from clocks c where (c.host, c.epoch) = (m.host, m.epoch)
    order by c.is_synchronized desc nulls last, abs(c.boot_nanoseconds - (r.reading ->> 'timestampNanoseconds')::bigint) limit 1
) c on true;

-- Readings that the broker itself could not deliver, as it reported them
create or replace view gaps as
select m.host, m.resource, m.epoch, m.number, g.gap ->> 'cause' as cause, (g.gap ->> 'count')::bigint as count, g.gap
from messages m cross join lateral jsonb_array_elements(m.content -> 'gaps') as g (gap);
