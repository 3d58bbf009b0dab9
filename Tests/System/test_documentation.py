"""What the documentation says about tests is true."""

import re

import pytest

from programs import ROOT

FAULTS = (ROOT / "docs/faults.md").read_text()


@pytest.mark.parametrize("module, name", sorted(set(re.findall(r"`(test_\w+)::(test_\w+)`", FAULTS))))
def test_a_test_that_is_named_is_there(module, name):
    assert any(re.search(rf"def {name}\b", path.read_text()) for path in ROOT.glob(f"Tests/*/{module}.py"))


@pytest.mark.parametrize("suite, title", sorted(set(re.findall(r'`(\w+Tests)` "([^"]+)"', FAULTS))))
def test_a_unit_test_that_is_named_is_there(suite, title):
    assert any(f'"{title}"' in path.read_text() for path in ROOT.glob(f"Tests/*/{suite}.swift"))


def test_the_table_has_all_rows_and_each_has_a_test():
    rows = [line for line in FAULTS.splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, 27))
    assert all(re.search(r"`test_\w+::test_|Tests` \"", row) for row in rows)
