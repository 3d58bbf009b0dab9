"""Metrics: systemd's interface, Prometheus' formats by their reference parsers, and the documents that name them."""

import json
import os
import re
import shutil

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus

from tools.commands import run, sensorctl
from tools.continuity import untold
from tools.descriptorstore import Service
from tools.programs import ADMIN, BROKER, METRICS, MOCK, ROOT, SENSORCTL
from tools.provider import Provider, feed_path
from tools.stream import MILLISECOND, Stream, boot_nanoseconds
from tools.users import ALICE, as_user, everybodys, let_everybody_in, needs_root
from tools.waiting import until
from tools.wire import Connection

PREFIX = "io.sensorbroker."
PROMTOOL = shutil.which("promtool") or os.environ.get("PROMTOOL")
FAST = {"resource": "accelerometer", "intervalNanoseconds": 10_000_000}


def replies(connection, method):
    """The parameters of all replies to a `more` call."""
    reply = connection.call(f"{METRICS}.{method}", more=True)
    found = [reply]
    while found[-1].get("continues"):
        found.append(connection.receive())
    assert all("error" not in reply for reply in found), found
    return [reply["parameters"] for reply in found]


def listed(path):
    with Connection(path) as connection:
        return replies(connection, "List")


def values(path):
    """Each metric by its name, object and fields."""
    found = {}
    for metric in listed(path):
        key = (metric["name"].removeprefix(PREFIX), metric.get("object"), *sorted(metric.get("fields", {}).items()))
        assert key not in found, key
        found[key] = metric["value"]
    return found


def samples(text, parse=parse_openmetrics):
    return [sample for family in parse(text) for sample in family.samples]


@pytest.fixture
def streaming(daemon):
    """A daemon that has delivered something."""
    with Stream(daemon.broker, FAST, {"resource": "location"}) as stream:
        stream.until(lambda s: len({item["resource"] for item in s.readings}) == 2, "readings of both")
        yield daemon


def test_the_interface_is_systemds(streaming):
    with Connection(streaming.broker) as connection:
        families = {family["name"]: family for family in replies(connection, "Describe")}
        metrics = replies(connection, "List")
        for method in ("List", "Describe"):
            assert connection.call(f"{METRICS}.{method}")["error"] == "org.varlink.service.ExpectedMore"
            answer = connection.call(f"{METRICS}.{method}", {"name": "x"}, more=True)
            assert answer["error"] == "org.varlink.service.InvalidParameter"
        assert METRICS in connection.result("org.varlink.service.GetInfo")["interfaces"]
    for family in families.values():
        assert set(family) == {"name", "description", "type"} and family["type"] in ("counter", "gauge", "string")
        assert re.fullmatch(r"io\.sensorbroker\.([A-Z][a-z]+)+", family["name"]), family
        assert family["description"] and not family["description"].endswith(".")
    for metric in metrics:
        assert {"name", "value"} <= set(metric) <= {"name", "value", "object", "fields"}
        assert all(isinstance(value, str) for value in metric.get("fields", {}).values()), metric
        kind = families[metric["name"]]["type"]
        assert isinstance(metric["value"], str if kind == "string" else (int, float)), metric
        assert kind != "counter" or metric["value"] >= 0
    assert {metric["name"] for metric in metrics} == set(families), "a family has no metric"


def test_openmetrics_as_its_reference_parser_reads_it(streaming):
    text = sensorctl("metrics", broker=streaming)
    assert text.endswith("# EOF\n")
    families = {family.name: family for family in parse_openmetrics(text)}
    assert families["sensorbroker_turn_seconds"].type == "histogram"
    assert families["sensorbroker_turn_seconds"].unit == "seconds"
    assert families["sensorbroker_device_samples"].type == "counter"
    assert families["sensorbroker_build"].type == "info"
    assert families["sensorbroker_resident_memory_bytes"].unit == "bytes"
    assert all(family.type != "unknown" and family.documentation for family in families.values())
    found = {(sample.name, sample.labels.get("resource")): sample.value for sample in samples(text)}
    assert found["sensorbroker_up", None] == 1
    assert found["sensorbroker_resource_readings_total", "accelerometer"] > 0
    assert found["sensorbroker_resource_rate_hertz", "accelerometer"] >= 100
    state = {sample.labels["resource"]: sample.labels["state"] for sample in samples(text)
             if sample.name == "sensorbroker_resource_state"}
    assert state["accelerometer"] == state["location"] == "active"


