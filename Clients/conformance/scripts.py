"""The behaviours of clients: for each one a script, and what a user of the client must see; in the order of the page."""

import scripts_streams  # noqa: F401  adds to the table
import scripts_reconnect  # noqa: F401
import scripts_calls  # noqa: F401
import scripts_hostile  # noqa: F401
from judging import difference
from stage import Stage
from table import BEHAVIOURS  # noqa: F401


def run(behaviour, client, directory):
    """Plays a script to a client; returns how what its user saw differs from what was to be seen."""
    stage = Stage(directory, client)
    try:
        expected = behaviour.play(stage)
        return difference(stage.client.finish(), expected) if stage.client.events or expected else ""
    finally:
        stage.close()
