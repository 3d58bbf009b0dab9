"""The clients of all languages behave alike: one set of scripts, a verdict for each (Clients/conformance/README.md)."""

import pathlib
import sys

import pytest

from tools.atonce import at_once
from tools.programs import ROOT

sys.path.insert(0, str(ROOT / "Clients/conformance"))

import clients  # noqa: E402
import providing  # noqa: E402
import scripts  # noqa: E402

CLIENTS = [client for client in clients.ALL if client is not clients.C or client.is_there()]


@pytest.mark.parametrize("topic", dict.fromkeys(behaviour.topic for behaviour in scripts.BEHAVIOURS))
def test_clients_behave_alike(topic, directory):
    """All behaviours and clients at once, each with a scripted broker of its own: they mostly wait, some for a minute and a half."""
    cases = {f"{behaviour.name} {client.name}": (behaviour, client) for behaviour in scripts.BEHAVIOURS for client in CLIENTS
             if behaviour.topic == topic and behaviour.applies_to(client.name)}

    def play(name):
        own = pathlib.Path(directory, name.replace(" ", "-"))
        own.mkdir()
        return scripts.run(*cases[name], own)

    at_once(cases, play)


@pytest.mark.parametrize("topic", dict.fromkeys(behaviour.topic for behaviour in providing.BEHAVIOURS))
def test_programs_that_are_sensors_behave_alike(topic, directory):
    """The same for providers."""
    cases = {f"{behaviour.name} {client.name}": (behaviour, client) for behaviour in providing.BEHAVIOURS for client in clients.PROVIDERS
             if behaviour.topic == topic and behaviour.applies_to(client.name)}

    def play(name):
        own = pathlib.Path(directory, name.replace(" ", "-"))
        own.mkdir()
        return providing.run(*cases[name], own)

    at_once(cases, play)


def test_the_page_is_of_the_table():
    import page

    assert page.PAGE.read_text() == page.text(), "write it again: python3 Clients/conformance/page.py"
