"""The fixtures ``mock_broker`` and ``fake_broker`` for pytest, which finds this module by the package's entry point."""

from __future__ import annotations

from typing import Iterator

import pytest

from . import FakeBroker, MockBroker


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers", "sensorbroker(scenario, speed=..., options=...): what the simulated sensors of mock_broker measure"
    )


@pytest.fixture
def mock_broker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[MockBroker]:
    """A broker with simulated sensors for this test alone; ``SENSORBROKER_SOCKET`` leads to it."""
    marker = request.node.get_closest_marker("sensorbroker")
    arguments, options = (marker.args, marker.kwargs) if marker is not None else ((), {})
    with MockBroker(*arguments, **options) as broker:
        monkeypatch.setenv("SENSORBROKER_SOCKET", broker.socket)
        yield broker


@pytest.fixture
def fake_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBroker]:
    """A broker that says what this test tells it to; ``SENSORBROKER_SOCKET`` leads to it."""
    with FakeBroker() as broker:
        monkeypatch.setenv("SENSORBROKER_SOCKET", broker.socket)
        yield broker
