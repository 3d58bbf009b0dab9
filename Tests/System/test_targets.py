"""Each target that `make help` or a page offers exists, and is run: by each change, or each night."""

import re

from tools.commands import must
from tools.programs import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
NIGHTLY = (ROOT / ".ci/nightly").read_text()
PAGES = [page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("Clients/**/README.md")]]
# In a sentence, and in a block of commands: indented, or between lines of ```.
NAMED = r"(?:`|^ *(?:\$ )?(?:sudo )?|&& )make ([a-z][a-z0-9-]*)"
# What runs the others: by CI, and by whoever has a night.
RUNNERS = {"test-all": {"test", "test-machines"}, "nightly": set(re.findall(r"^ *target ([a-z0-9-]+)", NIGHTLY, re.M))}


def offered():
    return set(re.findall(r"^ +make ([a-z0-9-]+)", must("make", "-C", ROOT, "--no-print-directory", "help"), re.M))


def test_each_target_that_is_offered_is_run():
    run = set(RUNNERS) | set().union(*RUNNERS.values())
    assert len(run) > 30
    assert offered() == run


def test_ci_runs_both_tiers():
    assert re.search(r"^make .* test-all ", (ROOT / ".ci/run").read_text(), re.M)
    recipes = {target: re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)[1] for target in ("test", "test-machines", "test-all")}
    assert [re.search(r"\.ci/test (\w+)$", recipe, re.M)[1] for recipe in recipes.values()] == ["quick", "machines", "all"]


def test_each_target_that_a_page_names_exists():
    known = set(re.findall(r"^([a-z0-9-]+):(?!=)", MAKEFILE, re.M))
    named = {(page.name, target) for page in PAGES for target in re.findall(NAMED, page.read_text(), re.M)}
    assert len({target for _, target in named}) > 10
    assert not [(page, target) for page, target in named if target not in known]