def test_json_is_what_the_broker_sends(daemon):
    lines = [json.loads(line) for line in sensorctl("metrics", "--format", "json", broker=daemon).splitlines()]
    assert {line["name"] for line in lines} == {metric["name"] for metric in listed(daemon.broker)}
    sensorctl("metrics", "--format", "csv", status=64, broker=daemon)


def test_the_textfile_is_replaced_in_one_step_and_tells_when_the_broker_is_down(start, directory, tmp_path):
    daemon = start("--mock")
    path = tmp_path / "sensorbroker.prom"
    path.write_text("something else\n")
    sensorctl("metrics", "--textfile", path, broker=daemon)
    text = path.read_text()
    assert "# EOF" not in text and os.listdir(tmp_path) == [path.name]
    old = {(s.name, *sorted(s.labels.items())) for s in samples(text, parse_prometheus)}
    new = {(s.name, *sorted(s.labels.items())) for s in samples(sensorctl("metrics", broker=daemon))}
    assert old == new
    assert {family.type for family in parse_prometheus(text)} == {"counter", "gauge", "histogram"}
    daemon.stop()
    sensorctl("metrics", "--textfile", path, status=69, broker=daemon)
    assert [(s.name, s.value) for s in samples(path.read_text(), parse_prometheus)] == [("sensorbroker_up", 0.0)]
    sensorctl("metrics", "--textfile", tmp_path / "sensorbroker.txt", status=64, broker=daemon)


@pytest.mark.skipif(not PROMTOOL, reason="NOT RUN: promtool (package prometheus) is not installed, so its rules were not applied")
def test_promtool_has_nothing_to_say(streaming, tmp_path):
    path = tmp_path / "sensorbroker.prom"
    sensorctl("metrics", "--textfile", path, broker=streaming)
    result = run(PROMTOOL, "check", "metrics", input=path.read_text())
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    result = run(PROMTOOL, "check", "rules", ROOT / "docs/alerts.yml")
    assert result.returncode == 0, result


def documented():
    """The rows of the table in docs/metrics.md: type, labels and meaning, by name."""
    rows = {}
    for line in (ROOT / "docs/metrics.md").read_text().splitlines():
        if match := re.fullmatch(r"\| `(sensorbroker_\w+)` \| (\w+) \| ([\w, ]*?) ?\| (.*) \|", line):
            name, kind, labels, meaning = match.groups()
            rows[name] = kind, set(filter(None, labels.replace(" ", "").split(","))), meaning
    return rows


def test_the_document_lists_exactly_the_metrics_that_there_are(streaming):
    rows = documented()
    found = {}
    for family in parse_openmetrics(sensorctl("metrics", broker=streaming)):
        suffix = {"counter": "_total", "info": "_info"}.get(family.type, "")
        labels = set().union(*(sample.labels for sample in family.samples))
        found[family.name + suffix] = family.type, labels, family.documentation
    assert {name: row[:2] for name, row in rows.items()} == {name: row[:2] for name, row in found.items()}
    assert {name: row[2].removesuffix("; made by `sensorctl`") for name, row in rows.items()} \
        == {name: row[2] for name, row in found.items()}


def expressions():
    board = json.loads((ROOT / "docs/grafana.json").read_text())
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for line in (ROOT / "docs/alerts.yml").read_text().splitlines():
        if match := re.search(r"expr: (.*)", line):
            yield "alert", match[1]


