"""What a benchmark leaves where it is told to: its lines, its figures as JSON, and their picture, which another Python draws."""

import json
import subprocess

from .process import HERE

PYTHON = HERE / ".venv/bin/python"


def prepare():
    """Fetches what draws, if it is not there: before a benchmark goes where there is no network."""
    subprocess.run(["make", "--silent", "-C", HERE, ".venv/ready"], check=True)


def write(path, lines, figures):
    """PATH.json and PATH.svg are beside the lines."""
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n")
    path.with_suffix(".json").write_text(json.dumps(figures, indent=1) + "\n")
    prepare()
    subprocess.run([PYTHON, HERE / "draw.py", path.with_suffix(".json")], check=True)
