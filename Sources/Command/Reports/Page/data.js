// What the page shows: the recording's packed numbers as arrays, and coarser levels of them, so that a picture costs no more than
// its width, however long the recording is.

/** The 32-bit words of a base64 text. Browsers run on little-endian machines only; `atob` is not in all engines that draw files. */
function words(text) {
  const digits = new Uint8Array(128);
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, value) => { digits[letter.charCodeAt(0)] = value; });
  const bytes = new Uint8Array(Math.floor(text.replace(/=+$/, "").length * 3 / 4));
  const digit = (place) => place < text.length ? digits[text.charCodeAt(place)] : 0;
  for (let place = 0, target = 0; place < text.length; place += 4, target += 3) {
    const bits = digit(place) << 18 | digit(place + 1) << 12 | digit(place + 2) << 6 | digit(place + 3);
    // What lies beyond the end of an array is not kept.
    bytes[target] = bits >> 16;
    bytes[target + 1] = bits >> 8;
    bytes[target + 2] = bits;
  }
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

/** The angle in degrees that is equal to another one, and nearest to a third. */
function nearestAngle(angle, other) { return angle + 360 * Math.round((other - angle) / 360); }

/**
 * The entries of one column, with levels each of which has the extremes of four entries of the level below; entries on both sides of a
 * gap stay apart, as in `Series`. Directions may be above 360: the greatest lies clockwise of the least.
 */
class Line {
  static FACTOR = 4;

  constructor(times, breaks, low, high, isCircular = false) {
    Object.assign(this, { times, isCircular });
    this.levels = [{ low, high, breaks, starts: null }];
    for (let below = this.levels[0]; below.low.length > 64; below = this.levels[this.levels.length - 1]) {
      this.levels.push(this.coarser(below));
    }
  }

  coarser(below) {
    const length = below.low.length, mostPieces = Math.max(16, length / 16);
    const low = new Float32Array(length).fill(NaN), high = new Float32Array(length).fill(NaN);
    const breaks = new Uint8Array(length), starts = new Uint32Array(length);
    let count = 0, members = 0, pieces = 0, breaksNext = 0;
    for (let entry = 0; entry < length; entry++) {
      const isBroken = below.breaks[entry];
      if (members === 0 || members === Line.FACTOR || isBroken && pieces < mostPieces) {
        starts[count] = below.starts ? below.starts[entry] : entry;
        breaks[count++] = isBroken | breaksNext;
        pieces += isBroken;
        members = breaksNext = 0;
      } else if (isBroken) {
        // With so many pieces, no line leads to this entry and none from it.
        breaks[count - 1] = breaksNext = 1;
      }
      members++;
      this.widen(low, high, count - 1, below.low[entry], below.high[entry]);
    }
    return { low: low.slice(0, count), high: high.slice(0, count), breaks: breaks.slice(0, count), starts: starts.slice(0, count) };
  }

  widen(low, high, place, least, greatest) {
    if (least !== least) return;
    if (low[place] !== low[place]) return void ([low[place], high[place]] = [least, greatest]);
    const turns = this.isCircular ? nearestAngle((least + greatest) / 2, (low[place] + high[place]) / 2) - (least + greatest) / 2 : 0;
    [low[place], high[place]] = [Math.min(low[place], least + turns), Math.max(high[place], greatest + turns)];
    if (!this.isCircular) return;
    const extent = high[place] - low[place];
    low[place] = extent < 360 ? low[place] - 360 * Math.floor(low[place] / 360) : 0;
    high[place] = low[place] + Math.min(extent, 360);
  }

  /** When an entry of a level begins. */
  time(level, entry) { return this.times[level.starts ? level.starts[entry] : entry]; }

  /** The finest level that has no more than a few entries for each pixel, and its entries between two times and beside them. */
  between(from, to, pixels) {
    const first = Math.max(0, lowerBound(this.times, from) - 1), last = Math.min(this.times.length, lowerBound(this.times, to) + 1);
    const place = (level, entry) => level.starts ? lowerBound(level.starts, entry + 1) - 1 : entry;
    for (const level of this.levels) {
      const found = { level, first: place(level, first), last: last > first ? place(level, last - 1) + 1 : first };
      if (found.last - found.first <= 4 * pixels || level === this.levels[this.levels.length - 1]) return found;
    }
  }

  /** The extremes between two times; of directions that pass north, those of the whole turn. */
  extremes(from, to, pixels) {
    const { level, first, last } = this.between(from, to, pixels);
    let least = Infinity, greatest = -Infinity, before = NaN;
    for (let entry = first; entry < last; entry++) {
      if (level.low[entry] < least) least = level.low[entry];
      if (level.high[entry] > greatest) greatest = level.high[entry];
      if (this.isCircular && !level.breaks[entry] && Math.abs(level.low[entry] - before) > 180) greatest = Infinity;
      before = level.low[entry];
    }
    return this.isCircular && greatest >= 360 ? [0, 360] : [least, greatest];
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

/** How many samples there are before each entry. */
function samplesBefore({ count, samplesPerEntry, short }) {
  const before = new Float64Array(count + 1).fill(samplesPerEntry);
  for (let place = 0; place < short.length; place += 2) before[short[place]] = short[place + 1];
  for (let entry = 0, sum = 0; entry <= count; entry++) [before[entry], sum] = [sum, sum + before[entry]];
  return before;
}

/** A resource with its lines: one for each column, and one of the times between samples. */
function readResource(resource) {
  const data = unpackSeries(resource.series, resource.columns.length);
  resource.times = data.times;
  resource.lines = resource.columns.map((_, column) => new Line(data.times, data.breaks, data.low[column], data.high[column], resource.isCircular));
  const last = resource.columns.length;
  const inMilliseconds = (numbers) => numbers.map((seconds) => seconds * 1000);
  const low = data.isSingle ? spacings(data.times, data.breaks) : inMilliseconds(data.low[last]);
  resource.spacingLine = new Line(data.times, data.breaks, low, data.isSingle ? low : inMilliseconds(data.high[last]));
  resource.samplesBefore = samplesBefore(resource.series);
  resource.series.words = resource.series.short = null;
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