def test_the_dashboard_and_the_alerts_use_metrics_and_labels_that_there_are():
    rows = documented()
    for name, (kind, labels, meaning) in list(rows.items()):
        if kind == "histogram":
            rows |= {f"{name}_{suffix}": (kind, labels, meaning) for suffix in ("bucket", "count", "sum")}
    assert sum(1 for _ in expressions()) > 20
    for title, expression in expressions():
        names = re.findall(r"sensorbroker_\w+", re.sub(r'"[^"]*"', "", expression))
        assert names or "node_textfile" in expression, title
        for name in names:
            assert name in rows, (title, name)
            allowed = rows[name][1] | {"instance"}
            for selector in re.findall(name + r"\{([^}]*)\}", expression):
                assert set(re.findall(r"(\w+)\s*[=!]", selector)) <= allowed, (title, expression)
        for group in re.findall(r"by \(([^)]*)\)", expression):
            allowed = set().union({"instance"}, *(rows[name][1] for name in names))
            assert set(group.replace(" ", "").split(",")) <= allowed, (title, expression)


def test_the_alert_for_unavailable_sensors_is_of_none_that_is_derived(start):
    daemon = start("--mock=phone")
    states = [{"resource": name} for name in ("accelerometer", "tilt", "attitude", "rest", "light")]
    with Stream(daemon.broker, *states) as stream, Connection(daemon.admin) as connection:
        stream.until(lambda s: len({item["resource"] for item in s.readings}) == len(states), "readings of each")
        connection.result(f"{MOCK}.Inject", {"fault": "unplug", "resource": "accelerometer"})
        stream.until(lambda s: ("rest", "unavailable") in [item[:2] for item in s.states], "its end")
        found = samples(sensorctl("metrics", broker=daemon))
    [rule] = [match for _, text in expressions() if (match := re.fullmatch(
        r'\((\w+){state="unavailable"} == 1\) and on \(([\w, ]+)\) \((\w+) and on \(([\w, ]+)\) (\w+)\)', text))]
    state, one, info, other, device = rule.groups()

    def labels(sample, names):
        return tuple(sample.labels.get(name) for name in names.split(", "))

    def matching(those, names, others):
        known = {labels(sample, names) for sample in others}
        return [sample for sample in those if labels(sample, names) in known]

    named = {name: [sample for sample in found if sample.name == name] for name in (state, info, device)}
    missing = [sample for sample in named[state] if sample.labels["state"] == "unavailable"]
    assert {sample.labels["resource"] for sample in missing} > {"accelerometer", "gyroscope", "tilt", "attitude", "rest"}
    told = matching(missing, one, matching(named[info], other, named[device]))
    assert {sample.labels["resource"] for sample in told} == {"accelerometer", "gyroscope"}


def test_figures_agree_with_the_status_and_with_what_clients_received(daemon):
    with Stream(daemon.broker, FAST) as stream, Stream(daemon.broker, FAST):
        stream.until(lambda s: len(s.samples) >= 20, "20 readings")
        with Connection(daemon.admin) as connection:
            before = connection.result(f"{ADMIN}.GetStatus")
            figures = values(daemon.broker)
            after = connection.result(f"{ADMIN}.GetStatus")
        sums = [sum(client["deliveredReadings"] for client in status["clients"]) for status in (before, after)]
        assert sums[0] <= figures["ResourceReadingsTotal", "accelerometer"] <= sums[1]
        device = [[item for item in status["devices"] if item["resource"] == "accelerometer"][0]
                  for status in (before, after)]
        assert device[0]["samples"] <= figures["DeviceSamplesTotal", "accelerometer"] <= device[1]["samples"]
        assert figures["DeviceOpensTotal", "accelerometer"] == device[0]["opens"] == 1
        assert figures["ResourceSubscribers", "accelerometer"] == 2
        assert figures["ResourceLanes", "accelerometer"] == 1
        assert figures["Subscriptions", None] == 2
        assert figures["Connections", None, ("socket", "admin")] == 1
    # What was delivered stays counted when the clients have gone.
    with Stream(daemon.broker, {"resource": "location"}):
        left = values(daemon.broker)
    assert left["ResourceReadingsTotal", "accelerometer"] >= figures["ResourceReadingsTotal", "accelerometer"]


