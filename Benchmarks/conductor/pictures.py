"""The pictures of the benchmarks that are run on their own, each drawn of the figures that one of them left."""

import statistics

from matplotlib import pyplot

from .looks import LOOKS, THOUSANDS, legend

# What there is ever more of: a colour, and marks of which those drawn first are larger, so that none hides another.
GROWING = {
    "clients": ("#0072b2", "o", 9),
    "lanes": ("#d55e00", "^", 8),
    "labels": ("#cc79a7", "P", 5),
    "alignments": ("#e69f00", "D", 5),
    "devices": ("#009e73", "v", 5),
    "programs": ("#000000", "s", 4),
}


def draw_growth(figures):
    """What merely exists, from zero so that a slope shows; and of what is due the cost of each, which is level where all cost as much."""
    figure, (exists, due) = pyplot.subplots(1, 2, figsize=(11, 3.6))
    for case in figures:
        what = case["what"].partition(" ")[0].strip(",")
        colour, mark, size = GROWING[what]
        look = {"color": colour, "marker": mark, "markersize": size, "label": what}
        (_, none), *points = case["points"]
        if case["due"]:
            due.plot([count for count, _ in points], [(found - none) / count for count, found in points], **look)
        else:
            exists.plot(*zip(*((count, found / 1000) for count, found in case["points"])), **look)
    exists.set(title="beside what merely exists", xlabel="how many", ylabel="thousand instructions for a reading")
    exists.set_xscale("symlog", linthresh=1, linscale=0.3)
    exists.set_ylim(0, 1.3 * exists.get_ylim()[1])
    due.set(title="of what is due with each reading", xlabel="how many", ylabel="instructions for each one", xscale="log", yscale="log")
    due.set_ylim(due.get_ylim()[0] / 2, 2 * due.get_ylim()[1])
    for side in (exists.xaxis, due.xaxis, due.yaxis):
        side.set_major_formatter(THOUSANDS)
    for axis in (exists, due):
        axis.grid(alpha=0.3)
    return legend(figure, (exists, due))


# What a phone's programs do, the programs of either side that do it, by how their names begin, and a colour.
WORK = [
    ("gpsd", ("gpsd",), "#009e73"),
    ("location", ("gpspipe", "sensorbrokerd: gpsd"), "#0072b2"),
    ("orientation", ("iio-sensor-proxy", "sensorbrokerd: iio", "sensorbroker-desktop"), "#e69f00"),
    ("messages for MQTT", ("mosquitto_pub", "sensorbroker-mqtt"), "#cc79a7"),
    ("app, bus and what is left", ("socat", "dbus-daemon", "monitor-sensor", "sensorbrokerd"), "#999999"),
]
SIDES = ["iio-sensor-proxy, gpsd,\nmosquitto_pub", "the same, if gpspipe\ncost what the app costs", "SensorBroker"]


def phone_work(name):
    """What a program of the phone does; nothing, if it runs elsewhere."""
    return next((work for work, programs, _ in WORK if name.startswith(programs)), None)


def draw_battery(figures):
    """What each side takes in an hour, by what it is for."""
    app = next(row for row in figures if row["program"].startswith("socat"))
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 2.6), sharey=True)
    for axis, key, title in zip(axes, ("wake-ups", "milliseconds"), ("thousand wake-ups in an hour", "seconds of a processor in an hour")):
        ends = [0, 0, 0]
        for work, _, colour in WORK:
            rows = [row for row in figures if phone_work(row["program"]) == work]
            theirs, ours = (sum(row[key][side] for row in rows) / 1000 for side in (0, 1))
            other = app[key][0] / 1000 if work == "location" else theirs
            axis.barh(SIDES, [theirs, other, ours], left=ends, color=colour, label=work, height=0.6)
            ends = [end + more for end, more in zip(ends, (theirs, other, ours))]
        for place, end in enumerate(ends):
            axis.annotate(f"{end:.1f}", (end, place), (4, 0), textcoords="offset points", va="center")
        axis.set(title=title, xlim=(0, 1.1 * max(ends)))
        axis.grid(alpha=0.3, axis="x")
        axis.set_axisbelow(True)
    axes[0].invert_yaxis()
    return legend(figure, axes[:1])


PUBLISHERS = {"sensorbroker-mqtt": "#0072b2", "publisher in C, without a spool": "#000000"}


