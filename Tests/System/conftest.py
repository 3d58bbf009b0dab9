"""Fixtures of all tests here."""

from fixtures import daemon, directory, start  # noqa: F401
