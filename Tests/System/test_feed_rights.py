"""Who may provide what, as the settings say and as they change."""

import os
import re

from tools.administration import admin, resources
from tools.feedhost import ARM, daemon, host, wanted  # noqa: F401  fixtures
from tools.provider import Provider, feed_path
from tools.stream import MILLISECOND, SECOND
from tools.users import ALICE, BOB, as_user, let_everybody_in, needs_root
from tools.waiting import until


def test_what_no_section_names_may_not_be_provided(daemon):
    with Provider(daemon, "accelerometer:leg") as program:
        name, details = program.refusal()
        assert name == "NotAllowed" and "[Feed accelerometer:leg]" in details["reason"]
    # No section can help these.
    advice = {"orientation": "accelerometer: provide that", "orientation:arm": "accelerometer: provide that", "arm": "name it after its kind"}
    for nothing, words in advice.items():
        with Provider(daemon, nothing) as program:
            name, details = program.refusal()
            assert name == "NotAllowed" and words in details["reason"]
    with Provider(daemon, ARM, resources=[{"name": ARM, "kind": "light"}]) as program:
        assert program.refusal()[0] == "NoSuchKind"
    with Provider(daemon, ARM, resources=[{"name": ARM, "kind": "illuminance"}]) as program:
        name, details = program.refusal()
        assert name == "NotAllowed" and "acceleration" in details["reason"]
    assert resources(daemon)[ARM]["state"] == "unavailable"


@needs_root
def test_users_and_groups_may_provide_what_the_settings_say(host):
    daemon = host(f"[Feed {ARM}]\nUsers={ALICE}\n[Feed gyroscope:arm]\nGroups=61500\n[Feed location:phone]\n")
    let_everybody_in(daemon)
    os.chmod(feed_path(daemon), 0o666)

    def attempt(user, resource, groups=()):
        with as_user(user, groups):
            provider = Provider(daemon, resource)
        with provider:
            reply = provider.reply()
            return reply.get("error", "").rsplit(".", 1)[-1]

    assert attempt(ALICE, ARM) == "" and attempt(BOB, ARM) == "NotAllowed"
    assert attempt(BOB, "gyroscope:arm", [61500]) == "" and attempt(ALICE, "gyroscope:arm") == "NotAllowed"
    assert attempt(ALICE, "location:phone") == "NotAllowed"


