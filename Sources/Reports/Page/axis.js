// Axes: where their marks are, and how numbers and times are written.

/** The smallest step of 1, 2 or 5 times a power of ten that makes no more than so many steps of a span. */
function niceStep(span, most) {
  const least = span / most;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= least * 0.999999);
}

/** Marks at multiples of a round step. */
function marks(from, to, most) {
  if (!(to > from)) return { step: 1, values: [from] };
  const step = niceStep(to - from, most), values = [];
  for (let number = Math.ceil(from / step); number * step <= to && values.length < 100; number++) values.push(number * step);
  return { step, values };
}

/** A number with as many decimals as a step needs. */
function numberText(value, step) {
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-6)) return value.toExponential(2);
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return (Math.abs(value) < step / 1e6 ? 0 : value).toFixed(decimals);
}

/** A number with so many digits that count, without zeros at its end. */
function digitsText(value, digits = 5) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4)) return value.toExponential(digits - 2);
  return String(Number(value.toPrecision(digits)));
}

/** A duration in the unit that suits it. */
function durationText(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 1e-3) return digitsText(seconds * 1e6, 3) + " µs";
  if (seconds < 1) return digitsText(seconds * 1e3, 4) + " ms";
  if (seconds < 120) return digitsText(seconds, 4) + " s";
  const whole = Math.round(seconds), minutes = Math.floor(whole / 60), hours = Math.floor(minutes / 60);
  if (minutes < 120) return `${minutes} min ${whole % 60} s`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The times of a recording: UTC if its recorder knew it, else seconds since the first event. */
class Calendar {
  /** Steps of time in seconds, from a second up. */
  static STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

  constructor(sessions) { this.sessions = sessions.filter((session) => session.utcMilliseconds !== undefined); }

  /** UTC in milliseconds since 1970; undefined if unknown. */
  utc(time) {
    const session = this.sessions.findLast((session) => session.start <= time) ?? this.sessions[0];
    return session && session.utcMilliseconds + (time - session.start) * 1000;
  }

  /** Marks between two times. */
  marks(from, to, most) {
    const least = (to - from) / most;
    const step = least < 1 ? niceStep(to - from, most) : Calendar.STEPS.find((step) => step >= least) ?? niceStep(to - from, most);
    // Marks stand at round times of the day.
    const utc = this.utc(from);
    const offset = utc === undefined ? 0 : (utc / 1000 - from) % step;
    const values = [];
    for (let number = Math.ceil((from + offset) / step); number * step - offset <= to && values.length < 100; number++) {
      values.push(number * step - offset);
    }
    return { step, values };
  }

  /** A time as text, as exact as a step needs. */
  text(time, step) {
    const utc = this.utc(time);
    if (utc === undefined) return numberText(time, step) + " s";
    const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const whole = Math.floor(utc / 1000 + 1e-9), rest = Math.max(0, utc / 1000 - whole);
    const date = new Date(whole * 1000).toISOString();
    if (step >= 86400) return date.slice(0, 10);
    if (step >= 60) return date.slice(11, 16);
    return date.slice(11, 19) + (decimals ? rest.toFixed(decimals).slice(1) : "");
  }

  /** A time with its date. */
  full(time, step = 0.001) {
    const utc = this.utc(time);
    return utc === undefined ? numberText(time, step) + " s" : new Date(utc).toISOString().slice(0, 10) + " " + this.text(time, Math.min(step, 1));
  }
}
