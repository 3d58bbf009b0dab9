"""The pictures of what `make bench` measures."""

import statistics

from matplotlib import pyplot

from . import beside_gpsd
from .latency import SHARES
from .looks import LOOKS, THOUSANDS, legend, plot, save
from .scale import COST, RESIDENT, SHARE
from .systems import READINGS


def draw(bench, directory):
    for draw_one, name in ((draw_cost, "cost"), (draw_latency, "latency"), (draw_gpsd, "gpsd"), (draw_scale, "scale")):
        figure = draw_one(bench)
        if figure:
            save(figure, directory / f"{name}.svg")


def medians(bench):
    """By suite, case and name of the figure: the median of each system."""
    return {key: {system: statistics.median(values) for system, values in systems.items()} for key, systems in bench.figures.items()}


def curves(found, suite, name, case_of):
    """Each system's points, for the cases to which `case_of` gives a place on the axis."""
    lines = {}
    for (a_suite, case, a_name), systems in found.items():
        if (a_suite, a_name) == (suite, name) and (place := case_of(case)) is not None:
            for system, value in systems.items():
                lines.setdefault(system, []).append((place, value))
    return lines


def number_before(*endings):
    """The number that a case begins with, if it goes on in one of these ways."""
    def case_of(case):
        number, _, rest = case.partition(" ")
        return int(number) if rest in endings else None
    return case_of


def clients_of(kind):
    """The number of clients of a case of this kind."""
    def case_of(case):
        return number_before("client", "clients")(case.removeprefix(f"{kind}, ")) if case.startswith(f"{kind}, ") else None
    return case_of


def draw_cost(bench):
    found = medians(bench)
    lines = {kind: curves(found, "fan-out", COST, clients_of(kind)) for kind in READINGS}
    lines["from an IIO device, all threads"] = curves(found, "iiod", "microseconds of all threads per message", clients_of("100 Hz"))
    lines = {kind: curve for kind, curve in lines.items() if curve}
    if not lines:
        return None
    figure, axes = pyplot.subplots(1, len(lines), figsize=(12, 3.4), sharey=True, squeeze=False)
    for axis, (kind, curve) in zip(axes[0], lines.items()):
        plot(axis, curve, xscale="log", yscale="log", xlabel="clients")
        axis.set_title(kind, fontsize=10)
    axes[0][0].set_ylabel("processor time of all\nthreads per message, µs")
    return legend(figure, axes[0])


def draw_latency(bench):
    """What share of the messages came within which time: the median of the rounds, and all of them as a band."""
    cases = [case for (suite, case, name) in bench.figures if suite == "latency" and name.startswith("p99.9")]
    if not cases:
        return None
    figure, axes = pyplot.subplots(1, len(cases), figsize=(11, 3.6), sharey=True, squeeze=False)
    for axis, case in zip(axes[0], cases):
        of_shares = {share: bench.figures["latency", case, f"{share}, microseconds"] for share in SHARES}
        for system in of_shares[SHARES[0]]:
            found = {share: systems[system] for share, systems in of_shares.items() if system in systems}
            colour, mark = LOOKS[system]
            axis.plot(found.keys(), [statistics.median(values) for values in found.values()], color=colour, marker=mark, markersize=4, label=system)
            axis.fill_between(found.keys(), [min(values) for values in found.values()], [max(values) for values in found.values()],
                              color=colour, alpha=0.15, linewidth=0)
        axis.set_title(case.replace(" beside", "\nbeside"), fontsize=9)
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(THOUSANDS)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("from sample to client, µs")
    return legend(figure, axes[0])


def draw_gpsd(bench):
    """The ratios to gpsd of each round, their medians and the goals, by the number of programs that follow the receiver."""
    panels = [(COST, "the broker", (0.8, 0.5, 0.3)), (beside_gpsd.BOTH, "the broker and its gpsd", (1.5, 0.8, 0.45))]
    if any(("gpsd", beside_gpsd.label(count), name) not in bench.figures for name, *_ in panels for count in beside_gpsd.COUNTS):
        return None
    colour, _ = LOOKS["sensorbrokerd"]
    figure, axes = pyplot.subplots(1, len(panels), figsize=(8, 3), sharey=True)
    for axis, (name, title, goals) in zip(axes, panels):
        for place, (count, goal) in enumerate(zip(beside_gpsd.COUNTS, goals)):
            systems = bench.figures["gpsd", beside_gpsd.label(count), name]
            ratios = [ours / theirs for ours, theirs in zip(systems["sensorbrokerd"], systems["gpsd"])]
            wide = [place - 0.25, place + 0.25]
            first = {"label": None} if place else {}
            axis.plot([place] * len(ratios), ratios, "o", color=colour, alpha=0.4, markersize=5, **{"label": "a round", **first})
            axis.plot(wide, [statistics.median(ratios)] * 2, color=colour, linewidth=2.5, **{"label": "median", **first})
            axis.plot(wide, [goal] * 2, color="#000000", linestyle=":", **{"label": "goal", **first})
        axis.axhline(1, color=LOOKS["gpsd"][0], linewidth=1, label="gpsd alone")
        axis.set(title=title, xlabel="programs", xticks=range(len(goals)), xticklabels=beside_gpsd.COUNTS)
        axis.grid(alpha=0.3, axis="y")
    axes[0].set(ylabel="processor time of all\nthreads, ratio to gpsd", ylim=(0, axes[0].get_ylim()[1]))
    return legend(figure, axes)


def draw_scale(bench):
    found = medians(bench)
    clients = number_before("client of 10 Hz", "clients of 10 Hz")
    # (figure, place of a case on the axis, what the axes say, whether they are logarithmic)
    panels = [
        (COST, clients, "clients (of 10 Hz)", "all threads per message, µs", "log", "log"),
        (RESIDENT, clients, "clients", "resident memory, MiB", "linear", "linear"),
        (COST, number_before("lane", "lanes"), "lanes (of 1,000 clients)", "all threads per message, µs", "log", "linear"),
        (SHARE, number_before("Hz, 10 clients"), "rate of 10 clients, Hz", "all threads, % of a core", "log", "log"),
    ]
    lines = [curves(found, "scale", name, case_of) for name, case_of, *_ in panels]
    if not all(lines):
        return None
    figure, axes = pyplot.subplots(1, len(panels), figsize=(11, 3))
    for axis, curve, (name, _, places, values, xscale, yscale) in zip(axes, lines, panels):
        if name == RESIDENT:
            curve = {system: [(place, value / 1024) for place, value in points] for system, points in curve.items()}
        plot(axis, curve, xscale=xscale, yscale=yscale, xlabel=places, ylabel=values)
        if yscale == "linear":
            axis.set_ylim(bottom=0)
    return legend(figure, axes)
