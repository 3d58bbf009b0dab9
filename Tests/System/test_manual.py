"""The manual and the completions describe the programs completely, and nothing else."""

import functools
import os
import re
import shutil

import pytest

from tools.commands import run as run_program
from tools.programs import ROOT, SENSORBROKERD, SENSORCTL, exit_statuses

MANUAL = ROOT / "docs/man"
COMPLETIONS = ROOT / "completions"
PROGRAMS = {"sensorbrokerd": (SENSORBROKERD, "sensorbrokerd.8"), "sensorctl": (SENSORCTL, "sensorctl.1")}


def run(*command, **options):
    environment = {**os.environ, "PATH": f"{os.path.dirname(SENSORCTL)}:{os.environ['PATH']}",
                   "SENSORBROKER_SOCKET": "/nonexistent"} | options.pop("environment", {})
    return run_program(*command, env=environment, **options)


def page(name):
    return (MANUAL / name).read_text()


@pytest.mark.parametrize("path", [*MANUAL.iterdir(), *(ROOT / "docs/mqtt").glob("*.[158]"), ROOT / "Clients/c/sensorbroker.3"],
                         ids=lambda path: path.name)
def test_what_is_shown_is_what_was_meant(path):
    """A macro that begins with a mark of punctuation shows nothing of its own, `Pa` a tilde; and brackets of examples match. Whoever
    reads an installed manual has no `docs`.
    """
    text = path.read_text()
    assert "docs/" not in text
    assert re.findall(r"^\.(?:It )?(?:Ar|Cm|Ev|Fl|Li|Pa) [.,;:)].*", text, re.MULTILINE) == []
    for example in re.findall(r"^\.Bd -literal.*\n((?:[^.\n].*\n)*)", text, re.MULTILINE):
        if example.startswith(("{", '"')):
            assert [example.count(mark) for mark in "{["] == [example.count(mark) for mark in "}]"], example


