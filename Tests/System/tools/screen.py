"""A real terminal: tmux, with a shell in it, whose screen is read and whose keys are typed."""

import os
import shlex
import subprocess
import tempfile

from tools.daemon import die_with_parent
from tools.programs import PATIENCE, SENSORCTL
from tools.unixsockets import listening
from tools.users import everybodys
from tools.waiting import until


class Screen:
    """A shell on a terminal of a size of its own; `sensorctl` is on its PATH."""

    def __init__(self, socket, width=80, height=24, prefix=(), **environment):
        self.directory = tempfile.TemporaryDirectory(prefix="sb-tmux-")
        self.looks = 0
        bin = os.path.join(self.directory.name, "bin")
        os.mkdir(bin)
        os.symlink(everybodys(SENSORCTL), os.path.join(bin, "sensorctl"))
        os.chmod(self.directory.name, 0o755)
        settings = {"SENSORBROKER_SOCKET": str(socket), "LC_ALL": "C.UTF-8", "TZ": "UTC", "PS1": "ready> ",
                    "PATH": bin + ":" + os.environ["PATH"], **environment}
        shell = ["env", "-u", "NO_COLOR", *[f"{name}={value}" for name, value in settings.items()], *prefix,
                 "bash", "--noprofile", "--norc", "-i"]
        # In the foreground, so that it ends with the test run.
        self.server = subprocess.Popen(
            ["tmux", "-u", "-D", "-f", "/dev/null", "-S", self.path], preexec_fn=die_with_parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: listening(self.path), "tmux to start")
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), shlex.join(shell))
        self.until(lambda text: "ready>" in text, "a shell")

    @property
    def path(self):
        return os.path.join(self.directory.name, "socket")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.path, "kill-server"], capture_output=True)
        self.server.wait(PATIENCE)
        self.directory.cleanup()

    def tmux(self, *words):
        result = subprocess.run(["tmux", "-u", "-S", self.path, *words], capture_output=True, text=True, timeout=PATIENCE)
        assert result.returncode == 0, (words, result.stderr)
        return result.stdout

    def text(self, *options):
        """What is on the screen."""
        return self.tmux("capture-pane", "-p", *options)

    def lines(self):
        return self.text().splitlines()

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def run(self, line):
        """Types a command line."""
        self.type(line)
        self.press("Enter")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def until(self, condition, what):
        """Waits until the screen shows something.

        The screen is not returned: tmux draws a page as it comes, so one look may see half of it. What is to be seen
        together stands in one condition.
        """
        until(lambda: condition(self.text()), what, self.text)

    @property
    def is_alternate(self):
        """Whether the alternate screen is on, as for full-screen programs."""
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    @property
    def has_cursor(self):
        return self.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1"

    def assert_sane(self):
        """The shell has its terminal back: its screen, its cursor, line by line input with an echo, and no look is left on."""
        self.until(lambda text: text.rstrip().endswith("ready>"), "the shell's prompt")
        assert not self.is_alternate and self.has_cursor
        # Each time with another mark: the settings of the last time may still be seen.
        self.looks += 1
        self.run(f"clear; stty -a | tr ';' '\\n'; echo look {self.looks}: $?")
        self.until(lambda text: f"look {self.looks}: 0" in text, "the terminal's settings")
        words = self.text().split()
        assert {"icanon", "echo", "isig", "icrnl", "opost", "onlcr"} <= set(words), words