def test_connections_of_programs_that_are_sensors_are_counted(daemon):
    with Connection(feed_path(daemon)):
        figures = values(daemon.broker)
    assert [figures[name, None, ("socket", "feed")] for name in ("Connections", "ConnectionsLimit")] == [1, 64]


def test_accepted_connections_are_those_of_this_process(directory):
    service = Service(directory, "--mock").start()
    try:
        for _ in range(20):
            Connection(service.broker).close()
        with Stream(service.broker, FAST) as stream:
            stream.until(lambda s: s.samples, "a reading")
            service.restart()
            assert values(service.broker)["AcceptedConnectionsTotal", None] == 1
    finally:
        service.close()


def test_counters_go_on_when_a_program_takes_a_name_and_gives_it_back(start, tmp_path):
    config = tmp_path / "sensorbrokerd.conf"
    config.write_text("[Feed accelerometer]\nFeed=prefer\n")
    daemon = start("--mock", "--config", config)
    history = []

    def note():
        figures = values(daemon.broker)
        history.append({key: figures[key] for key in figures if key[:2] in {
            ("DeviceSamplesTotal", "accelerometer"), ("DeviceOpensTotal", "accelerometer"), ("DeviceFaultsTotal", "accelerometer")}})
        return history[-1]["DeviceSamplesTotal", "accelerometer"]

    with Stream(daemon.broker, FAST) as stream:
        stream.until(lambda s: len(s.samples) >= 20, "20 readings")
        note()
        with Provider(daemon, "accelerometer") as program:
            program.until(wanted=True)
            taken = note()
            for _ in range(5):
                program.measure((0, 0, 9.8))
            until(lambda: note() == taken + 5, "those of the program")
        end = boot_nanoseconds()
        stream.until(lambda s: s.samples[-1][0] > end, "readings of the host's own")
        # What it measured meanwhile was nobody's.
        assert taken + 5 < note() < taken + 5 + len(stream.samples)
    for former, later in zip(history, history[1:]):
        assert all(former[key] <= later[key] for key in former), (former, later)


def test_losses_only_increase_while_a_client_reads_nothing_and_then_everything(start):
    daemon = start("--mock")
    key = "ResourceLostReadingsTotal", "accelerometer", ("cause", "slowClient")
    with Stream(daemon.broker, {"resource": "accelerometer", "intervalNanoseconds": 1_000_000}) as stream:
        history = [values(daemon.broker)[key]]
        while history[-1] < 200:
            history.append(values(daemon.broker)[key])
        stream.until(lambda s: any(gap["cause"] == "slowClient" for gap in s.gaps), "the gap")
        history.append(values(daemon.broker)[key])
        told = sum(gap.get("count", 0) for gap in stream.gaps if gap["cause"] == "slowClient")
        assert history == sorted(history) and history[-1] >= told >= 200
    history.append(values(daemon.broker)[key])
    assert history == sorted(history)


def test_faults_are_counted_by_cause(start):
    daemon = start("--gpsd", "127.0.0.1:9", "--iio", "local:")
    with Stream(daemon.broker, {"resource": "location"}) as stream:
        stream.until(lambda s: any(state == "unavailable" for _, state, _ in s.states), "the state")
        figures = values(daemon.broker)
    assert figures["DeviceFaultsTotal", "location", ("cause", "missing")] >= 1
    assert figures["ResourceState", "location"] == "unavailable"
    assert ("ResourceRateHertz", "location") not in figures


def test_turns_are_counted_in_a_cumulative_histogram(streaming):
    first, second = values(streaming.broker), values(streaming.broker)
    for figures in (first, second):
        buckets = [(float(key[2][1]), value) for key, value in figures.items() if key[0] == "TurnSecondsBucket"]
        assert buckets == sorted(buckets) and [count for _, count in buckets] == sorted(count for _, count in buckets)
        assert buckets[-1] == (float("inf"), figures["TurnSecondsCount", None])
        assert [bound for bound, _ in buckets[:2]] == [1.024e-06, 2.048e-06] and len(buckets) == 22
    assert first["TurnSecondsCount", None] < second["TurnSecondsCount", None]
    assert first["TurnSecondsSum", None] < second["TurnSecondsSum", None]


