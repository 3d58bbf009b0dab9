"""sensorctl top and its terminal: what it needs, that it stops like any program, and that the terminal is as before."""

import os
import re
import signal
import time

import pytest

from tools import commands
from tools.administration import admin
from tools.programs import BROKER, PATIENCE, SENSORCTL
from tools.screen import Screen
from tools.topscene import phone, process, row, subscribe  # noqa: F401  a fixture
from tools.waiting import until


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
