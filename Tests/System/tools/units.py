"""The files for systemd, by whose they are."""

from .programs import ROOT

UNITS = ROOT / "systemd"
NAMES = ["sensorbrokerd.service", "sensorbrokerd.socket", "sensorbrokerd-admin.socket", "sensorbrokerd-feed.socket"]
TEMPLATES = ["sensorbrokerd@.service", "sensorbrokerd@.socket", "sensorbrokerd-admin@.socket", "sensorbrokerd-feed@.socket"]
# Those that run sensorctl.
CLIENTS = ["sensorbroker-metrics.service", "sensorbroker-metrics.timer", "sensorbroker-record@.service"]