@needs_root
def test_a_user_gets_the_metrics_of_what_the_user_may_read(start, tmp_path):
    config = tmp_path / "sensorbrokerd.conf"
    config.write_text("[Location]\nGroups=61010\n")
    daemon = start("--mock=drone-imu", "--config", config)
    let_everybody_in(daemon)
    whole = values(daemon.broker)
    assert {key[1] for key in whole if key[0] == "ResourceState"} > {"location", "accelerometer"}
    with as_user(ALICE):
        connection = Connection(daemon.broker)
    with connection:
        names = {item["name"] for item in connection.result(f"{BROKER}.ListResources")["resources"]}
        metrics = replies(connection, "List")
    assert "location" not in names
    assert {metric["object"] for metric in metrics if metric["name"] == PREFIX + "ResourceState"} == names
    # An IMU with a kind that the user may not read has no figures for the user.
    owners = {key[1]: dict(key[2:])["device"] for key in whole if key[0] == "ResourceInfo"}
    closed = {owners[name] for name in owners if name not in names}
    devices = {metric["object"] for metric in metrics if metric["name"] == PREFIX + "DeviceSamplesTotal"}
    assert devices == {key[1] for key in whole if key[0] == "DeviceSamplesTotal"} - closed
    assert not any(re.search("process|user", json.dumps(metric)) for metric in metrics)


def test_a_stream_does_not_notice_those_who_ask(daemon):
    """Readings every 10 ms, while metrics are asked for without a pause: each has its stamp, and none is missing."""
    with Stream(daemon.broker, FAST) as stream, Connection(daemon.broker) as connection:
        for _ in range(50):
            assert len(replies(connection, "List")) > 50
            stream.note_what_is_there()
        stream.until(lambda s: len(s.samples) >= 50, "50 readings")
        assert stream.losses == []
        assert untold(stream, 15 * MILLISECOND) == []
        stamps = [stamp for stamp, _, _ in stream.samples]
        assert all(second - first >= 5 * MILLISECOND for first, second in zip(stamps, stamps[1:]))
        sequences = [reading["sequence"] for reading in stream.readings]
        assert sequences == sorted(set(sequences))


class TestCheck:
    def check(self, daemon, status, *words):
        result = run(SENSORCTL, "doctor", "--check", *words, broker=daemon)
        assert result.returncode == status, result
        (line,) = result.stdout.splitlines()
        head, figures = line.split(" | ")
        assert re.fullmatch(r"(\w+=\d+;\d*;\d*;0 ?)+", figures), figures
        return head, {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", figures)}

    def test_the_line_and_the_status_are_those_of_a_plugin(self, daemon):
        with Stream(daemon.broker, FAST) as stream:
            stream.until(lambda s: s.samples, "an active sensor")
            head, figures = self.check(daemon, 0)
        assert head.startswith("SENSORBROKER OK - ")
        assert figures["resources"] >= 3 and figures["active"] >= 1 and figures["unavailable"] == 0
        with Connection(daemon.admin) as connection:
            connection.result(f"{ADMIN}.Release", {"resource": "accelerometer"})
        head, figures = self.check(daemon, 1)
        assert head.startswith("SENSORBROKER WARNING - accelerometer was released") and figures["released"] >= 1
        daemon.stop()
        head, _ = self.check(daemon, 2)
        assert head.startswith("SENSORBROKER CRITICAL - ") and "socket" in head

    @needs_root
    def test_what_cannot_be_found_out_is_unknown(self, daemon):
        os.chmod(daemon.directory, 0o755)
        result = run(
            "setpriv", "--reuid", ALICE, "--regid", ALICE, "--clear-groups", everybodys(SENSORCTL), "doctor", "--check",
            "--socket", daemon.broker)
        assert result.returncode == 3 and result.stdout.startswith("SENSORBROKER UNKNOWN - "), result
