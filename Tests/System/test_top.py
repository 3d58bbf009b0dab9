"""sensorctl top in a real terminal: what it shows, which keys it takes, and that the terminal is as before when it has ended."""

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tools import commands
from tools.administration import admin, await_state
from tools.daemon import die_with_parent
from tools.programs import BROKER, PATIENCE, SENSORCTL
from tools.screen import Screen
from tools.users import ALICE, let_everybody_in, needs_root
from tools.waiting import until


@pytest.fixture
def phone(start):
    return start("--mock=phone")


def row(text, name):
    """The row of a resource or client."""
    return next((line for line in text.splitlines() if line.startswith(name)), "")


def subscribe(daemon, resource="accelerometer", milliseconds=20, **options):
    client = socket.socket(socket.AF_UNIX)
    client.connect(daemon.broker)
    request = {"resource": resource, "intervalNanoseconds": milliseconds * 1_000_000, **options}
    call = {"method": f"{BROKER}.Subscribe", "parameters": {"requests": [request]}, "more": True}
    client.sendall(json.dumps(call).encode() + b"\0")
    return client


@contextlib.contextmanager
def reading(clients):
    """Reads what the clients get; the place of each one whose connection has ended is in the list."""
    ended, over = [], threading.Event()

    def read():
        rest = list(clients)
        while rest and not over.is_set():
            for client in select.select(rest, [], [], 0.1)[0]:
                if not client.recv(1 << 16):
                    ended.append(clients.index(client))
                    rest.remove(client)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield ended
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def process(name, daemon, code="import time\nwhile True: time.sleep(100)"):
    """A client in a process of its own with any name."""
    program = (
        "import ctypes, json, socket, sys\n"
        f"ctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)\n"
        f"client = socket.socket(socket.AF_UNIX); client.connect({daemon.broker!r})\n"
        f"call = dict(method='{BROKER}.Subscribe', more=True, parameters=dict(requests=[dict(resource='accelerometer')]))\n"
        "client.sendall(json.dumps(call).encode() + b'\\0')\n"
        "print(client.recv(1) and 'there', flush=True)\n" + code)
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
    try:
        assert child.stdout.readline() == "there\n"
        yield child
    finally:
        child.kill()
        child.wait()


def test_it_is_live_at_once_on_the_alternate_screen(phone):
    with Screen(phone.broker, height=40) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: text.startswith(" sensorbrokerd ") and re.search(r"accelerometer +active +\d", text),
                     "the accelerometer's rate")
        assert screen.is_alternate and not screen.has_cursor
        screen.until(lambda text: re.search(r"^accelerometer .*[+-]\d+\.\d+ [+-]\d+\.\d+ [+-]\d+\.\d+ m/s² +\(", text, re.M),
                     "three axes and their level")
        screen.until(lambda text: re.search(r"^light .*lx", text, re.M), "a light sensor's value")
        screen.until(lambda text: re.search(r"^location .*\d°N \d+\.\d+°E", text, re.M), "a position")
        # Itself, apart from others.
        screen.until(lambda text: "0 clients" in text and re.search(r"^sensorctl +\d+ ", text, re.M), "itself")
        screen.press("q")
        screen.assert_sane()


def test_the_rate_is_that_of_the_device_and_top_does_not_change_it(phone):
    with subscribe(phone, milliseconds=5), Screen(phone.broker, 140, 40) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^accelerometer +active +(199|200)\.\d Hz", text, re.M), "200 Hz")
        [own] = [client for client in admin(phone, "GetStatus")["clients"]
                 if client["resources"] and client["processId"] != os.getpid()]
        assert all(part["intervalNanoseconds"] >= 100_000_000 for part in own["resources"])


def test_fifty_clients_are_sorted_filtered_and_disconnected(phone):
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(subscribe(phone, ["accelerometer", "gyroscope"][number % 2], 210 + number))
                   for number in range(50)]
        ended = stack.enter_context(reading(clients))
        screen = stack.enter_context(Screen(phone.broker, 120, 50))
        screen.run("sensorctl top")
        screen.until(lambda text: "50 clients" in text, "fifty clients")
        screen.until(lambda text: text.splitlines()[-2].endswith("▼"), "more clients than fit")
        # Request and grant are both there; Tab goes to the clients, where End goes to the last one: top itself.
        screen.press("Tab", "End")
        screen.until(lambda text: row(text, "sensorctl"), "the last client")
        # By grant, the slowest first.
        screen.press("Home")
        screen.type("ssss")
        screen.until(lambda text: "GRANT▼" in text, "the grants to be sorted by")
        screen.until(lambda text: re.search(r" 210 ms +210 ms ", text), "the fastest client")
        screen.type("i")
        screen.press("Home")
        screen.until(lambda text: "GRANT▲" in text and re.search(r" 259 ms +259 ms ", text), "the slowest client")
        screen.type("/gyro")
        screen.press("Enter")
        screen.until(lambda text: "filter: gyro" in text and not row(text, "accelerometer") and
                     "259 ms" in text and "258 ms" not in text, "only gyroscopes")
        screen.press("Home")
        screen.type("d")
        screen.until(lambda text: "Disconnect" in text.splitlines()[-1], "a question")
        screen.type("n")
        screen.until(lambda text: "Nothing was done" in text, "no deed")
        screen.type("dy")
        screen.until(lambda text: "49 clients" in text, "one client less")
        until(lambda: ended == [49], "the end of its connection alone")
        screen.press("Escape")
        screen.until(lambda text: "filter" not in text.splitlines()[-1] or "/ filter" in text, "all rows again")


