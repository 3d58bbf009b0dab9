"""A broker of a few lines, in a thread of the test: it says what the test tells it to."""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import tempfile
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .. import _message
from .._broker import Broker
from ..values import now_ns

_PATIENCE = 60.0
_SEND_SECONDS = 10
_Row = Union[float, Sequence[float]]
#: The states in which a resource has no reading.
_AWAY = ("unavailable", "released")


class FakeBroker:
    """A broker that a test plays::

        with FakeBroker() as fake:
            fake.add("thermometer", "temperature", value="°C")
            with fake.broker().subscribe("thermometer", rate=1) as readings:
                fake.reading("thermometer", value=21.5)
                assert next(readings)["value"] == 21.5

    It answers calls from threads of its own. What is sent to a resource goes to all streams that have asked for it; the newest
    reading is kept until the resource is away, and is what a new stream begins with, and what `Broker.read` returns.
    """

    def __init__(self) -> None:
        self._directory = tempfile.mkdtemp(prefix="sensorbroker-fake-")
        #: The path of its socket.
        self.socket = os.path.join(self._directory, "io.sensorbroker.Broker")
        #: The calls that came, as they were sent.
        self.calls: List[Dict[str, Any]] = []
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._resources: Dict[str, Dict[str, Any]] = {}
        self._newest: Dict[str, Dict[str, Any]] = {}
        self._sequences: Dict[str, int] = {}
        self._streams: Dict[str, Tuple[socket.socket, Dict[str, Dict[str, Any]]]] = {}
        self._connections: List[socket.socket] = []
        self._count = 0
        self._listener: Optional[socket.socket] = None
        self.start()

    def __enter__(self) -> "FakeBroker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def broker(self) -> Broker:
        """A client of it."""
        return Broker(self.socket)

    def add(self, name: str, kind: str, state: str = "active", reporting: str = "continuous", **units: str) -> None:
        """Adds a resource; its channels and their units are the keywords: ``x="m/s²"``. Without any, it has locations or orientations."""
        with self._lock:
            self._resources[name] = {
                "name": name,
                "kind": kind,
                "reporting": reporting,
                "channels": [{"name": channel, "unit": unit} for channel, unit in units.items()],
                "state": state,
                "simulated": True,
                "minimumIntervalNanoseconds": 1_000_000,
                "maximumIntervalNanoseconds": 3_600_000_000_000,
                "defaultIntervalNanoseconds": 1_000_000_000,
            }

    def reading(
        self,
        resource: str,
        *,
        location: Optional[Mapping[str, Any]] = None,
        orientation: Optional[str] = None,
        timestamp_ns: Optional[int] = None,
        period_ns: Optional[int] = None,
        **columns: _Row,
    ) -> None:
        """Sends a reading: ``x=1.0``, or ``x=[1.0, 2.0]`` for several samples; or a location, with the names of the wire; or an orientation."""
        rows = {name: [float(one) for one in _many(column)] for name, column in columns.items()}
        count = len(next(iter(rows.values()), [0.0]))
        with self._lock:
            sequence = self._sequences.get(resource, 0)
            self._sequences[resource] = sequence + count
            reading: Dict[str, Any] = {
                "resource": resource,
                "sequence": sequence,
                "timestampNanoseconds": now_ns() if timestamp_ns is None else timestamp_ns,
            }
            if location is not None:
                reading["location"] = dict(location)
            elif orientation is not None:
                reading["orientation"] = orientation
            else:
                reading["values"] = {"columns": rows}
                if period_ns is not None and count > 1:
                    reading["values"]["periodNanoseconds"] = period_ns
            self._newest[resource] = reading
            self._changed.notify_all()
            self._tell(resource, "readings", reading)

    def gap(self, resource: str, cause: str = "deviceOverflow", count: Optional[int] = None, seconds: float = 1.0) -> None:
        """Sends a gap that ends now."""
        now = now_ns()
        gap = {
            "resource": resource, "cause": cause, "fromNanoseconds": now - round(seconds * 1e9), "untilNanoseconds": now
        }  # fmt: skip
        if count is not None:
            gap["count"] = count
        with self._lock:
            self._tell(resource, "gaps", gap)

    def state(self, resource: str, state: str, reason: Optional[str] = None) -> None:
        """Changes the state of a resource."""
        with self._lock:
            members = self._resources[resource]
            members["state"] = state
            members.pop("reason", None)
            if reason is not None:
                members["reason"] = reason
            if state in _AWAY:
                self._newest.pop(resource, None)
            self._changed.notify_all()
            self._tell(resource, "resources", members)

    def end(self, reason: str = "shutdown") -> None:
        """Ends all streams; clients may come back."""
        with self._lock:
            for connection, _ in self._streams.values():
                self._send(connection, {"parameters": {"ended": reason}})
            self._streams.clear()

    def stop(self) -> None:
        """Goes away, as a daemon that was killed; `start` brings it back."""
        with self._lock:
            if self._listener is not None:
                _shut(self._listener)
                self._listener = None
                os.unlink(self.socket)
            for connection in self._connections:
                _shut(connection)
            self._connections.clear()
            self._streams.clear()

    def start(self) -> None:
        """Listens."""
        with self._lock:
            if self._listener is not None:
                return
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            # At another name at first: nobody is to find a socket that does not listen yet.
            listener.bind(self.socket + ".new")
            listener.listen(64)
            os.rename(self.socket + ".new", self.socket)
            self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def await_stream(self, resource: str, timeout: float = _PATIENCE) -> Dict[str, Any]:
        """Waits until some stream has asked for a resource; returns the request."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._requests(resource), timeout)
            if not found:
                raise AssertionError(f"no stream has asked for {resource} within {timeout} s")
            return found[0]

    def _requests(self, resource: str) -> List[Dict[str, Any]]:
        return [one for _, asked in self._streams.values() for one in asked.values() if one["resource"] == resource]

    def _tell(self, resource: str, member: str, value: Dict[str, Any]) -> None:
        for name, (connection, asked) in list(self._streams.items()):
            for request in asked.values():
                if request["resource"] == resource:
                    told = dict(value)
                    if "label" in request and member != "resources":
                        told["label"] = request["label"]
                    if not self._send(connection, {"parameters": {member: [told]}, "continues": True}):
                        self._streams.pop(name, None)

    @staticmethod
    def _send(connection: socket.socket, message: Dict[str, Any]) -> bool:
        try:
            connection.sendall(json.dumps(message).encode() + b"\0")
            return True
        except OSError:
            return False

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            # A client that does not read is gone after a while, as for a broker.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_SECONDS, 0))
            with self._lock:
                self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._answer(connection)
        finally:
            with self._lock:
                self._connections = [one for one in self._connections if one is not connection]
                self._streams = {name: stream for name, stream in self._streams.items() if stream[0] is not connection}
                self._changed.notify_all()
            connection.close()

    def _answer(self, connection: socket.socket) -> None:
        framer = _message.Framer()
        while True:
            try:
                data = connection.recv(65536)
            except OSError:
                return
            if not data:
                return
            for message in framer.feed(data):
                call = json.loads(message)
                with self._lock:
                    self.calls.append(call)
                    method = call["method"].rsplit(".", 1)[1]
                    answer = getattr(self, "_answer_" + method, None)
                    if answer is None:
                        self._refuse(connection, "org.varlink.service.MethodNotFound", method=method)
                    else:
                        answer(connection, call.get("parameters", {}))
                    self._changed.notify_all()

    def _refuse(self, connection: socket.socket, name: str, **parameters: Any) -> None:
        self._send(connection, {"error": name, "parameters": parameters})

    def _answer_ListResources(self, connection: socket.socket, parameters: Dict[str, Any]) -> None:
        self._send(connection, {"parameters": {"resources": list(self._resources.values())}})

    def _answer_Read(self, connection: socket.socket, parameters: Dict[str, Any]) -> None:
        name = parameters["resource"]
        if name not in self._resources:
            return self._refuse(connection, _message.INTERFACE + "NoSuchResource", resource=name)
        timeout = parameters.get("timeoutNanoseconds", 10_000_000_000) / 1e9
        oldest = now_ns() - parameters.get("maximumAgeNanoseconds", 0)

        def is_new() -> bool:
            return name in self._newest and int(self._newest[name]["timestampNanoseconds"]) >= oldest

        def is_away() -> bool:
            return self._resources[name]["state"] in _AWAY

        is_answered = self._changed.wait_for(lambda: is_new() or is_away(), timeout)
        if is_away():
            reason = self._resources[name].get("reason", "")
            self._refuse(connection, _message.INTERFACE + "ResourceUnavailable", resource=name, reason=reason)
        elif is_answered:
            self._send(connection, {"parameters": {"reading": self._newest[name]}})
        else:
            self._refuse(connection, _message.INTERFACE + "TimedOut")

    def _answer_Subscribe(self, connection: socket.socket, parameters: Dict[str, Any]) -> None:
        requests = parameters["requests"]
        for request in requests:
            if request["resource"] not in self._resources:
                return self._refuse(connection, _message.INTERFACE + "NoSuchResource", resource=request["resource"])
        self._count += 1
        name = f"s{self._count}"
        names = dict.fromkeys(request["resource"] for request in requests)
        self._streams[name] = (connection, {one.get("label", one["resource"]): one for one in requests})
        first: Dict[str, Any] = {
            "subscription": name,
            "revision": 1,
            "grants": [self._grant(one) for one in requests],
            "resources": [self._resources[one] for one in names],
        }
        self._send(connection, {"parameters": first, "continues": True})
        for request in requests:
            if request["resource"] in self._newest:
                reading = dict(self._newest[request["resource"]])
                if "label" in request:
                    reading["label"] = request["label"]
                self._send(connection, {"parameters": {"readings": [reading]}, "continues": True})

    def _answer_Modify(self, connection: socket.socket, parameters: Dict[str, Any]) -> None:
        stream = self._streams.get(parameters["subscription"])
        if stream is None:
            return self._refuse(connection, _message.INTERFACE + "NoSuchSubscription", subscription=parameters["subscription"])
        requests = parameters.get("requests", [])
        for request in requests:
            if request["resource"] not in self._resources:
                return self._refuse(connection, _message.INTERFACE + "NoSuchResource", resource=request["resource"])
        for name in parameters.get("remove", []):
            if name not in stream[1]:
                return self._refuse(connection, _message.INTERFACE + "NoSuchResource", resource=name)
        for name in parameters.get("remove", []):
            del stream[1][name]
        for request in requests:
            stream[1][request.get("label", request["resource"])] = request
        grants = [self._grant(one) for one in requests]
        told = [self._resources[one["resource"]] for one in requests]
        self._send(stream[0], {"parameters": {"revision": 2, "grants": grants, "resources": told}, "continues": True})
        self._send(connection, {"parameters": {"revision": 2, "grants": grants}})

    def _grant(self, request: Dict[str, Any]) -> Dict[str, Any]:
        default = self._resources[request["resource"]]["defaultIntervalNanoseconds"]
        grant = {
            "resource": request["resource"],
            "intervalNanoseconds": request.get("intervalNanoseconds", default),
            "batchNanoseconds": request.get("batchNanoseconds", 0),
        }
        if "label" in request:
            grant["label"] = request["label"]
        return grant


def _many(row: _Row) -> Sequence[float]:
    return (row,) if isinstance(row, (int, float)) else row


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