@needs_root
def test_a_right_that_is_taken_away_ends_the_provision(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\nUsers={ALICE}\n")
    let_everybody_in(daemon)
    os.chmod(feed_path(daemon), 0o666)
    with as_user(ALICE):
        provider = Provider(daemon, ARM)
    with provider:
        assert provider.receive() == {"wanted": False}
        (tmp_path / "sensorbrokerd.conf").write_text(f"[Feed {ARM}]\nUsers={BOB}\n")
        admin(daemon, "Reload")
        assert provider.refusal()[0] == "NotAllowed"
        until(lambda: resources(daemon)[ARM]["state"] == "unavailable", "its end")


def test_other_settings_hold_for_programs_that_are_connected(host, tmp_path):
    daemon = host("[Feed temperature:oven]\nMaxRate=1\n[Feed location]\nFeed=prefer\n")
    settings = tmp_path / "sensorbrokerd.conf"
    with Provider(daemon, "temperature:oven") as oven, wanted(daemon, oven) as stream, Provider(daemon, "location") as phone:
        settings.write_text("[Feed temperature:oven]\nMaxRate=1000\n[Feed location]\n")
        admin(daemon, "Reload")
        name, details = phone.refusal()
        assert name == "NotAllowed" and "has changed" in details["reason"]
        for number in range(50):
            oven.push({"resource": "temperature:oven", "values": {"columns": {"value": [number]}}})
        stream.until(lambda one: len(one.samples) == 50, "as many as may be sent now")
        until(lambda: resources(daemon)["location"]["simulated"], "the host's own place")


def test_grants_follow_the_rate_that_a_connected_program_may_have(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\nMaxRate=10\n")
    settings = tmp_path / "sensorbrokerd.conf"

    def is_granted(stream, interval):
        stream.note_what_is_there()
        return stream.grants[ARM]["intervalNanoseconds"] == interval == resources(daemon)[ARM]["minimumIntervalNanoseconds"]

    with Provider(daemon, ARM) as arm, wanted(daemon, arm, {"resource": ARM, "intervalNanoseconds": MILLISECOND}) as stream:
        assert is_granted(stream, 100 * MILLISECOND)
        for rate in (1000, 20):
            settings.write_text(f"[Feed {ARM}]\nMaxRate={rate}\n")
            admin(daemon, "Reload")
            until(lambda rate=rate: is_granted(stream, SECOND // rate), "the grant of the new rate")
        assert not stream.losses
    # What nobody wants as well.
    with Provider(daemon, ARM):
        settings.write_text(f"[Feed {ARM}]\nMaxRate=500\n")
        admin(daemon, "Reload")
        until(lambda: resources(daemon)[ARM]["minimumIntervalNanoseconds"] == 2 * MILLISECOND, "the new rate in the list")


def test_sections_beyond_what_is_served_are_told(host):
    daemon = host("".join(f"[Feed temperature:r{number:03}]\n" for number in range(520)))
    served = sum(name.startswith("temperature:") for name in resources(daemon))
    assert served < 512
    assert f"[Feed temperature:r{served}] and {519 - served} further ones are not served: there are 512 resources already" in daemon.output()


def test_a_full_list_says_what_makes_room(host, tmp_path):
    daemon = host("".join(f"[Feed temperature:r{number:03}]\n" for number in range(300)))
    (tmp_path / "sensorbrokerd.conf").write_text("".join(f"[Feed humidity:r{number:03}]\n" for number in range(300)))
    admin(daemon, "Reload")
    words = "not served: there are 512 resources already, 300 of them of sections that are gone: a restart, which ends no stream, makes room"
    assert words in daemon.output()


def test_a_section_with_a_kind_that_its_resource_cannot_have_is_told(host, tmp_path):
    oven, kind = "temperature:oven", "[Feed accelerometer]\nKind=gravity\nFeed=prefer\n"
    daemon = host(f"[Feed {oven}]\n{kind}")
    own = "a sensor of this host has that name, and measures acceleration"
    assert f"[Feed accelerometer] is not served: {own}" in daemon.output()
    (tmp_path / "sensorbrokerd.conf").write_text(f"[Feed {oven}]\nKind=objectTemperature\n{kind}")
    admin(daemon, "Reload")
    former = "it is of the kind temperature until the broker is restarted"
    assert f"[Feed {oven}] is not served: {former}" in daemon.output()
    for name, reason in (("accelerometer", own), (oven, former)):
        with Provider(daemon, name) as program:
            assert program.refusal() == ("NotAllowed", {"resource": name, "reason": reason})


def test_what_no_section_names_any_more_says_so(host, tmp_path):
    daemon = host(f"[Feed {ARM}]\n[Feed gyroscope:arm]\n")
    settings = tmp_path / "sensorbrokerd.conf"

    def reasons():
        return [resources(daemon)[name]["reason"] for name in (ARM, "gyroscope:arm")]

    free = "no program provides it at present; see sensorctl feed"
    assert reasons() == [free, free]
    settings.write_text(f"[Feed {ARM}]\n")
    admin(daemon, "Reload")
    until(lambda: reasons() == [free, "the configuration has no section [Feed gyroscope:arm] any more"], "the reason")
    settings.write_text(f"[Feed {ARM}]\n[Feed gyroscope:arm]\n")
    admin(daemon, "Reload")
    until(lambda: reasons() == [free, free], "the reason as before")


def test_a_name_that_a_missing_sensor_has_is_refused_with_its_state(start, tmp_path):
    path = tmp_path / "sensorbrokerd.conf"
    path.write_text("[Feed location]\n")
    daemon = start("--gpsd", "127.0.0.1:9", "--iio", "local:", "--config", str(path))
    until(lambda: resources(daemon)["location"]["state"] == "unavailable", "word of a missing gpsd")
    with Provider(daemon, "location") as phone:
        name, details = phone.refusal()
        assert name == "NameTaken" and re.fullmatch(
            r"a sensor of this host, which is unavailable \(no gpsd .*\); to take its place, set Feed=prefer in .*", details["holder"])
