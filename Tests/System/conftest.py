"""Fixtures of all tests here."""

from fixtures import daemon, directory, start  # noqa: F401
from road import road  # noqa: F401  a fixture
