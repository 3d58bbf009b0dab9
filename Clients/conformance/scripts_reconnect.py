"""How a stream goes on after the loss of its connection, and how it ends."""

from stage import INTERVAL, begun, disconnected, failed
from table import CAUSE, ENDS, behaviour


@behaviour("reconnect", "a connection that breaks: reported once; then the stream goes on, with a gap", sensorctl=CAUSE)
def reconnect(stage):
    stream = begun(stage)
    # Half a message, and the end.
    stream.send_bytes(b'{"parameters":{"readings":[')
    stream.close()
    stream = stage.subscription()
    stream.update(readings=[stage.reading(501), stage.reading(601)])
    stage.client.see("reading", 3)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.away_gap(1, 501), stage.read(501),
            stage.read(601)]


@behaviour("reconnect", "no gap if nothing is missing: the next reading is there within one and a half intervals")
def reconnect_in_time(stage):
    stream = begun(stage)
    stream.close()
    stage.subscription().update(readings=[stage.reading(141)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.read(141)]


@behaviour("reconnect", "what has come, or was reported missing, does not come again from a broker that was there all the time")
def reconnect_known(stage):
    stream = begun(stage)
    stream.close()
    # A stream begins with the newest reading.
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.update(readings=[stage.reading(101)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.read(101)]


@behaviour("reconnect", "what the broker itself reports as missing after a reconnect is not reported twice")
def reconnect_told(stage):
    stream = begun(stage)
    stream.close()
    told = {"resource": "accelerometer", "cause": "restarted", "count": 4, "fromNanoseconds": stage.at(101),
            "untilNanoseconds": stage.at(401)}
    stage.subscription().update(gaps=[told], readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), stage.gap("restarted", 101, 401, 4), stage.read(501)]


@behaviour("reconnect", "a connection that breaks again before the first reading is reported again", sensorctl=CAUSE)
def reconnect_twice(stage):
    stream = begun(stage)
    stream.close()
    stream = stage.subscription()
    stage.client.see("grant", 2)
    stream.close()
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected(), *stage.granted(), disconnected(), *stage.granted(),
            stage.away_gap(1, 501), stage.read(501)]


@behaviour("reconnect", "a broker that is not there yet", sensorctl=ENDS)
def missing(stage):
    stage.start(f"accelerometer,interval={INTERVAL}", listening=False)
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [failed("brokerMissing")]
    stage.client.see("disconnected")
    stage.server.listen()
    stage.subscription().update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return [disconnected("brokerMissing"), *stage.granted(), stage.read(1)]


@behaviour("reconnect", "a socket at which nothing listens", sensorctl=ENDS)
def stopped(stage):
    stage.server.leave_stopped()
    stage.start(f"accelerometer,interval={INTERVAL}", listening=False)
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [failed("brokerStopped")]
    stage.client.see("disconnected")
    stage.server.listen()
    stage.subscription().update(readings=[stage.reading(1)])
    stage.client.see("reading")
    return [disconnected("brokerStopped"), *stage.granted(), stage.read(1)]


@behaviour("ended", "the end `shutdown`: reported with its reason, and renewed when the broker is back", sensorctl=CAUSE)
def ended_shutdown(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"ended": "shutdown"})
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected("ended", reason="shutdown"), *stage.granted(),
            stage.away_gap(1, 501), stage.read(501)]


@behaviour("ended", "readings that come with the end are seen before it", sensorctl=CAUSE)
def ended_with_readings(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"readings": [stage.reading(101)], "ended": "shutdown"})
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 3)
    return [*stage.granted(), stage.read(1), stage.read(101), disconnected("ended", reason="shutdown"), *stage.granted(),
            stage.away_gap(101, 501), stage.read(501)]


@behaviour("ended", "the end `slowClient`: its gap, its reason, and then it is renewed", sensorctl=ENDS)
def ended_slow(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    told = {"resource": "accelerometer", "cause": "slowClient", "count": 4, "fromNanoseconds": stage.at(2),
            "untilNanoseconds": stage.at(401)}
    stream.reply({"gaps": [told], "ended": "slowClient"})
    seen = [*stage.granted(), stage.read(1), stage.gap("slowClient", 2, 401, 4)]
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*seen, failed("ended")]
    stage.subscription().update(readings=[stage.reading(601)])
    stage.client.see("reading", 2)
    return [*seen, disconnected("ended", reason="slowClient"), *stage.granted(), stage.away_gap(401, 601), stage.read(601)]


@behaviour("ended", "the end `permissionDenied` after a change of the configuration", sensorctl=ENDS)
def ended_permission(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stream = stage.subscription()
    stream.update(readings=[stage.reading(1)])
    stream.reply({"ended": "permissionDenied"})
    if stage.name == "sensorctl":
        stage.client.see("error")
        return [*stage.granted(), stage.read(1), failed("notPermitted")]
    stage.server.next("Subscribe").error("org.varlink.service.PermissionDenied")
    stage.subscription().update(readings=[stage.reading(501)])
    stage.client.see("reading", 2)
    return [*stage.granted(), stage.read(1), disconnected("notPermitted"), *stage.granted(), stage.away_gap(1, 501),
            stage.read(501)]


def refusal(error, name, **parameters):
    def play(stage):
        stage.start(f"accelerometer,interval={INTERVAL}")
        stage.server.next("Subscribe").error(name, **parameters)
        if stage.name == "sensorctl":
            stage.client.see("error")
            return [failed(error)]
        stage.client.see("disconnected")
        stage.server.next("Subscribe").error(name, **parameters)
        stage.subscription().update(readings=[stage.reading(1)])
        stage.client.see("reading")
        return [disconnected(error), *stage.granted(), stage.read(1)]

    return play


permission = refusal("notPermitted", "org.varlink.service.PermissionDenied")
permission.__name__ = "permission"
behaviour("refused", "no permission: reported once, and asked for again", sensorctl=ENDS)(permission)
limit = refusal("tooManySubscriptions", "TooManySubscriptions", limit=3)
limit.__name__ = "limit"
behaviour("refused", "too many subscriptions: reported once, and asked for again", sensorctl=ENDS)(limit)
unknown_error = refusal("unintelligible", "OutOfCoffee", cups=0)
unknown_error.__name__ = "unknown_error"
behaviour(
    "refused", "an error that the client does not know: reported once, and asked for again",
    sensorctl="a command ends, with the error's name")(unknown_error)


@behaviour("refused", "a resource that the broker does not have ends the stream")
def no_such_resource(stage):
    stage.start("thermometer")
    stage.server.next("Subscribe").error("NoSuchResource", resource="thermometer")
    if stage.name == "sensorctl":
        # It looks for a name that was meant.
        stage.server.next("ListResources").reply({"resources": []})
    stage.client.see("error")
    return [failed("noSuchResource")]


@behaviour("refused", "an invalid request ends the stream")
def invalid(stage):
    stage.start(f"accelerometer,interval={INTERVAL}")
    stage.server.next("Subscribe").error("org.varlink.service.InvalidParameter", parameter="intervalNanoseconds")
    stage.client.see("error")
    return [failed("invalidRequest")]
