"""The options, each of which may stand in the environment instead: --client-id is FLEET_CLIENT_ID. No password on a command line."""

import argparse
import os
import pathlib
import re
import ssl
import urllib.parse


def days(word):
    value = int(word)
    if value < 1:
        raise argparse.ArgumentTypeError("at least a day")
    return value


def seconds(word):
    value = float(word)
    if not 0.1 <= value <= 86_400:
        raise argparse.ArgumentTypeError("from 0.1 to 86400")
    return value


def address(word):
    """PORT or HOST:PORT; this host only, unless it says otherwise."""
    host, _, port = word.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise argparse.ArgumentTypeError("PORT or HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


# Option, type, default, what it is
TABLE = [
    ("--server", str, "localhost", "the MQTT server: a name, or a URL, mqtts://NAME:PORT for an encrypted connection"),
    ("--port", int, None, "its port (1883, and 8883 for mqtts)"),
    ("--mqtt-version", str, "5", "5 or 3.1.1"),
    ("--client-id", str, "fleet-ingest", "by which the server knows this program, and keeps messages for it"),
    ("--user", str, None, "the user for the MQTT server"),
    ("--password-file", pathlib.Path, None, "a file whose first line is the password; or FLEET_PASSWORD in the environment"),
    ("--authority", pathlib.Path, None, "certificates of authorities to trust, instead of the system's"),
    ("--certificate", pathlib.Path, None, "this client's certificate, with its chain"),
    ("--key", pathlib.Path, None, "its key"),
    ("--prefix", str, "fleet", "the first part of all topics"),
    ("--database", str, "", "a connection string of libpq; what it lacks comes from PGHOST, PGSERVICE, PGPASSFILE and so on"),
    ("--keep-days", days, None, "drop readings so many days after they came (never)"),
    ("--ask-every", seconds, 60, "the shortest time in seconds between requests for the same numbers (60)"),
    ("--window", int, 1000, "how many messages may be without an acknowledgement (1000)"),
    ("--metrics", address, None, "show figures for Prometheus at PORT, or HOST:PORT"),
]


def variable(option):
    return "FLEET_" + option[2:].replace("-", "_").upper()


def parse(arguments=None, environment=os.environ):
    parser = argparse.ArgumentParser(
        prog="ingest.py", description="Puts what sensorbroker-mqtt sends into PostgreSQL, and asks for what is missing.",
        epilog="Each option may stand in the environment: --client-id is FLEET_CLIENT_ID.", allow_abbrev=False)
    for option, kind, default, what in TABLE:
        # A text is read as on the command line.
        parser.add_argument(option, type=kind, default=environment.get(variable(option), default), help=what)
    parser.add_argument("--migrate", action="store_true", help="bring the database's schema to this version, and end")
    words = parser.parse_args(arguments)
    if re.search(r"\bpassword\s*=", words.database) and words.database != environment.get("FLEET_DATABASE"):
        parser.error("no password on a command line, which every user of the host can read: use PGPASSFILE, or FLEET_DATABASE")
    if words.mqtt_version not in ("5", "3.1.1"):
        parser.error("--mqtt-version is 5 or 3.1.1")
    words.version = 5 if words.mqtt_version == "5" else 4
    if not 1 <= words.window <= 65_535:
        parser.error("--window is from 1 to 65535")
    words.prefix = words.prefix.strip("/")
    if not words.prefix or re.search("[+#\0]", words.prefix):
        parser.error("--prefix is the beginning of a topic, without + and #")
    try:
        encrypt(words)
        words.password = password(words.password_file, environment)
    except (OSError, ssl.SSLError, ValueError) as error:
        parser.error(str(error))
    return words


def encrypt(words):
    """Takes a URL apart; `context` is none without encryption."""
    is_encrypted = bool(words.authority or words.certificate)
    if "://" in words.server:
        url = urllib.parse.urlsplit(words.server)
        if url.scheme not in ("mqtt", "mqtts") or not url.hostname:
            raise ValueError("--server is a name, mqtt://NAME[:PORT] or mqtts://NAME[:PORT]")
        if url.password is not None or url.username is not None:
            raise ValueError("no user or password in the URL: use --user and --password-file")
        is_encrypted = url.scheme == "mqtts" or is_encrypted
        words.server, words.port = url.hostname, url.port or words.port
    words.port = words.port or (8883 if is_encrypted else 1883)
    words.context = None
    if is_encrypted:
        words.context = ssl.create_default_context(cafile=words.authority)
        if words.certificate:
            words.context.load_cert_chain(words.certificate, words.key)


def password(path, environment):
    if path is None:
        return environment.get("FLEET_PASSWORD")
    lines = path.read_text().splitlines()
    if not lines:
        raise ValueError(f"{path} is empty")
    return lines[0]
