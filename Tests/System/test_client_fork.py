"""Clients whose process has a child of fork(): what they close ends although the child has a copy, and the child ends nothing of theirs."""

import asyncio
import contextlib
import os
import signal
import subprocess

from tools import commands
from tools.administration import subscribers
from tools.cclient import SOURCES, STRICT, run
from tools.daemon import die_with_parent
from tools.feeding import audience, fed  # noqa: F401  fixtures
from tools.programs import PATIENCE
from tools.waiting import until

from sensorbroker import Broker, Connected, Demand, Interrupted, Reading, RefusedSamples, aio, now_ns

HOUR = 3600 * 1_000_000_000


@contextlib.contextmanager
def child(act=lambda: None):
    """A child of fork() with a copy of all that is open here: it has acted when the block begins, and lives until that ends."""
    told, tells = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            die_with_parent()
            act()
            os.write(tells, b"!")
            signal.pause()
        finally:
            os._exit(1)
    os.close(tells)
    try:
        assert os.read(told, 1) == b"!", "the child failed"
        yield
    finally:
        os.close(told)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


async def event_of(events, kind):
    return await asyncio.wait_for(anext(event async for event in events if isinstance(event, kind)), PATIENCE)


def test_a_name_is_free_when_its_provider_is_closed(fed):
    broker = Broker(fed().broker)
    with broker.provide("light:desk") as first:
        assert first.next_event(PATIENCE) == Demand(False)
        with child():
            first.close()
            with broker.provide("light:desk") as second:
                assert second.next_event(PATIENCE) == Demand(False)


def test_a_name_is_free_when_its_provider_is_closed_with_asyncio(fed):
    async def provide():
        broker = aio.Broker(daemon.broker)
        async with broker.provide("light:desk") as first:
            assert await event_of(first.events(), object) == Demand(False)
            with child():
                first.close()
                async with broker.provide("light:desk") as second:
                    assert await event_of(second.events(), object) == Demand(False)

    daemon = fed()
    asyncio.run(provide())


def await_no_stream(daemon):
    until(lambda: not subscribers(daemon), "the end of the stream")


def test_a_closed_stream_is_sent_no_more(daemon):
    with contextlib.ExitStack() as child_lives:
        with Broker(daemon.broker).subscribe("accelerometer") as stream:
            next(stream)
            child_lives.enter_context(child())
        await_no_stream(daemon)


def test_a_closed_stream_is_sent_no_more_with_asyncio(daemon):
    async def follow():
        stream = aio.Broker(daemon.broker).subscribe("accelerometer")
        await event_of(stream.events(), Reading)
        with child():
            stream.close()
            await_no_stream(daemon)

    asyncio.run(follow())


def test_a_child_ends_nothing_of_its_parents(fed):
    broker = Broker(fed().broker)
    with broker.provide("light:desk") as light:
        assert light.next_event(PATIENCE) == Demand(False)
        with broker.subscribe("light:desk") as stream:

            def leave():
                stream.__exit__(None, None, None)
                light.__exit__(None, None, None)

            events = stream.events()
            assert isinstance(next(events), Connected) and light.wait(PATIENCE)
            with child(leave):
                assert light.push(7, timestamp_ns=(stamp := now_ns()))
                reading = next(event for event in events if isinstance(event, (Interrupted, Reading)))
                assert (reading.timestamp_ns, reading["value"], light.outage) == (stamp, 7, None)


def test_a_child_ends_nothing_of_its_parents_with_asyncio(fed):
    async def follow():
        broker = aio.Broker(daemon.broker)
        async with broker.provide("light:desk") as light, broker.subscribe("light:desk") as stream:
            assert await event_of(light.events(), object) == Demand(False)
            await event_of(stream.events(), Connected)
            assert await asyncio.wait_for(light.wait(), PATIENCE)

            def leave():
                stream.close()
                light.close()

            with child(leave):
                # The loop hears both of them still.
                assert light.push(7, timestamp_ns=(stamp := now_ns()))
                reading = await event_of(stream.events(), (Interrupted, Reading))
                assert (reading.timestamp_ns, reading["value"]) == (stamp, 7)
                assert light.push(8, timestamp_ns=now_ns() + HOUR)
                assert isinstance(await event_of(light.events(), (Interrupted, RefusedSamples)), RefusedSamples)

    daemon = fed()
    asyncio.run(follow())


def test_what_was_pushed_before_the_end_is_read(fed, audience):
    """Even if the broker finds all of it together with the end."""
    daemon = fed()
    with Broker(daemon.broker).provide("light:desk", interval=0.001) as light:
        assert light.next_event(PATIENCE) == Demand(False)
        client = audience(daemon.broker, "light:desk")
        assert light.wait(PATIENCE)
        daemon.send_signal(signal.SIGSTOP)
        pushed = []
        for number in range(50):
            pushed.append((now_ns(), (float(number),)))
            assert light.push(number, timestamp_ns=pushed[-1][0])
        with child():
            light.close()
            daemon.send_signal(signal.SIGCONT)
            assert client.await_rows("light:desk", 50) == pushed
            client.await_state("light:desk", "unavailable")


PROGRAM = r"""
#include <sensorbroker.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sb_provider *provide(void) {
    struct sb_offer offer = { .name = "light:desk", .channels = "value" };
    struct sb_provision provision = { .offers = &offer, .offer_count = 1 };
    sb_provider *provider = sb_provide(NULL, &provision);
    const struct sb_provider_event *event = sb_provider_next(provider, -1);
    puts(event->type == SB_PROVIDER_DEMAND ? "provides" : event->failure->text);
    return provider;
}

int main(void) {
    struct sb_request request = { .resource = "accelerometer", .interval_ns = SB_HZ(50) };
    sb_client *client = sb_open(NULL);
    sb_provider *provider;
    pid_t child;
    setvbuf(stdout, NULL, _IOLBF, 0);
    provider = provide();
    sb_subscribe(client, &request);
    while (sb_next(client, -1)->type != SB_READING) continue;
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
    sb_close(client);
    sb_provider_close(provider);
    provider = provide();
    (void)getchar();
    sb_provider_close(provider);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return 0;
}
"""


def test_what_a_program_in_c_closes_ends(fed, tmp_path):
    daemon = fed()
    source = tmp_path / "forks.c"
    source.write_text(PROGRAM)
    program = tmp_path / "forks"
    run("gcc", "-std=gnu99", *STRICT, f"-I{SOURCES}", "-o", program, source, SOURCES / "sensorbroker.c")
    with commands.start(program, broker=daemon, stdin=subprocess.PIPE) as process:
        assert [process.stdout.readline() for _ in range(2)] == 2 * ["provides\n"]
        await_no_stream(daemon)
    assert process.returncode == 0
