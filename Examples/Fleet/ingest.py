#!/usr/bin/env python3
"""Puts what sensorbroker-mqtt sends into PostgreSQL, and asks for what is missing; README.md tells how to use it."""

from fleetingest.__main__ import main

if __name__ == "__main__":
    main()
