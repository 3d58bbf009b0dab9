"""gpsd.py PORT COUNT: gpsd's own Python client, which reads so many reports."""

import sys

import gps
import measured

port, count = sys.argv[1], int(sys.argv[2])
session = gps.gps(host="127.0.0.1", port=port, mode=gps.WATCH_ENABLE | gps.WATCH_NEWSTYLE)
reports, total = -1, 0.0
for report in session:
    if report["class"] != "TPV":
        continue
    if reports < 0:
        measured.begin()
    reports += 1
    total += report["lat"] + report["lon"]
    if reports >= count:
        break
measured.end(reports, total)
