"""The clients, each as a process whose lines are its events."""

import fcntl
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from scripted_broker import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SENSORBROKER_BUILD", ROOT / ".build/debug"))


class Client:
    """A test program: its events are the JSON lines that it prints."""

    name = ""

    def __init__(self, socket):
        self.socket = str(socket)
        self.events = []
        self.notes = []
        self.process = None
        self.status = None
        self.changed = threading.Condition()

    def command_line(self, requests):
        raise NotImplementedError

    environment = {}

    def start(self, *requests):
        self.process = subprocess.Popen(
            self.command_line(requests), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **self.environment}, text=True, bufsize=1)
        self.threads = [threading.Thread(target=self._follow, args=(self.process.stdout, self.take), daemon=True),
                        threading.Thread(target=self._follow, args=(self.process.stderr, self.notes.append), daemon=True)]
        for thread in self.threads:
            thread.start()

    def _follow(self, stream, take):
        for line in stream:
            take(line.rstrip("\n"))
        with self.changed:
            self.changed.notify_all()

    def take(self, line):
        """Takes in a line of the output."""
        event = json.loads(line)
        self.add(event)

    def add(self, event):
        with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def see(self, event, count=1, **members):
        """Waits until it has printed so many such events."""
        wanted = {"event": event, **members}
        deadline = time.monotonic() + PATIENCE
        with self.changed:
            while sum(matches(one, wanted) for one in self.events) < count:
                left = deadline - time.monotonic()
                assert left > 0 and not self._has_ended(), f"no {count} × {wanted}: {self.report()}"
                self.changed.wait(min(left, 1))

    def events_of(self, kind):
        """The events of a kind so far."""
        with self.changed:
            return [event for event in self.events if event["event"] == kind]

    def forget(self, count, *kinds):
        """Waits for so many events of these kinds, and leaves them out of what is judged."""
        with self.changed:
            found = self.changed.wait_for(lambda: sum(event["event"] in kinds for event in self.events) == count, PATIENCE)
            assert found, self.report()
            self.events = [event for event in self.events if event["event"] not in kinds]

    def _has_ended(self):
        return not any(thread.is_alive() for thread in self.threads)

    def finish(self):
        """Ends the program, which must exit as it should; returns its events."""
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self._await_exit()
        failed = any(event["event"] == "error" for event in self.events)
        assert self.status == (1 if failed else 0), f"exit status {self.status}: {self.report()}"
        return self.events

    def _await_exit(self):
        try:
            self.status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not end: {self.report()}") from None
        for thread in self.threads:
            thread.join()

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def report(self):
        return json.dumps(self.events[-20:]) + "\n" + "\n".join(self.notes[-40:])


class Swift(Client):
    name = "Swift"

    def command_line(self, requests):
        return [os.environ.get("CONFORM_SWIFT_BIN", str(BUILD / "conform-swift")), self.socket, *requests]


