"""What each Python client that is measured prints at its end, as client.h does: its own processor time and memory, from the first sample on."""

import json
import resource

first = None


def begin():
    global first
    first = resource.getrusage(resource.RUSAGE_SELF)


def private_kib():
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))


def end(samples, total):
    last = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "samples": samples, "user": last.ru_utime - first.ru_utime, "system": last.ru_stime - first.ru_stime,
        "private": private_kib(), "sum": float(total)}))
