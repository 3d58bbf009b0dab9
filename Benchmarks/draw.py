"""Draws the picture of a benchmark's figures, beside them.

usage: draw.py DIRECTORY/NAME.json...    NAME is one of those in conductor/pictures.py
"""

import json
import pathlib
import sys

from conductor.looks import save
from conductor.pictures import PICTURES

for path in map(pathlib.Path, sys.argv[1:]):
    if figure := PICTURES[path.stem](json.loads(path.read_text())):
        save(figure, path.with_suffix(".svg"))
