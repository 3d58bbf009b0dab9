"""What a user saw, compared with what was to be seen."""

from clients import matches


def difference(events, expected):
    """How what a user saw differs from what was to be seen; empty if it does not."""
    seen = ordered([event for event in events if event["event"] != "connected"])
    expected = ordered(expected)
    for place, (one, wanted) in enumerate(zip(seen, expected)):
        if not matches(one, wanted):
            return f"event {place} is {one}, not {wanted}"
    if len(seen) != len(expected):
        more = seen[len(expected):] or expected[len(seen):]
        return f"{len(seen)} events instead of {len(expected)}; from there on {more[:5]}"
    return ""


def ordered(events):
    """Grants and states of one reply in one order: what begins a stream has no other."""
    result = []
    for event in events:
        result.append(event)
        if event["event"] == "grant":
            place = len(result) - 1
            while place and result[place - 1]["event"] == "state" and result[place - 1]["resource"] == event["resource"] and (
                place == 1 or result[place - 2]["event"] in ("grant", "disconnected", "state") and
                result[place - 2].get("resource") != event["resource"]
                or result[place - 2]["event"] == "disconnected"
            ):
                result[place - 1], result[place] = result[place], result[place - 1]
                place -= 1
    return result
