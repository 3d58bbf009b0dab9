"""The C client: it compiles everywhere, passes its unit tests under the sanitizers, and keeps its promises with a real daemon.

What it does with a scripted server is in test_conformance.py, beside the other clients.
"""

import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys

import pytest

from tools.cclient import SOURCES, STRICT, Client, client, conform, run  # noqa: F401  fixtures
from tools.daemon import die_with_parent
from tools.programs import CERTIFICATION_SERVER, INTERFACES, PATIENCE, ROOT
from tools.stream import MILLISECOND
from tools.users import ALICE, needs_root
from tools.waiting import until

SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]


def compiled(directory, source, *options, compiler="gcc"):
    program = os.path.join(str(directory), os.path.basename(str(source)).split(".")[0])
    run(compiler, "-std=c99", *options, "-o", program, source, "-lm")
    return program


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder into which the Makefile has built the library."""
    folder = tmp_path_factory.mktemp("library")
    run("make", "-C", SOURCES, f"BUILD={folder}", "PREFIX=/usr")
    return folder


# ---- The code by itself


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("optimisation", ["-O0", "-O2"])
def test_it_compiles_without_a_warning(tmp_path, compiler, optimisation):
    # clang's warnings are those of its parser, which sees other headers with -O2; gcc's optimizer has some of its own.
    output = ["-fsyntax-only"] if compiler == "clang" else ["-c", "-o", tmp_path / "out.o"]
    for source in ["sensorbroker.c", "tests/conform.c", "examples/logger.c", "examples/poll.c"]:
        run(compiler, "-std=c99", *STRICT, "-Wstrict-prototypes", optimisation, *output, f"-I{SOURCES}", SOURCES / source)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_it_compiles_as_cpp(tmp_path, compiler, standard):
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}: that the code compiles as C++ with it was not tested")
    program = tmp_path / "program.cpp"
    program.write_text('#include "sensorbroker.h"\nint main() { sb_close(sb_open("/x")); }\n')
    for source in [SOURCES / "sensorbroker.c", program]:
        run(compiler, f"-std={standard}", "-x", "c++", *STRICT, f"-I{SOURCES}", "-c", "-o", tmp_path / "out.o", source)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_unit_tests_under_the_sanitizers(tmp_path, compiler):
    program = compiled(tmp_path, SOURCES / "tests/unit.c", *SANITIZED, compiler=compiler)
    assert run(program).endswith(" 0 failed\n")


def test_a_short_fuzz_run(tmp_path):
    program = compiled(tmp_path, SOURCES / "tests/fuzz.c", *SANITIZED, "-O1", "-DFUZZ_ROUNDS=6000")
    assert int(run(program, *sorted((SOURCES / "tests/corpus").iterdir())).split()[0]) > 3_000


def test_it_is_installed_and_found_by_pkg_config(tmp_path, built):
    root = tmp_path / "root"
    run("make", "-C", SOURCES, "install", f"BUILD={built}", f"DESTDIR={root}", "PREFIX=/usr")
    found = {"PKG_CONFIG_PATH": f"{root}/usr/lib/pkgconfig", "PKG_CONFIG_SYSROOT_DIR": str(root), "PATH": os.environ["PATH"]}
    flags = run("pkg-config", "--cflags", "--libs", "sensorbroker", env=found).split()
    program = tmp_path / "logger"
    run("gcc", "-o", program, SOURCES / "examples/logger.c", *flags)
    linked = run("ldd", program, env={"LD_LIBRARY_PATH": f"{root}/usr/lib", "PATH": os.environ["PATH"]})
    assert f"libsensorbroker.so.0 => {root}" in linked
    # The static one, by itself.
    run("gcc", "-o", tmp_path / "static", SOURCES / "examples/logger.c", f"-I{root}/usr/include", root / "usr/lib/libsensorbroker.a")


def test_exports_header_and_symbol_versions_agree(built):
    exported = re.findall(r" T (\w+)@@SENSORBROKER_0", run("nm", "-D", "--defined-only", built / "libsensorbroker.so"))
    declared = re.findall(r"^SB_API .*?(\w+)\(", (SOURCES / "sensorbroker.h").read_text(), re.M)
    listed = re.findall(r"^ (sb_\w+)@SENSORBROKER_0 ", (ROOT / "debian/libsensorbroker0.symbols").read_text(), re.M)
    manual = (SOURCES / "sensorbroker.3").read_text()
    assert sorted(exported) == sorted(declared) == sorted(listed)
    assert [name for name in declared if name not in manual] == []


def test_its_version_is_that_of_the_daemon():
    daemon = re.search(r'text = "(.*)"', (ROOT / "Sources/Ground/Platform/Version.swift").read_text()).group(1)
    assert f'#define SB_VERSION "{daemon}"\n' in (SOURCES / "sensorbroker.h").read_text()


def test_the_manual_is_well_formed():
    assert run("mandoc", "-T", "lint", "-W", "warning", SOURCES / "sensorbroker.3") == ""


def test_fields_are_those_of_the_interface():
    """Each field that the broker may send has a place in the tables; new ones are passed over, but shall not be forgotten."""
    interface = re.sub(r"#.*", "", (INTERFACES / "io.sensorbroker.Broker.varlink").read_text())
    fields = set()
    for name, body in re.findall(r"^type (\w+) \((.*?)^\)", interface, re.M | re.S):
        if name != "Request":
            fields |= set(re.findall(r"(\w+):", body))
    known = set(re.findall(r'(?:\{|\()"(\w+)"', (SOURCES / "sensorbroker.c").read_text()))
    assert fields - known == set()


def test_the_reference_server_certifies_it(tmp_path, directory):
    program = compiled(tmp_path, SOURCES / "tests/certification.c", *SANITIZED)
    servers = [[sys.executable, "-m", "varlink.tests.test_certification"], [CERTIFICATION_SERVER]]
    for number, command in enumerate(servers):
        path = os.path.join(directory, f"certification-{number}")
        address = f"--varlink=unix:{path}" if number == 0 else path
        server = subprocess.Popen([*command, address], stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            until(lambda: socket.socket(socket.AF_UNIX).connect_ex(path) == 0, "the server to listen")
            assert "Certification passed" in run(program, path)
        finally:
            server.kill()
            server.wait()


# ---- With a daemon


def test_rates_are_exact_and_can_be_changed(daemon, client):
    it = client(daemon.broker, "accelerometer,interval=20000000")
    it.await_event("grant", intervalNanoseconds=20 * MILLISECOND)
    for interval in (20, 30, 5):
        if interval != 20:
            it.tell(f"modify accelerometer,interval={interval * MILLISECOND}")
            it.await_event("grant", resource="accelerometer", intervalNanoseconds=interval * MILLISECOND)
        # The first ones may still be on their way to the new grid, or find the device at another rate.
        it.readings(5)
        begin = len(it.events)
        stamps = [reading["timestampNanoseconds"] for reading in it.readings(21)]
        lost = sum(event["count"] for event in it.events[begin:]
                   if event["event"] == "gap" and stamps[0] < event["fromNanoseconds"] <= stamps[-1])
        spans = [after - before for before, after in itertools.pairwise(stamps)]
        assert all(span > 0 for span in spans), spans
        # One reading an interval, but for those that are reported; the first and the last may be off by one of the device's.
        assert abs((stamps[-1] - stamps[0]) - (20 + lost) * interval * MILLISECOND) <= 2 * interval * MILLISECOND, (interval, spans)
    assert not [event for event in it.events if event["event"] == "disconnected"]


def test_packed_batches_have_the_same_numbers(daemon, client):
    it = client(daemon.broker, "accelerometer,label=plain,interval=1000000,batch=50000000",
                "accelerometer,label=packed,interval=1000000,batch=50000000,packed=1")
    it.await_event("reading", label="packed")
    it.await_event("reading", label="plain")
    it.readings(300, label="packed")
    it.readings(300, label="plain")
    by_stamp = {}
    for event in it.events:
        if event["event"] == "reading":
            by_stamp.setdefault(event["timestampNanoseconds"], {})[event["label"]] = event
    both = [pair for pair in by_stamp.values() if len(pair) == 2]
    assert len(both) > 100
    for pair in both:
        for axis, value in pair["plain"]["values"].items():
            assert abs(value - pair["packed"]["values"][axis]) <= 1e-6 * max(1, abs(value))
        assert pair["plain"]["unit"] == pair["packed"]["unit"] == "m/s²"


def test_aligned_readings_locations_and_orientations(daemon, client):
    it = client(daemon.broker, "accelerometer,interval=100000000", "location,align=accelerometer", "orientation,interval=0")
    reading = it.take(lambda event: event["event"] == "reading" and len(event.get("aligned", [{}])[0]) > 3, "an aligned reading")
    assert reading["resource"] == "accelerometer"
    aligned = reading["aligned"][0]
    assert aligned["resource"] == "location" and aligned["alignment"] in ("exact", "interpolated")
    assert -90 <= aligned["latitudeDegrees"] <= 90
    if not any(event.get("orientation") for event in it.events):
        it.take(lambda event: event.get("orientation"), "an orientation")


def test_a_crash_is_survived_and_its_gap_told(start, client):
    first = start("--mock")
    it = client(first.broker, "accelerometer,interval=50000000")
    it.readings(3)
    first.kill()
    it.await_event("disconnected", error="disconnected")
    last = [event for event in it.events if event["event"] == "reading"][-1]
    start("--mock")
    gap = it.await_event("gap", cause="disconnected")
    reading = it.readings(1)[0]
    assert gap["fromNanoseconds"] == last["timestampNanoseconds"]
    assert gap["untilNanoseconds"] == reading["timestampNanoseconds"] and reading["afterGap"]
    assert "count" not in gap
    kinds = [event["event"] for event in it.events]
    assert kinds.count("disconnected") == 1 and kinds.count("connected") == 2


def test_a_stop_is_told_and_a_new_start_found(start, client):
    first = start("--mock")
    it = client(first.broker, "accelerometer,interval=50000000", "location")
    it.readings(1)
    first.stop()
    it.await_event("disconnected", error="ended", reason="shutdown")
    start("--mock")
    it.await_event("connected")
    it.readings(2)
    it.readings(1, resource="location")


def test_no_broker_says_what_to_do(directory, client):
    it = client(os.path.join(directory, "nothing"), "accelerometer")
    assert "systemctl start" in it.await_event("disconnected", error="brokerMissing")["text"]
    it.tell("list")
    assert it.await_event("failed", call="list")["error"] == "brokerMissing"


@needs_root
def test_no_rights_names_the_group_and_rights_that_come_are_used(daemon, conform, client):
    os.chmod(daemon.directory, 0o755)
    program = shutil.copy(conform, os.path.join(daemon.directory, "conform"))
    os.chown(daemon.broker, 0, 65533)
    it = client(daemon.broker, "accelerometer", program=program, user=ALICE, group=ALICE, extra_groups=[])
    assert "usermod -aG 65533 $USER" in it.await_event("disconnected", error="notPermitted")["text"]
    os.chmod(daemon.broker, 0o666)
    it.readings(1)


def test_a_client_that_was_suspended_gets_a_gap_and_the_present(daemon, client):
    it = client(daemon.broker, "accelerometer,interval=5000000")
    it.readings(5)
    other = client(daemon.broker, "accelerometer,label=witness,interval=100000000")
    it.process.send_signal(signal.SIGSTOP)
    # The queue holds half a second of readings.
    other.readings(20, label="witness")
    it.process.send_signal(signal.SIGCONT)
    gap = it.await_event("gap", cause="slowClient")
    reading = it.readings(1)[0]
    assert reading["afterGap"] and reading["timestampNanoseconds"] >= gap["untilNanoseconds"]
    samples = [event for event in it.events if event["event"] == "reading"]
    counted = sum(event["count"] for event in it.events if event["event"] == "gap")
    assert samples[-1]["sequence"] > samples[0]["sequence"] and counted > 0


def test_a_mute_broker_is_noticed(daemon, client):
    it = client(daemon.broker, "accelerometer,interval=20000000")
    it.readings(3)
    daemon.send_signal(signal.SIGSTOP)
    try:
        stale = it.await_event("state", state="stale")
        assert "stopped" in stale["reason"]
        it.tell("read accelerometer 0 200000000")
        assert it.await_event("failed", call="read")["error"] == "timedOut"
    finally:
        daemon.send_signal(signal.SIGCONT)
    it.await_event("state", state="active")
    it.readings(3)


def test_requests_can_be_added_removed_and_refused(daemon, client):
    it = client(daemon.broker, "accelerometer,interval=100000000")
    it.readings(1)
    it.tell("modify accelerometer,label=fast,interval=10000000")
    it.readings(3, label="fast")
    it.tell("modify thermometer")
    assert it.await_event("refused")["error"] == "noSuchResource"
    it.tell("modify accelerometer,label=not/allowed")
    assert it.await_event("refused")["error"] == "invalidRequest"
    it.tell("remove fast")
    it.tell("modify accelerometer,interval=50000000")
    it.await_event("grant", resource="accelerometer", intervalNanoseconds=50 * MILLISECOND)
    begin = len(it.events)
    it.readings(5)
    assert not [event for event in it.events[begin:] if event.get("label") == "fast"]


def test_list_and_read(daemon, client):
    it = client(daemon.broker)
    it.tell("list")
    names = {resource["name"]: resource for resource in it.await_event("list")["resources"]}
    assert names["accelerometer"]["kind"] == "acceleration" and "location" in names
    it.tell("read accelerometer 0 100000000000")
    assert set(it.await_event("read")["values"]) == {"x", "y", "z"}
    it.tell("read location 0 100000000000")
    assert it.await_event("read")["location"]["fix"] == "3d"
    it.tell("read nothing 0 1000000000")
    assert it.await_event("failed")["error"] == "noSuchResource"


def test_a_request_for_nothing_that_exists_ends(daemon, conform):
    it = Client(conform, daemon.broker, "thermometer")
    assert it.await_event("error")["error"] == "noSuchResource"
    assert it.process.wait(PATIENCE) == 1
    it.close()


class Example:
    """An example, built and running with a daemon."""

    def __init__(self, daemon, folder, name, *arguments, libraries=(), source=None):
        self.program = folder / name
        run("gcc", "-std=gnu99", *STRICT, f"-I{SOURCES}", "-o", self.program, source or SOURCES / f"examples/{name}.c",
            SOURCES / "sensorbroker.c", *libraries)
        self.process = subprocess.Popen([self.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=die_with_parent, env={**os.environ, "SENSORBROKER_SOCKET": daemon.broker})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def lines(self, is_wanted, count):
        """Waits for so many lines of this kind."""
        found = []
        while len(found) < count:
            line = self.process.stdout.readline()
            assert line, "the example has ended"
            found += [line] if is_wanted(line) else []
        return found


def test_the_loop_of_the_example_survives_a_stop(daemon, tmp_path):
    """A process that was stopped and goes on has caught no signal: a loop over sb_next does not end by that."""
    with Example(daemon, tmp_path, "logger", "accelerometer", "20") as logger:
        for _ in range(3):
            logger.lines(lambda line: line.count(",") == 3, 8)
            logger.process.send_signal(signal.SIGSTOP)
            os.waitpid(logger.process.pid, os.WUNTRACED)
            logger.process.send_signal(signal.SIGCONT)


def test_the_example_with_poll_changes_its_rate(daemon, tmp_path):
    with Example(daemon, tmp_path, "poll") as example:
        example.lines(lambda line: "every 500.0 ms" in line, 1)
        example.lines(lambda line: "m/s²" in line, 1)
        example.process.stdin.write("50\n")
        example.process.stdin.flush()
        example.lines(lambda line: "every 20.0 ms" in line, 1)
        example.lines(lambda line: "m/s²" in line, 10)


def test_the_example_with_libuv_shows_locations(daemon, tmp_path):
    with Example(daemon, tmp_path, "libuv", libraries=["-luv"]) as example:
        example.lines(lambda line: re.match(r"^-?\d+\.\d+ -?\d+\.\d+$", line), 2)


@pytest.mark.parametrize("page", ["docs/clients-c.md#a-logger", "docs/clients-c.md#motion", "Clients/c/sensorbroker.3", "docs/programs.md"])
def test_the_programs_of_the_pages_work(start, tmp_path, page):
    page, _, heading = page.partition("#")
    text = (ROOT / page).read_text()
    if heading:
        section = re.search(rf"^## {heading.replace('-', ' ')}$(.*?)(?=^## )", text, re.S | re.M | re.I).group(1)
        program = re.search(r"```c\n(#include.*?)```", section, re.S).group(1)
    elif page.endswith(".3"):
        program = re.search(r"\.Bd -literal\n(.*?)\.Ed", text, re.S).group(1).replace("\\e", "\\")
    else:
        body = re.search(r"## C\n\n((?:    .*\n)+)", text).group(1)
        program = f"#include <sensorbroker.h>\n#include <stdio.h>\nint main(void) {{\n{body}}}\n"
    source = tmp_path / "page.c"
    source.write_text(program.replace("sb_client *client = sb_open(NULL);", "setlinebuf(stdout); sb_client *client = sb_open(NULL);"))
    scenario = tmp_path / "page.scenario"
    scenario.write_text("[location]\n[accelerometer]\n[gyroscope]\nPartOf=accelerometer\n")
    with Example(start(f"--mock={scenario}"), tmp_path, "program", source=source) as example:
        example.lines(lambda line: re.search(r"\d\.\d", line), 5)
