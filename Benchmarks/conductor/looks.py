"""How the pictures of the benchmarks look: colours, marks, axes, and a legend below."""

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import LogLocator, StrMethodFormatter  # noqa: E402

pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sensorbroker", "font.size": 9, "font.family": "sans-serif"})

# Of Okabe and Ito, apart for whoever sees fewer colours; and a mark of its own for each.
LOOKS = {
    "sensorbrokerd": ("#0072b2", "o"),
    "bare C loop": ("#000000", "s"),
    "bare C loop behind a thread": ("#7f7f7f", "D"),
    "D-Bus": ("#d55e00", "^"),
    "gpsd": ("#009e73", "v"),
    "iiod": ("#cc79a7", "P"),
}
THOUSANDS = StrMethodFormatter("{x:,g}")


def save(figure, path):
    """The same bytes for the same figures."""
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)


def plot(axis, lines, **traits):
    for system, points in lines.items():
        colour, mark = LOOKS[system]
        axis.plot(*zip(*sorted(points)), color=colour, marker=mark, markersize=5, label=system)
    axis.set(**traits)
    for side in (axis.xaxis, axis.yaxis):
        if side.get_scale() == "log":
            side.set_major_locator(LogLocator(subs=(1, 3) if side is axis.yaxis else (1,)))
            side.set_major_formatter(THOUSANDS)
    axis.grid(alpha=0.3)


def legend(figure, axes):
    """One for all, below them, with each system once."""
    entries = {label: line for axis in axes for line, label in zip(*axis.get_legend_handles_labels())}
    figure.tight_layout()
    figure.legend(entries.values(), entries.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=len(entries), frameon=False)
    return figure
