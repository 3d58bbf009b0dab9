#!/usr/bin/env python3
"""Writes docs/conformance.md from the table of behaviours: python3 Clients/conformance/page.py"""

import pathlib

import clients
import providing
import scripts

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/conformance.md"
HEAD = """# Conformance of the clients

This page is for authors of programs in more than one language, and for those who change a client. A scripted server plays the same
scripts to the Swift library, the C library, the Python package (its two interfaces, the second of them for asyncio), and
`sensorctl`; what a user of each sees is compared with one description, which
[Clients/conformance/README.md](../Clients/conformance/README.md) has in full. `Tests/System/test_conformance.py` plays them, and
compares this page, which `Clients/conformance/page.py` writes. The last tables are those of programs that are sensors themselves.

*Yes*: the user sees what is described. A number: the client differs for the reason below the table, and that is tested too. A dash: there is
nothing to be seen, for that reason.
"""


def text():
    """The page."""
    notes = []

    def cell(behaviour, client):
        reason = behaviour.differs.get(client.name)
        if reason is None:
            return "yes"
        applies = behaviour.applies_to(client.name)
        note = reason if applies else reason[2:]
        if note not in notes:
            notes.append(note)
        return f"{'differs' if applies else '-'} ({notes.index(note) + 1})"

    def tables(behaviours, players, prefix=""):
        for topic in dict.fromkeys(behaviour.topic for behaviour in behaviours):
            heading = prefix + topic
            lines.append(f"## {heading[0].upper()}{heading[1:]}\n")
            lines.append("| what a user sees | " + " | ".join(client.name for client in players) + " |")
            lines.append("| --- |" + " --- |" * len(players))
            for behaviour in behaviours:
                if behaviour.topic == topic:
                    cells = " | ".join(cell(behaviour, client) for client in players)
                    lines.append(f"| {behaviour.text[0].upper()}{behaviour.text[1:]} | {cells} |")
            lines.append("")

    lines = [HEAD]
    tables(scripts.BEHAVIOURS, clients.ALL)
    tables(providing.BEHAVIOURS, clients.PROVIDERS, "programs as sensors: ")
    lines.append("## Why some differ\n")
    lines += [f"{number}. {note[0].upper()}{note[1:]}." if not note.startswith("`") else f"{number}. {note}." for number, note in enumerate(notes, 1)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
