"""sensorctl top in a real terminal: what it shows, and which keys it takes."""

import contextlib
import json
import os
import re

from tools import commands
from tools.administration import admin, await_state
from tools.programs import PATIENCE, SENSORCTL
from tools.screen import Screen
from tools.topscene import phone, process, reading, row, subscribe  # noqa: F401  a fixture
from tools.users import ALICE, let_everybody_in, needs_root
from tools.waiting import until


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