def test_what_clients_lose_and_how_far_they_lag_is_shown(phone):
    # Reads nothing.
    with subscribe(phone, milliseconds=2), Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^python3?\S* .* [1-9]\d* +\d+\.?\d* s$", text, re.M) or
                     re.search(r" 2 ms .* [1-9]\d*k? +\d+\.\d+ s$", text, re.M), "losses, and a lag of seconds")


def test_resources_are_released_and_taken_back(phone):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^accelerometer +active", text, re.M), "an active accelerometer")
        screen.type("r")
        screen.until(lambda text: "Release accelerometer" in text, "a question")
        screen.type("y")
        screen.until(lambda text: re.search(r"^accelerometer +released", text, re.M), "it to be released")
        await_state(phone, "released")
        screen.type("ay")
        screen.until(lambda text: re.search(r"^accelerometer +active", text, re.M), "it to be active again")


def test_the_page_of_axes_has_curves_and_a_level(phone):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top accelerometer")
        screen.until(lambda text: re.search(r"^ x +[+-]\d", text, re.M) and re.search(r"^ z +[+-]\d", text, re.M), "curves")
        screen.until(lambda text: "-60 s" in text and re.search(r"x [+-]\d+\.\d°  y [+-]\d", text), "times and the level")
        screen.until(lambda text: re.search("[\u2801-\u28ff]", text), "dots")
        # A page has more readings than the overview.
        until(lambda: any(part["intervalNanoseconds"] == 20_000_000 for client in admin(phone, "GetStatus")["clients"]
                               for part in client["resources"]), "faster readings")
        screen.press("Escape")
        screen.until(lambda text: "RESOURCE" in text, "the overview")
        until(lambda: not any(part["intervalNanoseconds"] == 20_000_000 for client in admin(phone, "GetStatus")["clients"]
                                   for part in client["resources"]), "slower readings again")


def test_the_page_of_a_location_has_the_sky_and_what_cgps_shows(daemon):
    with Screen(daemon.broker, 100, 40) as screen:
        screen.run("sensorctl top location")
        screen.until(lambda text: "3D FIX" in text and re.search(r"^ Speed +\d", text, re.M), "a fix")
        for field in ("Time", "Latitude", "Longitude", "Alt (MSL)", "Track", "Climb", "Status", "Horiz. error"):
            screen.until(lambda text: re.search(rf"^ {re.escape(field)} +(?!-( |$))\S", text, re.M), f"the value of {field}")
        screen.until(lambda text: re.search(r"^ Track error +- ", text, re.M), "what the simulated receiver does not tell")
        screen.until(lambda text: re.search(r"^.*SAT +ELEV +AZIM +SNR", text, re.M) and re.search(r"G\d+ +\d+ +\d+ +\d+ +█", text),
                     "satellites with bars")
        screen.until(lambda text: "├────────┤" in text, "the way and its scale")
        screen.press("Down")
        screen.until(lambda text: "which edge of the device is up" in text, "the next resource")
        screen.type("?")
        screen.until(lambda text: "disconnect the selected client" in text, "help")
        screen.type("x")
        screen.until(lambda text: "which edge of the device is up" in text, "the page again")


def test_it_follows_the_size_of_the_terminal_down_to_nothing_and_back(phone):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: "NOW" in text and row(text, "accelerometer"), "the overview")
        screen.resize(60, 20)
        screen.until(lambda text: "NOW" not in text and row(text, "accelerometer") and
                     all(len(line) <= 60 for line in text.splitlines()), "sixty columns")
        screen.until(lambda text: re.search(r"^accelerometer +active +\S+ Hz +[+-]", text, re.M), "its values")
        for size in ((1, 1), (2, 40), (200, 1), (1, 1)):
            screen.resize(*size)
            screen.until(lambda text: text.strip("\n") == "" or len(text.splitlines()[0]) <= size[0], "the size")
        screen.resize(150, 45)
        screen.until(lambda text: "LAST 30 s" in text and row(text, "accelerometer") and "Tab table" in text, "a wide page")
        screen.press("q")
        screen.assert_sane()


