"""The behaviours of clients that are sensors themselves: for each one a script, and what the program must see; in the order of the page."""

import json

import providing_samples  # noqa: F401  adds to the table
import providing_absence  # noqa: F401
from judging import difference
from providing_stage import BEHAVIOURS, Stage  # noqa: F401


def run(behaviour, client, directory):
    """Plays a script to a provider; returns how what its user saw differs from what was to be seen."""
    stage = Stage(directory, client)
    try:
        expected = behaviour.play(stage)
        return difference(stage.client.finish(), json.loads(json.dumps(expected)))
    finally:
        stage.close()
