"""Cases of one test that mostly wait, all at the same time."""

import concurrent.futures


def at_once(cases, play, most=None):
    """Plays each case on a thread of its own, by its name, or so many at most; all must end without an error."""
    def attempt(name):
        try:
            return play(name)
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    names = list(cases)
    # A process ends with the thread that started it: the threads live until all cases have ended.
    with concurrent.futures.ThreadPoolExecutor(most or len(names)) as threads:
        faults = {name: fault for name, fault in zip(names, threads.map(attempt, names)) if fault}
    assert not faults, "\n".join(f"{name}: {fault}" for name, fault in faults.items())
