"""The motion filter beside those of PyPI's vqf, imufusion and ahrs, on the same samples: errors in degrees, and what a sample costs.

usage: motion.py [--trials DIRECTORY] [--shift MILLISECONDS] [--quick] [--out FILE]

Without trials, a simulated motion in closed form is played, with noise added; DIRECTORY holds trials as rows of fourteen 32-bit floats
at 100 Hz: rate, acceleration, field, true attitude (w first; NaN if unknown), and 1 where it counts. The truth is taken so much later.

Last comes what a client of the attitude costs the daemon beside one of the gyroscope (motion_cost.py).

Inclination and drift are of the attitude without magnetometer, total and heading of the one with it; all but drift are the root of the
mean square. Only what a filter tells is judged: `told` is which part of the time that is. Within two of its own stated errors, the
truth should lie in 95 of 100 cases.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / ".build/release/motion-bench"

try:
    import numpy as np
    import vqf
    import imufusion
    from ahrs.filters import Madgwick
except ImportError as missing:
    sys.exit(f"motion.py: {missing.name} is missing: run it by `make bench-motion`, which fetches numpy, vqf, imufusion and ahrs")

import motion_cost  # noqa: E402

DEGREE = np.pi / 180
RNG = np.random.default_rng


def trials(directory):
    if directory:
        for path in sorted(pathlib.Path(directory).glob("*.f32")):
            yield path.stem, np.fromfile(path, "<f4").reshape(-1, 14).astype(float)
        return
    for vigour in (0.5, 1, 2):
        rows = np.frombuffer(subprocess.run([PROGRAM, "play", str(vigour)], check=True, capture_output=True).stdout).reshape(-1, 14).copy()
        noise = RNG(7).standard_normal((len(rows), 9)) * np.repeat([0.1 * DEGREE, 0.03, 0.5], 3)
        rows[:, :9] += noise
        yield f"hand, vigour {vigour}", rows


def samples(rows, every=1, bias=0.0, apart=False, gaps=()):
    """Sensor, seconds, x, y, z, in order of time."""
    seconds = np.arange(len(rows)) / 100
    rate = rows[:, :3] + np.array([1, -1, 1]) * bias * DEGREE
    parts = []
    for sensor, (hertz, values) in enumerate([(100 / every, rate), (62.5, rows[:, 3:6]), (25, rows[:, 6:9])]):
        if not apart:
            taken = np.arange(0, len(rows), every)
            parts.append(np.c_[np.full(len(taken), sensor), seconds[taken], values[taken]])
            continue
        random = RNG(sensor)
        times = np.cumsum(np.maximum(1 + 0.1 * random.standard_normal(int(seconds[-1] * hertz)), 0.3) / hertz)
        times = times[times < seconds[-1]]
        columns = [np.interp(times, seconds, values[:, axis]) for axis in range(3)]
        parts.append(np.c_[np.full(len(times), sensor), times + 0.0005 * random.standard_normal(len(times)), np.array(columns).T])
    result = np.concatenate(parts)
    for begin, end in gaps:
        result = result[(result[:, 1] <= begin) | (result[:, 1] >= end)]
    return result[np.lexsort((result[:, 0], result[:, 1]))]


def some_gaps(rows):
    random, now, found = RNG(3), 5.0, []
    while (now := now + random.uniform(5, 17)) < len(rows) / 100 - 3:
        found.append((now, now + random.uniform(0.2, 2)))
        now = found[-1][1]
    return found


def ours(data):
    out = subprocess.run([PROGRAM, "filter"], input=data.tobytes(), check=True, capture_output=True).stdout
    lines = np.frombuffer(out).reshape(-1, 11)
    return lines[:, 0], lines[:, 1:5], lines[:, 5:9], lines[:, 9:11]


def steps(data):
    """Each rate with the newest acceleration and field, as filters without times of their own want them."""
    acceleration, field, last = None, None, None
    for index, (sensor, seconds, *vector) in enumerate(data):
        if sensor == 0:
            rate, last_rate = np.array(vector), seconds
        elif sensor == 1:
            acceleration = np.array(vector)
        else:
            field = np.array(vector)
        is_last = index + 1 == len(data) or data[index + 1, 1] != seconds
        if is_last and acceleration is not None and field is not None and data[index, 1] == last_rate:
            yield seconds, (seconds - last if last is not None else 0.01), rate, acceleration, field
            last = seconds


def of_vqf(data):
    # It knows no times: a rate is scaled so that it turns by what it does in its true interval.
    intervals = [np.median(np.diff(data[data[:, 0] == sensor, 1])) for sensor in range(3)]
    filter, lines, rate_time = vqf.VQF(*intervals), [], None
    for index, (sensor, seconds, *vector) in enumerate(data):
        if sensor == 0 and rate_time is not None:
            vector = np.array(vector) * min(seconds - rate_time, 10 * intervals[0]) / intervals[0]
        (filter.updateGyr, filter.updateAcc, filter.updateMag)[int(sensor)](np.array(vector))
        if sensor == 0:
            rate_time = seconds
        if (index + 1 == len(data) or data[index + 1, 1] != seconds) and seconds == rate_time:
            lines.append([seconds, *filter.getQuat6D(), *filter.getQuat9D()])
    lines = np.array(lines)
    return lines[:, 0], lines[:, 1:5], lines[:, 5:9], None


def of_imufusion(data):
    filters = [imufusion.Ahrs(), imufusion.Ahrs()]
    settings = imufusion.AhrsSettings()
    settings.convention = imufusion.CONVENTION_ENU
    for filter in filters:
        filter.set_settings(settings)
    lines = []
    for seconds, interval, rate, acceleration, field in steps(data):
        for filter in filters:
            filter.set_sample_period(interval)
        filters[0].update_no_magnetometer(rate / DEGREE, acceleration / 9.80665)
        filters[1].update(rate / DEGREE, acceleration / 9.80665, field)
        lines.append([seconds, *np.ravel(filters[0].get_quaternion()), *np.ravel(filters[1].get_quaternion())])
    lines = np.array(lines)
    return lines[:, 0], lines[:, 1:5], lines[:, 5:9], None


def of_madgwick(data):
    filter, six, nine, lines = Madgwick(), np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 0]), []
    to_east = np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])  # Its x axis points north.
    for seconds, interval, rate, acceleration, field in steps(data):
        six = np.array(filter.updateIMU(six, rate, acceleration, dt=interval))
        nine = np.array(filter.updateMARG(nine, rate, acceleration, field, dt=interval))
        lines.append([seconds, *six, *product(to_east[None], nine[None])[0]])
    lines = np.array(lines)
    return lines[:, 0], lines[:, 1:5], lines[:, 5:9], None


FILTERS = {"this one": ours, "vqf": of_vqf, "imufusion": of_imufusion, "ahrs, Madgwick": of_madgwick}
CONDITIONS = {
    "as measured": {}, "0.5°/s of bias": {"bias": 0.5}, "50 Hz": {"every": 2}, "own rates, jitter": {"apart": True}, "gaps of 0.2 to 2 s": {"gaps": True}}


def product(a, b):
    w, v, x, u = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    return np.c_[w * x - (v * u).sum(1, keepdims=True), w * u + x * v + np.cross(v, u)]


def errors(estimate, truth):
    turn = product(estimate / np.linalg.norm(estimate, axis=1, keepdims=True), truth * [1, -1, -1, -1])
    heading = (2 * np.arctan2(turn[:, 3], turn[:, 0]) + np.pi) % (2 * np.pi) - np.pi
    return [angle / DEGREE for angle in (
        2 * np.arccos(np.clip(abs(turn[:, 0]), 0, 1)), heading, 2 * np.arccos(np.clip(np.hypot(turn[:, 0], turn[:, 3]), 0, 1)))]


def rms(values):
    return np.sqrt(np.mean(np.square(values))) if len(values) else np.nan


def judge(rows, seconds, six, nine, stated, shift):
    place = np.clip((seconds + shift) * 100, 0, len(rows) - 1.001)
    before, part = place.astype(int), (place % 1)[:, None]
    one, other = rows[before, 9:13], rows[before + 1, 9:13]
    truth = one * (1 - part) + other * np.where((one * other).sum(1, keepdims=True) < 0, -1, 1) * part
    truth /= np.linalg.norm(truth, axis=1, keepdims=True)
    counts = (rows[np.clip(np.rint(seconds * 100).astype(int), 0, len(rows) - 1), 13] > 0.5) & ~np.isnan(truth[:, 0])
    told, north = counts & ~np.isnan(six[:, 0]), counts & ~np.isnan(nine[:, 0])
    total, heading, _ = errors(nine[north], truth[north])
    _, turned, inclination = errors(six[told], truth[told])
    turned = np.unwrap(turned * DEGREE) / DEGREE
    drift = abs(np.median(turned[-200:]) - turned[:100].mean()) / np.ptp(seconds[told]) * 60
    honest = [np.nan, np.nan] if stated is None else [
        np.mean(inclination <= 2 * stated[told, 0] / DEGREE), np.mean(abs(heading) <= 2 * stated[north, 1] / DEGREE)]
    return [rms(inclination), drift, told.sum() / counts.sum(), rms(total), rms(heading), north.sum() / counts.sum(), *honest]


def instructions(data):
    """What callgrind counts for a sample of all three sensors, without the loop around it."""
    if not shutil.which("valgrind"):
        return None
    def counted(part, *words):
        with tempfile.TemporaryDirectory() as place:
            run = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out", PROGRAM, "count", *words], input=part.tobytes(),
                check=True, capture_output=True)
        return int(next(line for line in run.stderr.decode().splitlines() if "Collected" in line).split()[-1])
    few, many = data[:3 * 8000], data[:3 * 12000]
    work = counted(many) - counted(few) - counted(many, "empty") + counted(few, "empty")
    return 3 * work / (len(many) - len(few))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials")
    parser.add_argument("--shift", type=float, default=0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out")
    given = parser.parse_args()
    lines = [f"{'degrees; means of all trials':<40}inclination  drift/min  told   total  heading  told  tilt, heading within 2 errors"]
    material = list(trials(given.trials))
    for condition, options in list(CONDITIONS.items())[:1 if given.quick else None]:
        for name, filter in FILTERS.items():
            results, spent, count = [], 0.0, 0
            for _, rows in material:
                data = samples(rows, **{**options, **({"gaps": some_gaps(rows)} if "gaps" in options else {})})
                begin = time.process_time()
                told = filter(data)
                spent, count = spent + time.process_time() - begin, count + (data[:, 0] == 0).sum()
                results.append(judge(rows, *told, given.shift / 1000))
            i, drift, six, total, heading, nine, tilts, headings = np.nanmean(results, 0) if name == "this one" else np.mean(results, 0)
            lines.append(f"{condition:<22}{name:<18}{i:11.2f}{drift:11.1f}{six:7.2f}{total:8.2f}{heading:9.2f}{nine:6.2f}"
                         + ("" if np.isnan(tilts) else f"{tilts:8.3f}{headings:8.3f}"))
    count = instructions(samples(material[0][1], bias=0.5))
    lines.append("valgrind is missing: instructions were not counted" if count is None
                 else f"instructions of this filter for a sample of three sensors: {count:.0f}")
    lines += subprocess.run([PROGRAM, "compasses"], check=True, capture_output=True, text=True).stdout.splitlines()
    lines += motion_cost.lines(given.quick)
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if given.out:
        pathlib.Path(given.out).write_text(text)


if __name__ == "__main__":
    main()
