"""The two pictures of docs/performance.md."""

import statistics

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

COST = "microseconds of the serving thread per message"


def draw(bench, directory):
    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sensorbroker", "font.size": 9})
    draw_cost(bench, directory / "cost.svg")
    draw_latency(bench, directory / "latency.svg")


def draw_cost(bench, path):
    kinds = ("acceleration", "acceleration batch", "location")
    figure, axes = pyplot.subplots(1, len(kinds), figsize=(10, 3.4), sharey=True)
    for axis, kind in zip(axes, kinds):
        curves = {}
        for (suite, case, name), systems in bench.figures.items():
            label, _, clients = case.partition(", ")
            if suite == "fan-out" and name == COST and label == kind and clients.endswith("clients"):
                for system, values in systems.items():
                    curves.setdefault(system, []).append((int(clients.split()[0]), statistics.median(values)))
        for system, points in curves.items():
            axis.plot(*zip(*sorted(points)), marker="o", label=system)
        axis.set(title=kind, xscale="log", yscale="log", xlabel="clients")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("µs of the serving thread\nper message")
    axes[-1].legend()
    save(figure, path)


def draw_latency(bench, path):
    shares = ("p50", "p99", "p99.9")
    cases = [case for (suite, case, name) in bench.figures if suite == "latency" and name.startswith("p99.9")]
    figure, axes = pyplot.subplots(1, len(cases), figsize=(10, 3.2), sharey=True)
    for axis, case in zip(axes, cases):
        systems = list(bench.figures["latency", case, "p50, microseconds"])
        for place, system in enumerate(systems):
            heights = [statistics.median(bench.figures["latency", case, f"{share}, microseconds"][system]) for share in shares]
            axis.bar([index + 0.25 * place for index in range(len(shares))], heights, 0.25, label=system)
        axis.set_title(case, fontsize=8)
        axis.set_xticks([index + 0.25 for index in range(len(shares))], shares)
        axis.set_yscale("log")
    axes[0].set_ylabel("µs from sample to client")
    axes[0].legend()
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
