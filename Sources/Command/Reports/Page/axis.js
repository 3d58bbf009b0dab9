// Axes: where their marks are, and how numbers and times are written.

/** The smallest step of 1, 2 or 5 times a power of ten that makes no more than so many steps of a span. */
function niceStep(span, most) {
  const least = span / most;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= least * 0.999999);
}

/** Marks at multiples of a round step; of directions, at parts of a turn. */
function marks(from, to, most, isCircular = false) {
  if (!(to > from)) return { step: 1, values: [from] };
  const angles = isCircular ? [1, 2, 5, 10, 15, 30, 45, 90] : [];
  const step = angles.find((angle) => (to - from) / angle <= most && to - from > 5) ?? niceStep(to - from, most), values = [];
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
  /** Steps of time in seconds, from a second to twenty years. */
  static STEPS = [1, 2, 5, 10, 15, 30, ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => 60 * minutes),
    ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map((days) => 86400 * days)];
  /** The width of a letter, and the room between two times: less on a phone. */
  static LETTER = 5.7;
  static ROOM = [22, 8];

  constructor(sessions) {
    // What has to be added to times for seconds since 1970, from a time on; undefined where the recorder did not know.
    this.clocks = sessions.map(({ start, utcMilliseconds }) => ({ from: start, offset: utcMilliseconds === undefined ? undefined : utcMilliseconds / 1000 - start }));
    this.isDated = this.clocks.some((clock) => clock.offset !== undefined);
  }

  clock(time) {
    let found = this.clocks[0];
    for (const clock of this.clocks) if (clock.from <= time) found = clock;
    return found;
  }

  /** UTC in seconds since 1970; undefined if unknown. */
  utc(time) {
    const offset = this.clock(time)?.offset;
    return offset === undefined ? undefined : time + offset;
  }

  /** Marks at round times between two times, at the smallest step whose texts have room on an axis of this width. */
  marks(from, to, width) {
    const isShort = width < 450;
    const step = this.steps().find((step) => (to - from) / step <= 100
      && this.markText(0, step, isShort, this.isDated).length * Calendar.LETTER + Calendar.ROOM[Number(isShort)] <= step / (to - from) * width) ?? to - from;
    const values = [];
    // Each session has a clock of its own, and its marks are round times of that.
    this.clocks.forEach((clock, place) => {
      const isDated = clock.offset !== undefined, offset = clock.offset ?? 0;
      const first = place === 0 ? from : Math.max(from, clock.from), last = Math.min(to, this.clocks[place + 1]?.from ?? to);
      for (let number = Math.ceil((first + offset) / step); number * step - offset <= last && values.length < 200; number++) {
        // The text is that of the round time, whatever has become of its place by rounding.
        values.push({ time: number * step - offset, text: this.markText(number * step, step, isShort, isDated) });
      }
    });
    return values;
  }

  steps() {
    const decades = (from, to) => Array.from({ length: to - from }, (_, place) => [1, 2, 5].map((digit) => Number(`${digit}e${from + place}`))).flat();
    return this.isDated ? [...decades(-6, 0), ...Calendar.STEPS] : decades(-6, 10);
  }

  markText(round, step, isShort, isDated) {
    if (!isDated) return numberText(round, step) + " s";
    const text = Calendar.dated(round, step);
    // The span that is shown says the rest: the year, or the minute.
    return isShort && (step < 1 || step >= 86400) ? text.slice(5) : text;
  }

  /** Seconds since 1970 as a date or a time of day, rounded to what a step needs. */
  static dated(utc, step) {
    const decimals = Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))), parts = 10 ** decimals;
    const rounded = Math.round(utc * parts), whole = Math.floor(rounded / parts);
    const date = new Date(whole * 1000).toISOString();
    if (step >= 86400) return date.slice(0, 10);
    if (step >= 60) return date.slice(11, 16);
    return date.slice(11, 19) + (decimals ? "." + String(rounded - whole * parts).padStart(decimals, "0") : "");
  }

  /** A time as text, as exact as a step needs. */
  text(time, step) {
    const utc = this.utc(time);
    return utc === undefined ? numberText(time, step) + " s" : Calendar.dated(utc, step);
  }

  /** A time with its date. */
  full(time, step = 0.001) {
    const utc = this.utc(time);
    return utc === undefined ? numberText(time, step) + " s" : `${Calendar.dated(utc, 86400)} ${Calendar.dated(utc, Math.min(step, 1))}`;
  }
}
