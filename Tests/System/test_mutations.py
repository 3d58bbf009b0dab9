"""Each mutation of `make mutants`, which takes minutes, still applies to the sources."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTATIONS = sorted((ROOT / "Tests/Broker/Simulation/mutations").glob("*.patch"))


@pytest.mark.parametrize("patch", MUTATIONS, ids=lambda patch: patch.stem)
def test_each_mutation_still_applies(patch):
    lines = patch.read_text().splitlines()
    names = [line.removeprefix("+++ b/") for line in lines if line.startswith("+++ ")]
    starts = [index for index, line in enumerate(lines) if line.startswith("@@ ")]
    assert len(names) == 1 and starts, "one file, one place or more"
    text = (ROOT / names[0]).read_text()
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        broken = [line[1:] for line in lines[start + 1:end] if line[:1] in (" ", "-")]
        assert "\n".join(broken) + "\n" in text, f"{names[0]} does not have these lines any more"
