"""What tests share is in `tools`: no test file imports another, and none waits, or runs sensorctl, in a way of its own."""

import re

import pytest

from tools.programs import ROOT

FILES = sorted(path for folder in ("System", "VM", "Package") for path in (ROOT / "Tests" / folder).glob("test_*.py")
               if path.name != "test_toolbox.py")
# Without those that are the one way themselves, or block until something comes instead of asking again.
TOOLS = sorted(path for path in (ROOT / "Tests/System/tools").glob("*.py")
               if path.stem not in ("commands", "daemon", "fixtures", "ports", "stream", "waiting"))
RULES = {
    r"^ *(from|import) test_": "imports another test file; what both need belongs in tools",
    r"^ *def (until|wait_until|eventually)\(\w*condition": "waits in a way of its own; there is tools.waiting.until",
    r"^ *def sensorctl\(": "runs sensorctl in a way of its own; there is tools.commands.sensorctl",
    r"^ *def (free_port|die_with_parent|closing)\(": "has its own copy of what is in tools",
    r"time\.monotonic\(\) *[<>]|[<>]=? *time\.monotonic\(\)": "has a loop with a deadline; there is tools.waiting.until",
}


def violations(text):
    return [f"line {number}: {why}" for number, line in enumerate(text.splitlines(), 1)
            for pattern, why in RULES.items() if re.search(pattern, line)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_uses_the_toolbox(path):
    assert violations(path.read_text()) == []


@pytest.mark.parametrize("line", [
    "from test_mqtt import closing", "    import test_mqtt", "def until(condition, what):", "    def sensorctl(*words):",
    "    while time.monotonic() < deadline:", "    assert deadline > time.monotonic()"])
def test_each_rule_finds_what_it_forbids(line):
    assert len(violations(line)) == 1


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.name)
def test_a_tool_uses_the_others(path):
    assert violations(path.read_text()) == []
