"""Connections to the database, and what its errors say."""

import psycopg

# A host that vanished, or a cut cable, is noticed within a minute.
ALIVE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}


def connect(address):
    """Each statement is its own transaction, unless a block makes one of several. What the address says of a setting holds."""
    given = psycopg.conninfo.conninfo_to_dict(address)
    return psycopg.connect(address, autocommit=True, **{name: value for name, value in ALIVE.items() if name not in given})


def first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def refuses(error):
    """Whether an error is one of what was stored: its data, its integrity, or a limit. Any other is a failure of the database."""
    return isinstance(error, (psycopg.DataError, psycopg.IntegrityError)) or (error.sqlstate or "")[:2] in ("22", "23", "54")
