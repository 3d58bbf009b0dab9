#!/usr/bin/env python3
"""A phone's position: takes what the app OwnTracks posts (mode HTTP), and prints a line for each.

    python3 phone.py 8080 | sensorctl feed location --name location:phone
"""

import http.server
import json
import sys
import time

# What OwnTracks says, what the broker calls it, and its unit in the broker's. A phone's errors are those of 68 in 100 cases, the broker's
# of 95.
FIELDS = (("lat", "latitudeDegrees", 1), ("lon", "longitudeDegrees", 1), ("alt", "altitudeMeters", 1),
          ("acc", "horizontalErrorMeters", 1.62), ("vac", "verticalErrorMeters", 1.97), ("vel", "speedMetersPerSecond", 1 / 3.6),
          ("cog", "trackDegrees", 1))


def location(post):
    """The location of a post; None if it is about something else."""
    if post.get("_type") != "location":
        return None
    found = {name: float(post[key]) * factor for key, name, factor in FIELDS if key in post}
    # The app keeps posts while it has no network: each has its time on this host's clock, so that an old one is none of now.
    age = max(0, time.time_ns() - int(post["tst"] * 1_000_000_000))
    measured = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - age
    return {"timestampNanoseconds": measured, "utcMicroseconds": int(post["tst"] * 1_000_000), **found}


class Posts(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 16))
        try:
            found = location(json.loads(body))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.send_error(400, explain=repr(error))
            return
        if found is not None:
            print(json.dumps(found), flush=True)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_):
        """The standard error is for what is wrong."""


if __name__ == "__main__":
    http.server.HTTPServer(("", int(sys.argv[1])), Posts).serve_forever()
