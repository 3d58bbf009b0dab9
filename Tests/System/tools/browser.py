"""A headless browser, driven through its own debugging protocol over a pipe: pages are opened, used and looked at as people do."""

import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess

import pytest

from tools.programs import PATIENCE, ROOT

# What tests have seen, for people.
PICTURES = ROOT / ".build/pictures"


def executable():
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


class Page:
    """A page in a browser of its own, with all that it requested and all errors of its scripts."""

    def __init__(self, send, receive):
        self._send, self._receive = send, receive
        self._rest = b""
        self._number = 0
        self._session = None
        self.requests, self.errors, self._loaded = [], [], set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def call(self, method, **parameters):
        """Calls a method, and waits for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            assert select.select([self._receive], [], [], PATIENCE)[0], "the browser does not answer"
            piece = os.read(self._receive, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(text)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, event, parameters):
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "Network.webSocketCreated":
            self.requests.append(parameters["url"])
        elif event == "Runtime.exceptionThrown":
            self.errors.append(parameters["exceptionDetails"])
        elif event == "Page.lifecycleEvent" and parameters["name"] == "load":
            self._loaded.add(parameters["loaderId"])

    def open(self, path, width=1400, height=1000):
        """Opens a file, in a window of this size, and waits until it has been drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        # By its loader, since the page before it, such as the blank one, may be loaded only now.
        loader = self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())["loaderId"]
        while loader not in self._loaded:
            self._next()
        self.settle()

    def settle(self):
        """Waits until what is due has been drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def value(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, end, modifiers=0):
        self.mouse("mouseMoved", *start, modifiers=modifiers)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        for place in (middle, end):
            self.mouse("mouseMoved", *place, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", *end, button="left", buttons=0, clickCount=1, modifiers=modifiers)
        self.settle()

    def double_click(self, x, y):
        for count in (1, 2):
            self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=count)
            self.mouse("mouseReleased", x, y, button="left", clickCount=count)
        self.settle()

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def screenshot(self, name):
        """Keeps a picture of the window for people; returns its path."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
        return path


@contextlib.contextmanager
def browser(directory):
    program = executable()
    if program is None:
        pytest.skip("not tested: pages in a browser, because chromium-headless-shell is not installed (.ci/packages test)")
    # It reads from descriptor 3 and writes to descriptor 4.
    (to_read, send), (receive, to_write) = os.pipe(), os.pipe()
    words = [program, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={directory}"]
    script = f'exec "$@" 3<&{to_read} 4>&{to_write}'
    process = subprocess.Popen(["bash", "-c", script, "browser", *words], pass_fds=(to_read, to_write),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(to_read)
    os.close(to_write)
    try:
        yield Page(send, receive)
    finally:
        os.close(send)
        process.terminate()
        process.wait()
        os.close(receive)


@pytest.fixture
def page(tmp_path):
    with browser(tmp_path / "browser") as page:
        yield page
