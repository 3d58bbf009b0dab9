"""What was measured: figures by suite, case, system and round; and the order in which it is measured."""

import contextlib
import statistics


class Bench:
    """Rounds go over all systems in turn, so that what the machine does meanwhile hits each alike."""

    def __init__(self, quick, seconds):
        self.quick, self.seconds = quick, seconds
        self.figures = {}

    @contextlib.contextmanager
    def started(self, system, *arguments, **options):
        running = system(*arguments, **options)
        try:
            yield running
        finally:
            running.close()

    def note(self, suite, case, system, values):
        for name, value in values.items():
            self.figures.setdefault((suite, case, name), {}).setdefault(system, []).append(value)

    def median(self, suite, case, name, system):
        return statistics.median(self.figures[suite, case, name][system])
