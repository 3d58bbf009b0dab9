#!/usr/bin/env python3
"""Writes accelerations as CSV, a line a sample, until Ctrl-C; what is missing is a line of its own, beginning with #.

    python3 logger.py accelerometer 100 > log.csv
"""

import csv
import sys

from sensorbroker import Broker, Gap, Grant, Interrupted, Reading, SensorError, State


def main(resource: str = "accelerometer", rate: str = "50") -> int:
    """Runs until Ctrl-C."""
    out = csv.writer(sys.stdout)
    try:
        with Broker().subscribe(resource, rate=float(rate)) as stream:
            for event in stream.events():
                if isinstance(event, Reading):
                    for stamp, values in event.samples():
                        out.writerow([stamp, *values.values()])
                elif isinstance(event, (Gap, State, Grant, Interrupted)):
                    print("#", event)
                sys.stdout.flush()
    except KeyboardInterrupt:
        return 0
    except SensorError as error:
        print(f"logger: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