def test_colours_are_left_out_on_demand(phone):
    colour = re.compile(r"\x1b\[(\d+;)*3[1-6][;m]")
    for variables in ({}, {"NO_COLOR": "1"}):
        with Screen(phone.broker, **variables) as screen:
            screen.run("sensorctl top")
            screen.until(lambda text: re.search(r"^accelerometer +active", text, re.M), "an active accelerometer")
            assert bool(colour.search(screen.text("-e"))) == (not variables)


def test_a_terminal_without_unicode_gets_ascii(phone):
    with Screen(phone.broker, LC_ALL="C") as screen:
        screen.run("sensorctl top accelerometer")
        screen.until(lambda text: re.search(r"^ z +[+-]\d.* m/s2", text, re.M) and text.isascii(), "the page")


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"TERM": "no-such-terminal"}, {"TERM": ""}])
def test_a_terminal_that_cannot_show_it_is_told_what_to_do(phone, variables):
    with Screen(phone.broker, **variables) as screen:
        screen.run("sensorctl top; echo status=$?")
        screen.until(lambda text: "status=64" in text and "sensorctl top --once" in text.replace("\n", ""), "a message")
        assert not screen.is_alternate


def call(daemon, *arguments, **variables):
    return commands.run(SENSORCTL, "top", *arguments, environment={"SENSORBROKER_SOCKET": daemon.broker, **variables})


