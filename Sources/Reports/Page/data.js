// What the page shows: the recording's packed numbers as arrays, and coarser levels of them, so that a picture costs no more than
// its width, however long the recording is.

/** The 32-bit words of a base64 text. Browsers run on little-endian machines only. */
function words(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  return new Uint32Array(bytes.buffer);
}

/** The first place in a sorted array whose number is not less than a value. */
function lowerBound(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/** Reads what `PackedSeries` wrote: the time of each entry, where no line leads, and the extremes of each column. */
function unpackSeries(series, columnCount) {
  const UNKNOWN = 65535;
  const packed = words(series.words);
  const isSingle = series.samplesPerEntry === 1;
  const stored = isSingle ? columnCount : columnCount + 1;
  const times = new Float64Array(series.count), breaks = new Uint8Array(series.count);
  const low = [], high = [];
  for (let column = 0; column < stored; column++) {
    low.push(new Float32Array(series.count));
    high.push(isSingle ? low[column] : new Float32Array(series.count));
  }
  const half = new Uint32Array(2), whole = new Float64Array(half.buffer);
  let place = 0;
  const number = () => { half[0] = packed[place++]; half[1] = packed[place++]; return whole[0]; };
  for (let start = 0, count = 0; start < series.count; start += count) {
    count = packed[place++];
    const first = number(), last = number(), least = number(), step = number();
    const scales = low.map(() => [number(), number()]);
    const bits = place;
    place += Math.ceil(count / 32);
    const steps = (act) => {
      for (let entry = 0; entry < count; entry++) act(entry, (packed[place + (entry >> 1)] >>> (entry & 1) * 16) & 65535);
      place += Math.ceil(count / 2);
    };
    const even = count > 1 ? (last - first) / (count - 1) : 0;
    steps((entry, code) => {
      times[start + entry] = first + entry * even + least + code * step;
      breaks[start + entry] = (packed[bits + (entry >> 5)] >>> (entry & 31)) & 1;
    });
    scales.forEach(([from, size], column) => {
      for (const target of isSingle ? [low[column]] : [low[column], high[column]]) {
        steps((entry, code) => { target[start + entry] = code === UNKNOWN ? NaN : from + code * size; });
      }
    });
  }
  return { times, breaks, low, high, isSingle };
}

/** The entries of one column, with levels each of which has the extremes of four entries of the level below. */
class Line {
  static FACTOR = 4;

  constructor(times, breaks, low, high) {
    this.times = times;
    this.levels = [{ low, high, breaks, size: 1 }];
    for (let below = this.levels[0]; below.low.length > 64; below = this.levels[this.levels.length - 1]) {
      this.levels.push(Line.coarser(below));
    }
  }

  static coarser(below) {
    const count = Math.ceil(below.low.length / Line.FACTOR);
    const low = new Float32Array(count).fill(NaN), high = new Float32Array(count).fill(NaN), breaks = new Uint8Array(count);
    for (let entry = 0; entry < below.low.length; entry++) {
      const place = Math.floor(entry / Line.FACTOR);
      if (!(low[place] <= below.low[entry]) && below.low[entry] === below.low[entry]) low[place] = below.low[entry];
      if (!(high[place] >= below.high[entry]) && below.high[entry] === below.high[entry]) high[place] = below.high[entry];
      breaks[place] |= below.breaks[entry];
    }
    return { low, high, breaks, size: below.size * Line.FACTOR };
  }

  /** The finest level that has no more than a few entries for each pixel, and its entries between two times and beside them. */
  between(from, to, pixels) {
    const first = Math.max(0, lowerBound(this.times, from) - 1);
    const last = Math.min(this.times.length, lowerBound(this.times, to) + 1);
    const level = this.levels.find((level) => (last - first) / level.size <= 4 * pixels) ?? this.levels[this.levels.length - 1];
    return {
      level, first: Math.floor(first / level.size), last: Math.min(level.low.length, Math.ceil(last / level.size)),
    };
  }

  /** The extremes between two times. */
  extremes(from, to, pixels) {
    const { level, first, last } = this.between(from, to, pixels);
    let least = Infinity, greatest = -Infinity;
    for (let entry = first; entry < last; entry++) {
      if (level.low[entry] < least) least = level.low[entry];
      if (level.high[entry] > greatest) greatest = level.high[entry];
    }
    return [least, greatest];
  }

  /** The entry that is nearest to a time; -1 if there is none. */
  nearest(time) {
    const after = lowerBound(this.times, time);
    if (after === 0) return this.times.length ? 0 : -1;
    if (after === this.times.length) return after - 1;
    return time - this.times[after - 1] < this.times[after] - time ? after - 1 : after;
  }
}

/** The milliseconds from each sample to the one before it. */
function spacings(times, breaks) {
  const spacing = new Float32Array(times.length).fill(NaN);
  for (let entry = 1; entry < times.length; entry++) {
    if (!breaks[entry]) spacing[entry] = (times[entry] - times[entry - 1]) * 1000;
  }
  return spacing;
}

/** A resource with its lines: one for each column, and one of the times between samples. */
function readResource(resource) {
  const data = unpackSeries(resource.series, resource.columns.length);
  resource.times = data.times;
  resource.lines = resource.columns.map((_, column) => new Line(data.times, data.breaks, data.low[column], data.high[column]));
  const last = resource.columns.length;
  const inMilliseconds = (numbers) => numbers.map((seconds) => seconds * 1000);
  const low = data.isSingle ? spacings(data.times, data.breaks) : inMilliseconds(data.low[last]);
  resource.spacingLine = new Line(data.times, data.breaks, low, data.isSingle ? low : inMilliseconds(data.high[last]));
  resource.series.words = null;
  if (resource.path) {
    const numbers = new Float64Array(words(resource.path.words).buffer);
    resource.path.words = null;
    resource.path.points = [];
    for (let place = 0; place < numbers.length; place += 3) {
      resource.path.points.push({ time: numbers[place], latitude: numbers[place + 1], longitude: numbers[place + 2], isBroken: false });
    }
    for (const point of resource.path.breaks) resource.path.points[point].isBroken = true;
  }
  if (resource.spectrum) {
    resource.spectrum.densities = resource.spectrum.densities.map((text) => new Float32Array(words(text).buffer));
  }
  return resource;
}
