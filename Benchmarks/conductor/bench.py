"""What was measured: figures by suite, case, system and round; and the order in which it is measured."""

import contextlib
import dataclasses
import sys
import time
from collections.abc import Callable

from .process import stop_all
from .systems import READINGS, Broker


@dataclasses.dataclass
class Step:
    """What is measured in one go: a case of a suite, with every system in turn."""

    name: str
    run: Callable[[], None]
    # How often it is measured, if not as often as others: what depends little on what the machine does meanwhile, once.
    rounds: int | None = None


class Bench:
    """Rounds go over all steps, and a step over its systems, so that what the machine does meanwhile hits each alike."""

    def __init__(self, quick, seconds):
        self.quick, self.seconds = quick, seconds
        self.figures, self.failures, self.messages = {}, [], {}

    def run(self, steps, rounds):
        most = max([rounds, *(step.rounds or 0 for step in steps)])
        plan = [(turn, step) for turn in range(most) for step in steps if turn < (step.rounds or rounds)]
        began = time.monotonic()
        for done, (turn, step) in enumerate(plan):
            took = time.monotonic() - began
            left = f", {clock(took / done * (len(plan) - done))} left" if done > 2 else ""
            print(f"[{done + 1}/{len(plan)}, {clock(took)}{left}] round {turn + 1}: {step.name}", file=sys.stderr, flush=True)
            try:
                step.run()
            except Exception as error:
                # The other cases have taken their time too; the report names those that are missing.
                self.failures.append(f"round {turn + 1}, {step.name}: {type(error).__name__}: {error}")
                stop_all()
                print(f"NOT MEASURED: {self.failures[-1]}", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def started(self, system, *arguments, **options):
        running = system(*arguments, **options)
        try:
            yield running
        finally:
            running.close()

    def message(self, kind):
        """One whole message of the broker's, for rivals to send the same bytes; it is asked once."""
        if kind not in self.messages:
            with self.started(Broker, READINGS[kind][1]) as broker:
                self.messages[kind] = broker.message()
        return self.messages[kind]

    def note(self, suite, case, system, values):
        for name, value in values.items():
            self.figures.setdefault((suite, case, name), {}).setdefault(system, []).append(value)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