def draw_fleet(figures):
    """What a message costs the bridge and its rival at each pace: the median of the rounds, and all of them as a band."""
    if not figures:
        return None
    connections = list(dict.fromkeys(row["connection"] for row in figures))
    figure, axes = pyplot.subplots(1, len(connections), figsize=(8, 3), sharey=True, squeeze=False)
    for axis, connection in zip(axes[0], reversed(connections)):
        rows = [row for row in figures if row["connection"] == connection]
        paces = [row["pace"].replace(" a second", "") for row in rows]
        for side, (name, colour) in enumerate(PUBLISHERS.items()):
            rounds = [[pair[side] for pair in row["bridge and rival"]] for row in rows]
            axis.plot(paces, list(map(statistics.median, rounds)), color=colour, marker="os"[side], markersize=5, label=name)
            axis.fill_between(paces, list(map(min, rounds)), list(map(max, rounds)), color=colour, alpha=0.15, linewidth=0)
        axis.set(title=connection, xlabel="messages a second", yscale="log")
        axis.yaxis.set_major_formatter(THOUSANDS)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("processor time\nof a message, µs")
    return legend(figure, axes[0])


# Who reads: in the broker's words from black to blue and orange, and in gpsd's in green.
READERS = {
    "bare loop in C": ("#000000", "s"),
    "C library": ("#0072b2", "o"),
    "Python": ("#d55e00", "^"),
    "Python, asyncio": ("#e69f00", "D"),
    "Python, NumPy": ("#cc79a7", "P"),
    "gpsd's libgps": ("#009e73", "v"),
    "gpsd's Python client": ("#56b4e9", "X"),
}


def draw_clients(figures):
    """What each client takes for each kind of message, both axes of costs logarithmic."""
    messages = list(dict.fromkeys(row["message"] for row in figures))
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 2.6), sharey=True)
    for axis, key, title in zip(axes, ("nanoseconds a sample", "microseconds a message"), ("as fast as it reads", "each on its own")):
        for name, (colour, mark) in READERS.items():
            points = [(row[key], messages.index(row["message"])) for row in figures if row["client"] == name]
            axis.plot(*zip(*points), linestyle="", color=colour, marker=mark, markersize=7, alpha=0.85, label=name)
        axis.set(title=title, xlabel=f"processor time, {key}", xscale="log", yticks=range(len(messages)), yticklabels=messages)
        axis.xaxis.set_major_formatter(THOUSANDS)
        axis.margins(y=0.2)
        axis.grid(alpha=0.3)
    axes[0].invert_yaxis()
    return legend(figure, axes)


def draw_adc(figures):
    """The share of a core that each side takes: the median as a bar, and each round."""
    figure, axis = pyplot.subplots(figsize=(7, 1.5))
    for place, (name, colour) in enumerate({"iio_readdev": LOOKS["iiod"][0], "sensorbrokerd": LOOKS["sensorbrokerd"][0]}.items()):
        shares = [100 * row[name] for row in figures]
        axis.barh(name, statistics.median(shares), color=colour, height=0.6)
        axis.plot(shares, [place] * len(shares), "o", color="#000000", alpha=0.5, markersize=4)
    axis.set(xlabel="% of a core", xlim=(0, None))
    axis.grid(alpha=0.3, axis="x")
    axis.set_axisbelow(True)
    figure.tight_layout()
    return figure


def draw_messages(figures):
    """What each message costs the daemon and the loops, and how much more the daemon."""
    messages = list(dict.fromkeys(row["message"] for row in figures))
    servers = ["bare C loop", "bare C loop behind a thread", "sensorbrokerd"]
    figure, axis = pyplot.subplots(figsize=(8, 3))
    costs = {(row["message"], row["server"]): row["instructions"] / 1000 for row in figures}
    for side, server in enumerate(servers):
        places = [place + 0.27 * (side - 1) for place in range(len(messages))]
        axis.barh(places, [costs[message, server] for message in messages], color=LOOKS[server][0], height=0.25, label=server)
    for place, message in enumerate(messages):
        ours, loop = costs[message, "sensorbrokerd"], costs[message, "bare C loop"]
        axis.annotate(f"{ours / loop:.2f} times the loop", (ours, place + 0.27), (4, 0), textcoords="offset points", va="center")
    axis.set(xlabel="thousand instructions for a message, the kernel's included", yticks=range(len(messages)), yticklabels=messages,
             xlim=(0, 1.25 * max(costs.values())))
    axis.invert_yaxis()
    axis.grid(alpha=0.3, axis="x")
    axis.set_axisbelow(True)
    return legend(figure, [axis])


PICTURES = {"growth": draw_growth, "battery": draw_battery, "fleet": draw_fleet, "clients": draw_clients, "adc": draw_adc,
            "messages": draw_messages}
