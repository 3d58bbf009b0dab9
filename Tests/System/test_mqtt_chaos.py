"""Everything is killed, cut and stalled in an order that a seed decides; then nothing may be missing that was not reported.

Many seeds run on virtual time (ChaosTests); here each fault comes once, with real processes. CHAOS_SEEDS and CHAOS_FAULTS in the
environment make it longer.
"""

import os
import random
import time

import pytest

from tools.bridge import Bridge
from tools.consumer import Consumer
from tools.mosquitto import Mosquitto
from tools.network import Proxy

SEEDS = int(os.environ.get("CHAOS_SEEDS", "1"))
FAULTS = int(os.environ.get("CHAOS_FAULTS", "5"))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_chaos_loses_nothing_that_is_not_reported(closing, directory, daemon, seed):
    dice = random.Random(seed)
    server = closing(Mosquitto(directory)).start()
    network = closing(Proxy(server.port, delay=0.01))
    bridge = closing(Bridge(directory, daemon.broker, f"mqtt://127.0.0.1:{network.port}")).start()
    consumer = closing(Consumer(server.port))

    def kill_server():
        server.kill()
        time.sleep(dice.uniform(0, 1))
        server.start()

    def kill_bridge():
        bridge.kill()
        time.sleep(dice.uniform(0, 1))
        bridge.start()

    def stall():
        network.stall()
        time.sleep(dice.uniform(0.5, 2))
        network.go()

    def refuse():
        network.refuse()
        time.sleep(dice.uniform(0.5, 2))
        network.refuse(False)

    faults = [kill_server, kill_bridge, network.cut, stall, refuse]
    for fault in dice.sample(faults, len(faults)) + dice.choices(faults, k=max(0, FAULTS - len(faults))):
        consumer.await_count("location", consumer.count("location") + dice.randint(1, 10))
        fault()
    # What was measured until here, and something after it.
    consumer.await_count("location", consumer.count("location") + 10)
    consumer.await_all(resend=True)
    assert not consumer.lost
