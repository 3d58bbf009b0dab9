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

# What is played, and to whom: clients, and programs that are sensors.
PLAYED = [(scripts, [client for client in clients.ALL if client is not clients.C or client.is_there()]), (providing, clients.PROVIDERS)]


@pytest.mark.parametrize("scripts, players, topic", [
    pytest.param(scripts, players, topic, id=f"{scripts.__name__}-{topic}")
    for scripts, players in PLAYED for topic in dict.fromkeys(behaviour.topic for behaviour in scripts.BEHAVIOURS)])
def test_clients_behave_alike(scripts, players, topic, directory):
    """All behaviours and clients at once, each with a scripted broker of its own: they mostly wait, some for a minute and a half."""
    cases = {f"{behaviour.name} {client.name}": (behaviour, client) for behaviour in scripts.BEHAVIOURS for client in players
             if behaviour.topic == topic and behaviour.applies_to(client.name)}

    def play(name):
        own = pathlib.Path(directory, name.replace(" ", "-"))
        own.mkdir()
        return scripts.run(*cases[name], own)

    at_once(cases, play)


def test_the_page_is_of_the_table():
    import page

    assert page.PAGE.read_text() == page.text(), "write it again: python3 Clients/conformance/page.py"
