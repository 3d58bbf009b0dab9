"""The files of a recorder, as lines, samples and losses."""

import json

import zstandard

from tools.commands import run
from tools.stream import samples_of


def text(path, complete=True):
    """The lines of a file, decompressed by another program if it is compressed."""
    if path.suffix != ".zst":
        return path.read_text()
    if not complete:
        # The program may drop what it has not written when it finds that the end is missing.
        return zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()).decode()
    result = run("zstd", "-dcq", path, text=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def objects(path, complete=True):
    lines = text(path, complete).splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def numbers(lines):
    """The sequence numbers of all samples; of those of one reading, only the first is written."""
    return [line["sequence"] + index for line in lines if "sequence" in line for index in range(len(samples_of(line)))]


def told_losses(lines):
    """How many samples the broker took from a recorder that was held up for half a second, as a busy host may do."""
    gaps = [line["gap"] for line in lines if "gap" in line]
    return sum(gap["count"] for gap in gaps if (gap["resource"], gap["cause"]) == ("accelerometer", "slowClient"))


def check_each_is_there_or_told(lines):
    found = numbers([line for line in lines if line.get("resource") == "accelerometer"])
    assert found == sorted(set(found)) and found[-1] - found[0] + 1 - len(found) == told_losses(lines)


def series(directory, stem="drive"):
    return sorted(path for path in directory.iterdir() if path.name.startswith(stem + "-2"))
