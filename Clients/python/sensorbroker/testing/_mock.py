"""The broker itself, with simulated sensors, as a process of a test."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .. import _message, errors
from .._broker import Broker

#: How long the program may take to be ready; a host that is busy may be slow.
_PATIENCE = 60.0

class NoBrokerProgram(errors.SensorError):
    """There is no ``sensorbrokerd``."""

    def __init__(self) -> None:
        super().__init__(
            "there is no program sensorbrokerd: install the package sensorbroker, or set SENSORBROKERD to its path"
        )

class FaultRefused(errors.SensorError):
    """A fault that a simulated device cannot have."""

class MockBroker:
    """A ``sensorbrokerd`` of its own with simulated sensors, in a temporary directory; it ends with the ``with``.

    ``scenario`` is the name of a built-in one, or a file (docs/mock.md). ``speed`` lets time pass faster, up to ``"max"``. ``feeds`` are
    the names of resources that programs may provide, for the test of a program that is a sensor.
    """

    def __init__(
        self,
        scenario: Union[str, "os.PathLike[str]", None] = None,
        *,
        speed: Union[float, str, None] = None,
        feeds: Sequence[str] = (),
        options: Sequence[str] = (),
        program: Optional[str] = None,
    ) -> None:
        found = program or os.environ.get("SENSORBROKERD") or shutil.which("sensorbrokerd")
        if found is None:
            raise NoBrokerProgram
        command = [found, "--mock" if scenario is None else f"--mock={os.fspath(scenario)}", "--temporary"]
        if speed is not None:
            command += ["--speed", f"{speed}"]
        with tempfile.NamedTemporaryFile("w", prefix="sensorbroker-", suffix=".conf", delete=False) as configuration:
            configuration.write("".join(f"[Feed {name}]\n" for name in feeds))
        #: Its sections of feeds, if there are any.
        self._configuration = configuration.name
        if feeds:
            command += ["--config", self._configuration]
        self._process = subprocess.Popen(
            [*command, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        #: The path of its socket.
        self.socket = self._await_path()

    def __enter__(self) -> "MockBroker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def broker(self) -> Broker:
        """A client of it."""
        return Broker(self.socket)

    @property
    def environment(self) -> Dict[str, str]:
        """The environment of a program that is to use it."""
        return {**os.environ, "SENSORBROKER_SOCKET": self.socket}

    def run(self, command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[Any]":
        """Runs a program that uses it, as `sensorbrokerd --exec` does; the options are those of `subprocess.run`."""
        return subprocess.run(command, env=options.pop("env", self.environment), **options)

    def inject(self, fault: str, resource: Optional[str] = None, *, seconds: Optional[float] = None, **more: Any) -> str:
        """Begins a fault of a simulated device; returns the resource.

        Faults are those of docs/mock.md: ``unplug``, ``stall``, ``overflow``, ``no-fix``, …; their parameters are those of the interface:
        ``count=20``, ``meters=2000.0``, ``degrees=90.0``.
        """
        parameters = {"fault": fault, **more}
        if resource is not None:
            parameters["resource"] = resource
        if seconds is not None:
            parameters["durationNanoseconds"] = round(seconds * 1e9)
        return str(self._call("Inject", parameters)["resource"])

    def clear(self, resource: Optional[str] = None, fault: Optional[str] = None) -> List[str]:
        """Ends faults; returns the resources."""
        given = {"resource": resource, "fault": fault}
        return list(self._call("Clear", {name: value for name, value in given.items() if value is not None})["cleared"])

    def close(self) -> None:
        """Ends it."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.communicate()
        self._forget_configuration()

    def _forget_configuration(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._configuration)

    def _await_path(self) -> str:
        assert self._process.stdout is not None and self._process.stderr is not None
        deadline = time.monotonic() + _PATIENCE
        # The path is one line, written at once.
        ready, _, _ = select.select([self._process.stdout], [], [], _PATIENCE)
        line = self._process.stdout.readline().strip() if ready else ""
        if line:
            return line
        if time.monotonic() >= deadline:
            self._process.kill()
        _, notes = self._process.communicate()
        self._forget_configuration()
        raise errors.InvalidRequest(f"sensorbrokerd did not start: {notes.strip() or 'it said nothing'}")

    def _call(self, method: str, parameters: Dict[str, Any]) -> Dict[str, Any]:
        directory, name = os.path.split(self.socket)
        call = json.dumps({"method": f"io.sensorbroker.Mock.{method}", "parameters": parameters}).encode() + b"\0"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_PATIENCE)
            connection.connect(os.path.join(directory, name.replace("Broker", "Admin")))
            connection.sendall(call)
            framer = _message.Framer()
            messages: List[bytes] = []
            while not messages:
                data = connection.recv(65536)
                if not data:
                    raise errors.Disconnected()
                messages = framer.feed(data)
        answer = json.loads(messages[0])
        if "error" in answer:
            raise FaultRefused(_refusal(method, answer["error"], answer.get("parameters", {}), parameters))
        return dict(answer.get("parameters", {}))

def _refusal(method: str, name: str, answer: Dict[str, Any], asked: Dict[str, Any]) -> str:
    words: Tuple[Tuple[str, str], ...] = (
        ("NoSuchFault", f"there is no fault {asked.get('fault')!r}; docs/mock.md lists them"),
        ("NoSuchResource", f"there is no resource {answer.get('resource')!r}; Broker.list() returns those that there are"),
        ("ImpossibleFault", str(answer.get("message"))),
    )
    for error, text in words:
        if name.endswith(error):
            return text
    return f"{method} was refused: {name} {answer}"
