"""The clients of all languages behave alike: one set of scripts, a verdict for each (Clients/conformance/README.md)."""

import concurrent.futures
import pathlib
import sys

import pytest

from tools.programs import ROOT

sys.path.insert(0, str(ROOT / "Clients/conformance"))

import clients  # noqa: E402
import scripts  # noqa: E402

CLIENTS = [client for client in clients.ALL if client is not clients.C or client.is_there()]


@pytest.mark.parametrize("behaviour", scripts.BEHAVIOURS, ids=lambda behaviour: behaviour.name)
def test_clients_behave_alike(behaviour, directory):
    """All clients at once, each with a scripted broker of its own: they mostly wait, some behaviours for a minute and a half."""
    playing = [client for client in CLIENTS if behaviour.applies_to(client.name)]
    with concurrent.futures.ThreadPoolExecutor(len(playing)) as threads:
        verdicts = {client.name: threads.submit(play, behaviour, client, pathlib.Path(directory)) for client in playing}
    assert not {name: verdict.result() for name, verdict in verdicts.items() if verdict.result()}


def play(behaviour, client, directory):
    """What a client did differently; an error of a script is such a difference, too."""
    own = directory / client.name
    own.mkdir()
    try:
        return scripts.run(behaviour, client, own)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_the_page_is_of_the_table():
    import page

    assert page.PAGE.read_text() == page.text(), "write it again: python3 Clients/conformance/page.py"