class C(Client):
    name = "C"

    # Any error of the sanitizers ends the program with another status than 0 and 1.
    environment = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=1", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98"}

    @classmethod
    def is_there(cls):
        return (ROOT / "Clients/c/tests/conform.c").exists()

    @classmethod
    def build(cls):
        """Builds the test program with the sanitizers, if it is older than its sources; others wait meanwhile. Or takes a built one."""
        if "CONFORM_C_BIN" in os.environ:
            return os.environ["CONFORM_C_BIN"]
        sources = [ROOT / "Clients/c/tests/conform.c", ROOT / "Clients/c/sensorbroker.c"]
        program = ROOT / ".build/conform-c"
        program.parent.mkdir(exist_ok=True)
        with open(f"{program}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            headers = [ROOT / "Clients/c/sensorbroker.h", ROOT / "Clients/c/tests/provide.h"]
            newest = max(path.stat().st_mtime for path in [*sources, *headers, pathlib.Path(__file__)])
            if not program.exists() or program.stat().st_mtime < newest:
                subprocess.run(
                    ["cc", "-std=c99", "-D_GNU_SOURCE", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover",
                     "-fno-omit-frame-pointer", f"-I{ROOT / 'Clients/c'}", "-o", f"{program}.new", *sources, "-lm"], check=True)
                os.rename(f"{program}.new", program)
        return str(program)

    def command_line(self, requests):
        return [self.build(), self.socket, *requests]


class Python(Client):
    name = "Python"
    options = ()
    environment = {"PYTHONPATH": str(ROOT / "Clients/python")}

    def command_line(self, requests):
        return [os.environ.get("CONFORM_PYTHON", sys.executable), "-m", "sensorbroker.conform", *self.options, self.socket, *requests]


class Asyncio(Python):
    name = "asyncio"
    options = ("--async",)


class Sensorctl(Client):
    """`sensorctl watch`, with its output translated: notes between the lines tell what became of the connection."""

    name = "sensorctl"
    program = os.environ.get("SENSORCTL_BIN", str(BUILD / "sensorctl"))

    # What it says at its end, and the word for it.
    words = (
        ("noSuchResource", r"there is no resource"),
        ("notPermitted", r"you may not (read|use)"),
        ("unintelligible", r"this is not a broker|the broker replied with the error"),
        ("invalidRequest", r"does not accept this value"),
        ("tooManySubscriptions", r"reached the limit of (subscriptions|connections)"),
        ("tooManyRequests", r"as many requests"),
        ("resourceUnavailable", r"is not available"),
        ("disconnected", r"the broker closed the connection|the broker ended the stream without"),
        ("ended", r"read too slowly|is shutting down|the broker ended the stream"),
        ("timedOut", r"does not answer|in time|silent for too long"),
        ("brokerStopped", r"nothing listens"),
        ("brokerMissing", r"is not running"),
    )

    def __init__(self, socket):
        super().__init__(socket)
        self.subscription = None
        self.ended = None
        self.calls = []

    def command_line(self, requests):
        arguments, options = [], []
        for request in requests:
            resource, *fields = request.split(",")
            for field in fields:
                name, value = field.split("=")
                if name == "interval":
                    resource += f"@{value}ns"
                elif name == "batch":
                    options += ["--batch", f"{value}ns"]
            arguments.append(resource)
        return [self.program, "watch", "--socket", self.socket, "--format", "json", "--reconnect", *options, *arguments]

    def start(self, *requests):
        if not requests:
            self.threads = []
            return
        self.process = subprocess.Popen(
            self.command_line(requests), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1)
        self.threads = [threading.Thread(target=self._watch, daemon=True)]
        self.threads[0].start()

    def _watch(self):
        for line in self.process.stdout:
            self.take(line.rstrip("\n"))
        self.status = self.process.wait()
        if self.status not in (0, -2):
            self.add({"event": "error", "error": self.word("\n".join(self.notes[-3:])), "status": self.status})
        with self.changed:
            self.changed.notify_all()

    def take(self, line):
        if not line.startswith("{"):
            self.notes.append(line)
            if "the broker went away" in line:
                self.add({"event": "disconnected", **(self.ended or {"error": "disconnected"})})
                self.ended = None
            return
        if self.ended:
            # What comes after the end was not seen before it.
            self.add({"event": "disconnected", **self.ended})
            self.ended = None
        for event in self.translated(json.loads(line)):
            self.add(event)

    def translated(self, line, event="reading"):
        """The events of one of its lines."""
        if "subscription" in line:
            self.subscription = line["subscription"]
        elif "grant" in line:
            yield {"event": "grant", **line["grant"]}
        elif "gap" in line:
            yield {"event": "gap", **line["gap"]}
        elif "ended" in line:
            self.ended = {"error": "ended", "reason": line["ended"]}
        elif isinstance(line.get("resource"), dict):
            resource = line["resource"]
            yield {"event": "state", **{**resource, "resource": resource["name"]}}
        elif "values" in line:
            yield from samples(line, event)
        else:
            yield {"event": event, **line}

    def command(self, text):
        word, *rest = text.split()
        if word == "modify":
            resource, *fields = rest[0].split(",")
            interval = dict(field.split("=") for field in fields)["interval"]
            self._call(["set", self.subscription, f"{resource}@{interval}ns"], lambda output: (), "refused")
        elif word == "list":
            self._call(["list", "--format", "json"], self._listed, "failed", call="list")
        elif word == "read":
            timeout = max(1, int(rest[2]) // 1_000_000)
            self._call(["get", rest[0], "--format", "json", "--timeout", f"{timeout}ms"],
                       lambda output: self.translated(json.loads(output), "read"), "failed", call="read")

    def _listed(self, output):
        # One resource a line.
        resources = [json.loads(line) for line in output.splitlines()]
        yield {"event": "list", "resources": resources}

    def _call(self, arguments, understand, failure, **members):
        """Runs another command beside the watch, and adds what it printed."""
        def run():
            done = subprocess.run([self.program, *arguments, "--socket", self.socket], capture_output=True, text=True)
            if done.returncode:
                self.notes.append(done.stderr)
                self.add({"event": failure, "error": self.word(done.stderr), **members})
            else:
                for event in understand(done.stdout):
                    self.add(event)

        thread = threading.Thread(target=run, daemon=True)
        self.threads.append(thread)
        thread.start()

    def word(self, text):
        for word, pattern in self.words:
            if re.search(pattern, text):
                return word
        return text

    def finish(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(2)
        for thread in self.threads:
            thread.join(PATIENCE)
        assert self.status in (None, 0, -2) or any(event["event"] == "error" for event in self.events), self.report()
        assert self.status is None or self.status >= -2, f"ended by signal {-self.status}: {self.report()}"
        return self.events


def samples(line, event):
    """The event of each sample of a reading as it is on the wire."""
    import base64
    import struct

    values = line["values"]
    if "packed" in values:
        columns = {}
        for name, text in values["packed"].items():
            data = base64.b64decode(text)
            columns[name] = struct.unpack(f"<{len(data) // 4}f", data)
    else:
        columns = values["columns"]
    count = len(next(iter(columns.values())))
    stamps = values.get("timestampsNanoseconds")
    if stamps is None and "packedStepsNanoseconds" in values:
        stamps = [line["timestampNanoseconds"]]
        for step in struct.unpack(f"<{count - 1}I", base64.b64decode(values["packedStepsNanoseconds"])):
            stamps.append(stamps[-1] + step)
    if stamps is None:
        stamps = [line["timestampNanoseconds"] + row * values.get("periodNanoseconds", 0) for row in range(count)]
    for row, stamp in enumerate(stamps):
        one = {"event": event, "resource": line["resource"], "timestampNanoseconds": stamp,
               "values": {name: column[row] for name, column in columns.items()}}
        if row == 0:
            one["sequence"] = line["sequence"]
        if "label" in line:
            one["label"] = line["label"]
        yield one


def matches(event, wanted):
    """Whether an event has these members; more do not matter."""
    if isinstance(wanted, dict) and isinstance(event, dict):
        return all(name in event and matches(event[name], value) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(event, list):
        return len(event) == len(wanted) and all(matches(one, other) for one, other in zip(event, wanted))
    return event == wanted


ALL = [Swift, C, Python, Asyncio, Sensorctl]


class SwiftProvider(Swift):
    """The Swift library as a provider."""

    def command_line(self, requests):
        return [super().command_line([])[0], "--provide", self.socket, *requests]


class CProvider(C):
    """The C library as a provider."""

    def command_line(self, requests):
        return [self.build(), "--provide", self.socket, *requests]


class PythonProvider(Python):
    """The Python package as a provider."""

    def command_line(self, requests):
        return [*super().command_line([])[:-1], "--provide", self.socket, *requests]


class AsyncioProvider(PythonProvider):
    """Its asyncio interface."""

    name = "asyncio"
    options = ("--async",)


PROVIDERS = [SwiftProvider, CProvider, PythonProvider, AsyncioProvider]
