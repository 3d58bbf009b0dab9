"""Where the built programs are, and what belongs to this checkout."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTERFACES = ROOT / "Sources/Varlink/Interfaces"

SENSORBROKERD = os.environ.get("SENSORBROKERD_BIN", str(ROOT / ".build/debug/sensorbrokerd"))
SENSORCTL = os.environ.get("SENSORCTL_BIN", str(ROOT / ".build/debug/sensorctl"))
CERTIFICATION_SERVER = os.environ.get(
    "CERTIFICATION_SERVER_BIN", str(ROOT / ".build/debug/certification-server")
)
CERTIFICATION_CLIENT = os.environ.get(
    "CERTIFICATION_CLIENT_BIN", str(ROOT / ".build/debug/certification-client")
)

BROKER = "io.sensorbroker.Broker"
ADMIN = "io.sensorbroker.Admin"

# Long enough for a loaded machine: a wait that ends by it is a failure, never a measurement.
PATIENCE = 30.0
