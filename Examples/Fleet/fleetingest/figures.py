"""What is counted and measured, for Prometheus: a table, and the page that shows it."""

import http.server
import threading
import time

# Name, type, label, meaning
TABLE = [
    ("connected", "gauge", None, "Whether the MQTT server is connected"),
    ("connections_total", "counter", None, "Connections to the MQTT server that were made"),
    ("received_messages_total", "counter", None, "Messages that came from the MQTT server"),
    ("received_bytes_total", "counter", None, "Their bytes, as they came"),
    ("waiting_messages", "gauge", None, "Messages that wait for a transaction"),
    ("stored_messages_total", "counter", None, "Numbered messages that were stored"),
    ("stored_readings_total", "counter", None, "Readings that were stored"),
    ("repeated_messages_total", "counter", None, "Numbered messages that were there already"),
    ("set_aside_messages_total", "counter", "reason", "Messages that were set aside, by the reason"),
    ("transactions_total", "counter", None, "Groups of messages that were committed"),
    ("transaction_seconds_total", "counter", None, "How long these took"),
    ("divided_groups_total", "counter", None, "Groups that the database refused, and that were divided"),
    ("database_failures_total", "counter", None, "Failures of the database, after each of which the writer waits and tries again"),
    ("committed_timestamp_seconds", "gauge", None, "When a group was committed last, in seconds since 1970"),
    ("requests_total", "counter", None, "Requests for what is missing"),
    ("corrected_readings_total", "counter", None, "Readings whose time was put right when the clock of their host was known"),
    ("keeper_failures_total", "counter", None, "Failures of what runs beside the writer: partitions, requests, corrections"),
    ("hosts", "gauge", "state", "Hosts, by the state that they told last: online, offline, lost, removed, other"),
    ("open_streams", "gauge", None, "Streams of epochs that have not ended, or of which something is missing"),
    ("missing_messages", "gauge", None, "Numbers that never came and were not reported as lost, of hosts that were not removed"),
    ("start_time_seconds", "gauge", None, "When the process started, in seconds since 1970"),
]
PREFIX = "sensorbroker_ingest_"


class Figures:
    def __init__(self):
        self.lock = threading.Lock()
        self.values = {name: {} if label else {None: 0} for name, _, label, _ in TABLE}
        self.set("start_time_seconds", time.time())

    def add(self, name, amount=1, label=None):
        with self.lock:
            values = self.values[name]
            values[label] = values.get(label, 0) + amount

    def set(self, name, value, label=None):
        with self.lock:
            self.values[name][label] = value

    def replace(self, name, values):
        """All labels of a figure."""
        with self.lock:
            self.values[name] = dict(values)

    def text(self):
        """Prometheus' text format."""
        lines = []
        with self.lock:
            for name, kind, label, meaning in TABLE:
                lines += [f"# HELP {PREFIX}{name} {meaning}", f"# TYPE {PREFIX}{name} {kind}"]
                for value_of, value in self.values[name].items():
                    labels = f'{{{label}="{escaped(value_of)}"}}' if label else ""
                    lines.append(f"{PREFIX}{name}{labels} {value!r}")
        return "\n".join(lines) + "\n"


def escaped(value):
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def serve(figures, host, port):
    """Shows the figures at http://HOST:PORT/metrics, and returns the server."""

    class Page(http.server.BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self):
            if self.path.partition("?")[0] not in ("/", "/metrics"):
                self.send_error(404)
                return
            body = figures.text().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer((host, port), Page)
    threading.Thread(target=server.serve_forever, name="figures", daemon=True).start()
    return server