def test_one_page_for_scripts(phone):
    with subscribe(phone, "gyroscope"):
        result = call(phone, "--once", TERM="dumb")
    assert (result.returncode, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout and "1 client" in result.stdout
    assert re.search(r"^accelerometer +active +\S+ Hz ", result.stdout, re.M), result.stdout
    assert re.search(r"^gyroscope +active ", result.stdout, re.M)
    # Who subscribes to a running sensor has its newest reading at once, on a busy host too.
    with subscribe(phone, "location") as client:
        client.settimeout(PATIENCE)
        text = b""
        while b"latitudeDegrees" not in text:
            text += client.recv(65_536)
        result = call(phone, "location", "--once")
    assert result.returncode == 0 and "Latitude" in result.stdout


def test_what_it_cannot_do_is_explained(phone):
    result = call(phone)
    assert result.returncode == 64 and "needs a terminal" in result.stderr
    result = call(phone, "nothing", "--once")
    assert result.returncode == 69 and "there is no resource nothing" in result.stderr
    result = call(phone, "--once", "--format", "json")
    assert result.returncode == 64 and "status" in result.stderr
    result = call(phone, "--once", SENSORBROKER_SOCKET=phone.directory + "/nobody/" + BROKER)
    assert result.returncode == 69 and "sensorbrokerd is not running" in result.stderr


def test_it_survives_the_broker(start):
    first = start("--mock=phone")
    with Screen(first.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^accelerometer +active +\d", text, re.M), "readings")
        first.kill()
        screen.until(lambda text: "the broker has gone away" in text.splitlines()[0] and row(text, "accelerometer"),
                     "word of its end beside the last readings")
        second = start("--mock=phone")
        screen.until(lambda text: " sensorbrokerd" in text.splitlines()[0] and
                     re.search(r"^accelerometer +active +\d", text, re.M), "readings of the next broker")
        second.kill()
        screen.until(lambda text: "the broker has gone away" in text.splitlines()[0], "word of its end")
        screen.press("q")
        screen.assert_sane()


def test_a_broker_that_does_not_answer_is_noticed(phone):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^accelerometer +active +\d", text, re.M), "readings")
        phone.send_signal(signal.SIGSTOP)
        screen.until(lambda text: "does not answer" in text.splitlines()[0], "word of the silence")
        phone.send_signal(signal.SIGCONT)
        screen.until(lambda text: " sensorbrokerd" in text.splitlines()[0], "its end")


def test_it_stops_and_continues_like_any_program(phone):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: row(text, "accelerometer"), "the overview")
        screen.press("C-z")
        screen.until(lambda text: "Stopped" in text and not row(text, "accelerometer"), "the shell")
        screen.assert_sane()
        screen.run("fg")
        screen.until(lambda text: screen.is_alternate and re.search(r"^accelerometer +active +\d", text, re.M), "the overview again")
        screen.press("q")
        screen.assert_sane()


def test_it_stops_whenever_it_is_told(phone):
    """Also while it draws: ncurses ignores the signal then, unless it has been told not to."""
    with Screen(phone.broker) as screen:
        # Without job control, so that the terminal stays its own.
        screen.run("set +m; sensorctl top")
        screen.until(lambda text: row(text, "accelerometer"), "the overview")
        top = own_process(phone)

        def state():
            with open(f"/proc/{top}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0]

        for milliseconds in range(0, 100, 2):
            time.sleep(milliseconds / 1000)
            os.kill(top, signal.SIGTSTP)
            until(lambda: state() == "T", f"the stop {milliseconds} ms after it went on")
            os.kill(top, signal.SIGCONT)
            until(lambda: state() != "T", "top to go on")


def own_process(daemon):
    """The process of top, by its connections."""
    found = []

    def look():
        found[:] = [one["processId"] for one in admin(daemon, "GetStatus")["clients"]
                    if one["processId"] != os.getpid() and one["resources"]]
        return found

    until(look, "top to be a client")
    return found[0]


@pytest.mark.parametrize("ending", ["C-c", signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGTRAP])
def test_the_terminal_is_as_before(phone, ending):
    with Screen(phone.broker) as screen:
        screen.run("sensorctl top; echo ended with $?")
        screen.until(lambda text: row(text, "accelerometer") and screen.is_alternate, "the overview")
        if ending == "C-c":
            screen.press("C-c")
        else:
            os.kill(own_process(phone), ending)
        number = signal.SIGINT if ending == "C-c" else ending
        if ending == "C-c":
            # bash ends the whole line.
            screen.until(lambda text: not row(text, "accelerometer"), "the end")
        else:
            screen.until(lambda text: f"ended with {128 + number}" in text, "the end")
        screen.assert_sane()


def test_names_cannot_control_the_terminal(phone):
    with process(b"\x1b[2J\x9b31mevil", phone), Screen(phone.broker) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: row(text, "\\u001b[2J"), "the process with a hostile name")
        screen.until(lambda text: row(text, "accelerometer"), "everything else")


@needs_root
def test_users_without_rights_see_resources_and_are_told_why_not_clients(phone):
    let_everybody_in(phone)
    with subscribe(phone), Screen(phone.broker, prefix=(
            "setpriv", f"--reuid={ALICE}", f"--regid={ALICE}", "--clear-groups")) as screen:
        screen.run("sensorctl top")
        screen.until(lambda text: re.search(r"^accelerometer +active +\d", text, re.M), "readings")
        screen.until(lambda text: "Only the broker's administrator may see its clients" in text, "the reason")
        screen.type("r")
        screen.until(lambda text: "Only the broker's administrator may do this" in text, "the same of deeds")


def test_disconnect(daemon):
    with process(b"victim", daemon) as victim, subscribe(daemon) as other:
        def run(*arguments):
            return commands.run(SENSORCTL, "disconnect", *arguments, broker=daemon)

        result = run(str(victim.pid))
        assert (result.returncode, result.stdout, result.stderr) == (0, "1 connection ended\n", "")
        assert run(str(victim.pid)).returncode == 69
        [client] = [one for one in admin(daemon, "GetStatus")["clients"] if one["resources"]]
        result = run(f"id:{client['id']}", "--format", "json")
        assert json.loads(result.stdout) == {"disconnected": [client["id"]]}
        other.settimeout(PATIENCE)
        while other.recv(1 << 16):
            pass
        result = run("id:999999")
        assert result.returncode == 69 and "sensorctl status" in result.stderr
        with subscribe(daemon):
            [client] = until(lambda: [one for one in admin(daemon, "GetStatus")["clients"] if one["resources"]], "the stream")
            result = run("id:999999", f"id:{client['id']}", "999999")
            assert (result.returncode, result.stdout) == (69, "1 connection ended\n"), "one that has gone hides no other"
            assert "connection 999999 is" in result.stderr and "process 999999 is" in result.stderr
        assert run("victim").returncode == 64


def test_status_says_what_was_asked_for_and_who_lags(daemon):
    with subscribe(daemon, milliseconds=3_600_000 * 48, batchNanoseconds=7) as slow, subscribe(daemon, milliseconds=1) as stuck:
        for client in (slow, stuck):
            client.settimeout(PATIENCE)
            client.recv(1)

        def clients():
            return {part.get("requestedIntervalNanoseconds"): (client, part)
                    for client in admin(daemon, "GetStatus")["clients"] for part in client["resources"]}

        until(lambda: clients()[1_000_000][0]["lagNanoseconds"] > 500_000_000, "the lag of one who does not read")
        found = clients()
        client, part = found[172_800_000_000_000]
        assert part["intervalNanoseconds"] < part["requestedIntervalNanoseconds"] and part["requestedBatchNanoseconds"] == 7
        lag = found[1_000_000][0]["lagNanoseconds"]
        until(lambda: clients()[1_000_000][0]["lagNanoseconds"] > lag + 1_000_000_000, "the lag to grow")
        stuck.setblocking(False)

        def read():
            with contextlib.suppress(BlockingIOError):
                while stuck.recv(1 << 20):
                    pass
            return clients()[1_000_000][0]["lagNanoseconds"] < 100_000_000

        until(read, "the lag to end")
