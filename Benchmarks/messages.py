"""What a message to each of a hundred clients costs the daemon, beside a loop in C that sends the same bytes: instructions, the kernel's
included, in a machine that counts them (Tests/VM/count).

usage: messages.py [--seconds N] --out FILE    figures as JSON and a picture are beside FILE

A message that costs more than it may is a failure: instructions hardly depend on the host, by a hundredth from run to run.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

from conductor.written import prepare, write

COUNT = pathlib.Path(__file__).resolve().parent.parent / "Tests/VM/count"
# As the test prints it.
LINE = re.compile(r"^(?P<server>[^:]+): (?P<message>[^:]+): \d+ messages, (?P<instructions>\d+) instructions a message")
# How many times as many as the loop's; the goal of packed ones is 1.2, and a run is good to a hundredth or two.
MOST = {"acceleration": 1.12, "location": 1.15, "100 accelerations in a batch": 1.3, "the same, packed": 1.22}
SERVERS = {"sensorbrokerd": "sensorbrokerd", "the loop in C": "bare C loop", "the loop in C behind a thread": "bare C loop behind a thread"}


def main():
    parser = argparse.ArgumentParser(description="Counts the instructions of a message.")
    parser.add_argument("--seconds", type=int, default=40, help="for each of them")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the table goes, and beside it figures and picture")
    options = parser.parse_args()
    prepare()
    counting = subprocess.Popen(
        [COUNT, "messages"], env=os.environ | {"VM_SECONDS": str(options.seconds)}, stdout=subprocess.PIPE, text=True)
    figures = []
    for line in counting.stdout:
        print(line, end="", flush=True)
        if (found := LINE.match(line)) and (server := SERVERS.get(pathlib.Path(found["server"]).name)):
            figures.append({"server": server, "message": found["message"], "instructions": int(found["instructions"])})
    if counting.wait():
        sys.exit(counting.returncode)
    servers = list(SERVERS.values())
    costs = {(row["message"], row["server"]): row["instructions"] for row in figures}
    lines = [f"{'instructions for a message to each of 100 clients':50}" + "".join(f"{server:>30}" for server in servers) + f"{'ratio':>8}"]
    for message in dict.fromkeys(row["message"] for row in figures):
        ours, loop, behind = (costs[message, server] for server in servers)
        lines.append(f"{message:50}{ours:30,}{loop:30,}{behind:30,}{ours / loop:8.2f}")
    print("\n".join(lines))
    write(options.out, lines, figures)
    dear = [f"{message} (more than {most})" for message, most in MOST.items()
            if costs[message, "sensorbrokerd"] > most * costs[message, "bare C loop"]]
    if dear:
        sys.exit("messages.py: too dear: " + ", ".join(dear))


if __name__ == "__main__":
    main()