def section(text, title):
    return re.search(rf"^\.Sh {title}\n(.*?)(?=^\.Sh |\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def source(files):
    """The text of the matching source files, so that a declaration may move within its room."""
    found = sorted((ROOT / "Sources").glob(f"*/{files}"))
    assert found, files
    return "".join(path.read_text() for path in found)


@functools.cache
def usage(program):
    result = run(PROGRAMS[program][0], "--help")
    assert result.returncode == 0
    return result.stdout


@functools.cache
def help_of(command):
    result = run(SENSORCTL, "help", command)
    assert result.returncode == 0
    return result.stdout


def options(program):
    """The options that the program accepts, from its help, which is made from the parser's table."""
    texts = [usage(program), *map(help_of, commands())] if program == "sensorctl" else [usage(program)]
    return {option for text in texts for option in re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", text, re.MULTILINE)}


def commands():
    """The commands of sensorctl, from its help."""
    return set(re.findall(r"^  ([a-z]+) ", usage("sensorctl").split("\nOptions")[0], re.MULTILINE))


def options_of(command):
    """The options that sensorctl takes with a command, by its help; CommandTableTests compares that with the parser."""
    text = help_of(command)
    own = re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", text.split("\nOptions of all commands")[0], re.MULTILINE)
    common = re.findall(r"--[a-z-]+", text.split("\nOptions of all commands")[1].split("\n\n")[0])
    assert len(common) > 3
    return {*own, *common}


@pytest.mark.parametrize("program", PROGRAMS)
class TestOptions:
    def test_the_usage_has_the_options_of_the_code(self, program):
        assert len(options(program)) > 5
        assert {"--help", "--version"} <= options(program)

    def test_the_manual_has_those_of_the_code(self, program):
        text = page(PROGRAMS[program][1])
        described = set(re.findall(r"^\.It (?:Fl [a-z] , )?Fl (-[a-z-]+)", text, re.MULTILINE))
        assert {f"-{name}" for name in described} == options(program)
        named = {f"-{name}" for name in re.findall(r"Fl (-[a-z-]+)", text)}
        assert named <= options(program)

    def test_the_manual_has_its_exit_statuses(self, program):
        if program == "sensorctl":
            numbers = re.findall(r"^ +(\d+)  +[A-Za-z`]", usage(program).split("Exit status:")[1], re.MULTILINE)
        else:
            numbers = exit_statuses(f"{program}/*.swift")
        assert len(numbers) > 5
        assert re.findall(r"^\.It (\d+)$", section(page(PROGRAMS[program][1]), "EXIT STATUS"), re.MULTILINE) == numbers


class TestCommands:
    def test_the_manual_has_those_of_the_code(self):
        text = page("sensorctl.1")
        assert len(commands()) > 10
        assert set(re.findall(r"^\.It Cm (\w+)", section(text, "COMMANDS"), re.MULTILINE)) == commands()
        assert set(re.findall(r"^\.Nm\n\.Cm (\w+)", section(text, "SYNOPSIS"), re.MULTILINE)) == commands()


class TestPages:
    def test_the_events_match_the_code(self):
        text = section(page("sensorbrokerd.8"), "DIAGNOSTICS")
        assert re.findall(r"^\.It Li (\w+)$", text, re.MULTILINE) == re.findall(
            '"([0-9a-f]{32})"', source("Platform/Journal*.swift"))
        assert set(re.findall(r"SENSORBROKER_\w+", text)) == set(
            re.findall(r'"(SENSORBROKER_\w+)"', source("Platform/Journal*.swift")))

    @pytest.mark.parametrize("name", sorted(path.name for path in MANUAL.iterdir()))
    def test_it_has_examples(self, name):
        assert len(section(page(name), "EXAMPLES").splitlines()) > 3

    @pytest.mark.parametrize("name", sorted(path.name for path in MANUAL.iterdir()))
    def test_it_is_well_formed(self, name):
        result = run("mandoc", "-T", "lint", "-W", "warning", MANUAL / name)
        assert result.stdout + result.stderr == ""
        result = run("man", "--warnings", "-l", MANUAL / name, environment={"MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        assert result.stderr == "" and len(result.stdout.splitlines()) > 40


def test_the_package_has_the_version_of_the_programs():
    version = re.search(r'"([0-9.]+)"', source("Platform/Version.swift"))[1]
    assert (ROOT / "debian/changelog").read_text().startswith(f"sensorbroker ({version}-")


class Bash:
    """bash, with the completion function called directly, for words as bash splits them."""

    file = "sensorctl.bash"
    script = """
        source /usr/share/bash-completion/bash_completion
        source "$1"
        COMP_LINE=$2 COMP_POINT=${#2}
        read -ra COMP_WORDS <<<"$(sed 's/[=:]/ & /g' <<<"$2")"
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        compopt() { :; }
        _sensorctl
        printf '%s\\n' "${COMPREPLY[@]}"
    """

    def offers(self, line, **environment):
        result = run("bash", "-c", self.script, "bash", COMPLETIONS / self.file, line, environment=environment)
        assert result.stderr == "", result.stderr
        return set(result.stdout.split())


class Fish:
    file = "sensorctl.fish"

    def offers(self, line, **environment):
        result = run("fish", "--no-config", "-c", f"source {COMPLETIONS / self.file}; complete -C '{line}'",
                     environment=environment)
        assert result.stderr == "", result.stderr
        return {line.split("\t")[0] for line in result.stdout.splitlines()}


class Zsh:
    """zsh, which completes only on a terminal: on a pseudo-terminal, in a shell that prints the candidates and
    exits."""

    file = "sensorctl.zsh"
    setup = r"""
        PROMPT=
        fpath=($1 $fpath)
        autoload -Uz compinit && compinit -u -d $1/dump
        bindkey '^I' complete-word
        zstyle ':completion:*' insert-tab false
        finish() { exit }
        comppostfuncs=(finish)
        compadd() {
            if [[ ${@[1,(i)(-|--)]} == *-[OAD]\ * ]]; then builtin compadd "$@"; return; fi
            local -a offers
            builtin compadd -A offers "$@"
            local offer
            for offer in $offers; do print -r -- "OFFER<$offer>"; done
        }
        print -r -- RE''ADY
    """
    script = r"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "source $1/setup $1"
        zpty -r -m shell seen '*READY*'
        zpty -w -n shell "$2"$'\t'
        while zpty -r shell seen; do print -rn -- $seen; done
    """

    def __init__(self, directory):
        self.directory = directory
        shutil.copy(COMPLETIONS / self.file, directory / "_sensorctl")
        (directory / "setup").write_text(self.setup)

    def offers(self, line, **environment):
        result = run("zsh", "-f", "-c", self.script, "zsh", self.directory, line, environment=environment)
        return set(re.findall(r"OFFER<([^>]*)>", result.stdout))


@pytest.fixture(params=["bash", "fish", "zsh"])
def shell(request, tmp_path):
    if not shutil.which(request.param):
        pytest.skip(f"there is no {request.param}: its completion was not tried")
    return {"bash": Bash, "fish": Fish, "zsh": lambda: Zsh(tmp_path)}[request.param]()


class TestCompletion:
    def test_names_of_resources_come_from_the_running_broker(self, shell, daemon):
        names = {"location", "accelerometer", "orientation", "tilt"}
        for command in ("get", "watch", "release", "reacquire"):
            assert shell.offers(f"sensorctl {command} ", SENSORBROKER_SOCKET=daemon.broker) >= names, command
        assert shell.offers("sensorctl watch acc", SENSORBROKER_SOCKET=daemon.broker) == {"accelerometer"}

    def test_an_option_may_have_its_value_behind_an_equals_sign(self, shell, daemon):
        for option in (f"--socket={daemon.broker}", f"--socket {daemon.broker}"):
            for line in (f"{option} --timeout=2s watch acc", f"watch {option} acc"):
                assert shell.offers(f"sensorctl {line}") == {"accelerometer"}, line
        for line in ("--format=csv watch --al", "watch --timeout 2s --al"):
            assert {word.rstrip("=") for word in shell.offers(f"sensorctl {line}")} == {"--align-to"}, line
        assert {word.rsplit("=", 1)[-1] for word in shell.offers("sensorctl watch --filter=me")} == {"mean"}

    def test_a_path_may_be_quoted(self, shell, daemon, tmp_path):
        path = tmp_path / "a&b"
        path.symlink_to(daemon.broker)
        for typed in (f'"{path}"', str(path).replace("&", "\\&")):
            for option in (f"--socket={typed}", f"--socket {typed}"):
                assert shell.offers(f"sensorctl {option} watch acc") == {"accelerometer"}, option

    def test_a_path_may_be_in_ones_home(self, shell, daemon, tmp_path):
        (tmp_path / "broker").symlink_to(daemon.broker)
        assert shell.offers("sensorctl --socket ~/broker watch acc", HOME=str(tmp_path)) == {"accelerometer"}

    def test_no_broker_is_no_error(self, shell):
        assert not shell.offers("sensorctl get ") & {"location", "accelerometer"}

    def test_commands_match_the_code(self, shell):
        assert {word for word in shell.offers("sensorctl ") if not word.startswith("-")} == commands()

    def test_each_command_has_the_options_that_it_takes(self, shell):
        for command in sorted(commands()):
            offered = {word.rstrip("=") for word in shell.offers(f"sensorctl {command} --")}
            assert offered - {"-h"} == options_of(command), command

    def test_behind_a_comma_are_the_options_of_a_resource(self, shell):
        table = source("sensorctl/CommandLine/RequestOption.swift")
        known = {name + ("" if value == "nil" else "=") for name, value in re.findall(r'Self\(\s*name: "(\w+)", value: ([^,]+),', table)}
        assert len(known) == 4
        for line in ("watch accelerometer,", "record location@1s,min=5m,", "set SUBSCRIPTION light@1s,"):
            assert {word.rsplit(",", 1)[-1] for word in shell.offers(f"sensorctl {line}")} == known, line
        assert {word.rsplit(",", 1)[-1] for word in shell.offers("sensorctl watch accelerometer,ba")} == {"batch="}
