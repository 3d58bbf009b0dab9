-- Version 2: what belongs to the account of numbers is apart from what was measured, so that neither duplicates nor what is
-- missing depend on how much there is. Tables are in the schema `ingest`, and what users read are views (views.sql).

create schema if not exists ingest;

create table ingest.hosts (
    host text primary key,
    -- online, offline, lost; or removed, if its retained status was removed
    state text not null,
    -- Since when it is in this state, and when it was heard last
    since timestamptz not null default now(),
    heard timestamptz not null default now(),
    status jsonb
);

create table ingest.epochs (
    id int generated always as identity primary key,
    host text not null,
    epoch text not null,
    -- The id of the boot, once a relation of the clocks was reported
    boot text,
    unique (host, epoch)
);

-- A resource of a host in an epoch, and which of its numbers are there. The row is locked by each transaction that adds to it.
create table ingest.streams (
    id int generated always as identity primary key,
    epoch_id int not null references ingest.epochs,
    resource text not null,
    have int8multirange not null default '{}',
    lost int8multirange not null default '{}',
    -- The newest number that came or was reported
    newest bigint not null default 0,
    is_ended boolean not null default false,
    -- The host says that there may have been more, or reported an end below a number that came
    is_end_unknown boolean not null default false,
    -- Ended, and each number that is known came or was reported as lost
    is_complete boolean not null default false,
    heard timestamptz not null default now(),
    unique (epoch_id, resource)
) with (fillfactor = 50);
create index on ingest.streams (epoch_id) where not is_complete;

-- One row for each reading, or for a message without readings: the first part has the whole message, each further one its reading.
create table ingest.parts (
    stream int not null,
    number bigint not null,
    part int not null,
    received timestamptz not null default now(),
    -- CLOCK_BOOTTIME of the host in nanoseconds, and the same instant in UTC, as far as it is known
    stamp bigint,
    measured timestamptz,
    is_synchronized boolean not null,
    content jsonb not null
) partition by range (received);
-- One host in a time; all hosts in a time, however late some of it came
create index parts_stream on ingest.parts (stream, measured);
create index parts_measured on ingest.parts using brin (measured timestamptz_minmax_multi_ops) with (pages_per_range = 32);
create table ingest.parts_other partition of ingest.parts default;

create table ingest.losses (
    stream int not null references ingest.streams on delete cascade,
    numbers int8range not null,
    cause text not null,
    received timestamptz not null default now(),
    primary key (stream, numbers, cause)
);

create table ingest.gaps (
    stream int not null references ingest.streams on delete cascade,
    -- That of the message; 0, if the gap is at the end of the epoch, as the next one reported
    number bigint not null,
    item int not null,
    received timestamptz not null default now(),
    cause text not null,
    count bigint,
    from_nanoseconds bigint,
    until_nanoseconds bigint,
    gap jsonb not null,
    primary key (stream, number, item)
);
create index on ingest.gaps (received);

-- Both clocks of a host at one instant; outdated, if the clock was set afterwards
create table ingest.clocks (
    host text not null,
    boot text not null,
    boot_nanoseconds bigint not null,
    utc_microseconds bigint not null,
    is_synchronized boolean not null,
    is_outdated boolean not null default false,
    told timestamptz not null default now(),
    primary key (host, boot, boot_nanoseconds)
);

-- Streams whose times have to be put right, how far that is, and when it went on last
create table ingest.corrections (
    stream int primary key references ingest.streams on delete cascade,
    after timestamptz not null default '-infinity',
    worked timestamptz not null default '-infinity'
);

-- Messages that could not be taken, as they came, and how many there were
create table ingest.set_aside (
    id bigint generated always as identity primary key,
    received timestamptz not null default now(),
    host text not null,
    topic text not null,
    reason text not null,
    detail text not null,
    size bigint not null,
    -- The beginning of it, if it is large
    payload bytea not null
);
create index on ingest.set_aside (received);

create table ingest.set_aside_counts (
    day date not null,
    host text not null,
    reason text not null,
    messages bigint not null,
    primary key (day, host, reason)
);
