// Pictures over time.

/** The span of time that all pictures show, and the time under the pointer. */
class View {
  constructor(from, to) {
    this.whole = [from, to];
    [this.from, this.to] = this.whole;
    this.pointer = null;
    this.listeners = [];
    this.isDue = false;
  }

  /** Shows another span: within the recording, and not shorter than a microsecond. */
  show(from, to) {
    const span = Math.min(this.whole[1] - this.whole[0], Math.max(to - from, 1e-6));
    this.from = Math.min(Math.max(from, this.whole[0]), this.whole[1] - span);
    this.to = Math.min(this.whole[1], this.from + span);
    this.change();
  }

  /** Shows more or less around a time. */
  zoom(factor, around) { this.show(around - (around - this.from) * factor, around + (this.to - around) * factor); }

  move(seconds) { this.show(this.from + seconds, this.to + seconds); }

  point(time) {
    this.pointer = time;
    this.change();
  }

  /** Has all pictures drawn again, once for each frame of the display. */
  change() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      for (const listener of this.listeners) listener();
    });
  }
}

/** The lines of some columns over time, with gaps and states as bands behind them. */
class Chart {
  static LEFT = 64;
  static RIGHT = 12;
  static TOP = 6;
  static BOTTOM = 18;

  /** Options: name, unit, height, lines (each with `line`, `name`, `colour`), bands, isStepped, isCircular, labels. */
  constructor(view, calendar, options) {
    Object.assign(this, { view, calendar, ...options });
    this.extremes = [0, 1];
  }

  /** What colours mean, in pictures and beside them. */
  get legend() {
    const names = new Map(this.bands.map((band) => [band.name, { name: band.name, colour: bandColour(band), form: "band" }]));
    return [...this.lines.map(({ name, colour }) => ({ name, colour, form: "line" })), ...names.values()];
  }

  x(time) { return Chart.LEFT + (time - this.view.from) / (this.view.to - this.view.from) * this.plotWidth; }
  y(value) {
    const [least, greatest] = this.extremes;
    return Chart.TOP + (greatest - value) / (greatest - least) * (this.canvas.height - Chart.TOP - Chart.BOTTOM);
  }
  time(x) { return this.view.from + (x - Chart.LEFT) / this.plotWidth * (this.view.to - this.view.from); }
  get plotWidth() { return this.canvas.width - Chart.LEFT - Chart.RIGHT; }

  draw() {
    const context = this.canvas.begin();
    this.extremes = this.range();
    this.drawBands(context);
    this.drawAxes(context);
    context.save();
    context.beginPath();
    context.rect(Chart.LEFT, Chart.TOP - 1, this.plotWidth, this.canvas.height - Chart.TOP - Chart.BOTTOM + 2);
    context.clip();
    for (const line of this.lines) this.drawLine(context, line);
    this.drawPointer(context);
    context.restore();
  }

  /** The extremes of what is shown, with some room around them. */
  range() {
    let least = Infinity, greatest = -Infinity;
    for (const { line } of this.lines) {
      const [low, high] = line.extremes(this.view.from, this.view.to, this.plotWidth);
      [least, greatest] = [Math.min(least, low), Math.max(greatest, high)];
    }
    if (!(least <= greatest)) return [0, 1];
    if (this.isCircular && greatest - least >= 360) return [0, 360];
    const room = (greatest - least) * 0.06 || Math.abs(greatest) * 0.01 || 1;
    return [least - room, greatest + room];
  }

  drawBands(context) {
    for (const band of this.bands) {
      if (band.until < this.view.from || band.from > this.view.to) continue;
      const left = Math.max(Chart.LEFT, this.x(band.from)), right = Math.min(Chart.LEFT + this.plotWidth, this.x(band.until));
      context.fillStyle = this.canvas.colour(bandColour(band));
      // A short one would not be seen.
      context.fillRect(Math.min(left, Chart.LEFT + this.plotWidth - 2), Chart.TOP, Math.max(2, right - left), this.canvas.height - Chart.TOP - Chart.BOTTOM);
    }
  }

  drawAxes(context) {
    const bottom = this.canvas.height - Chart.BOTTOM;
    context.strokeStyle = this.canvas.colour("grid");
    context.fillStyle = this.canvas.colour("faint");
    context.lineWidth = 1;
    context.beginPath();
    context.textAlign = "center";
    context.textBaseline = "top";
    let free = 0;
    for (const { time, text } of this.calendar.marks(this.view.from, this.view.to, this.plotWidth)) {
      const x = Math.round(this.x(time)) + 0.5, half = text.length * Calendar.LETTER / 2;
      context.moveTo(x, Chart.TOP);
      context.lineTo(x, bottom);
      // Marks of two sessions may be close.
      if (x - half < free) continue;
      context.fillText(text, Math.min(x, this.canvas.width - half), bottom + 4);
      free = x + half;
    }
    const values = this.labels ? { step: 1, values: this.labels.map((_, place) => place) } : marks(...this.extremes, Math.max(3, Math.floor(bottom / 22)), this.isCircular);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of values.values) {
      const y = Math.round(this.y(value)) + 0.5;
      if (y < Chart.TOP || y > bottom) continue;
      context.moveTo(Chart.LEFT, y);
      context.lineTo(Chart.LEFT + this.plotWidth, y);
      context.fillText(this.labels ? this.labels[value] : numberText(value, values.step), Chart.LEFT - 6, y);
    }
    context.stroke();
  }

  drawLine(context, { line, colour }) {
    const { level, first, last } = line.between(this.view.from, this.view.to, this.plotWidth);
    context.strokeStyle = context.fillStyle = this.canvas.colour(colour);
    context.lineWidth = 1.25;
    context.lineJoin = "round";
    context.beginPath();
    const isSparse = !level.starts && last - first < this.plotWidth / 6;
    const pen = new Pen(this, context);
    for (let entry = first; entry < last; entry++) {
      const low = level.low[entry], high = level.high[entry];
      if (level.breaks[entry]) pen.lift();
      if (low !== low) { pen.lift(); continue; }
      const x = this.x(line.time(level, entry));
      pen.move(x, low);
      if (low !== high) pen.rise(high - low);
      if (isSparse) context.rect(x - 1.5, this.y(low) - 1.5, 3, 3), pen.go();
    }
    context.stroke();
  }

  drawPointer(context) {
    if (this.selection) {
      const [left, right] = this.selection.map((time) => this.x(time));
      context.fillStyle = this.canvas.colour("selection");
      context.fillRect(Math.min(left, right), Chart.TOP, Math.abs(right - left), this.canvas.height - Chart.TOP - Chart.BOTTOM);
    }
    if (this.view.pointer === null) return;
    context.strokeStyle = this.canvas.colour("faint");
    context.lineWidth = 1;
    context.beginPath();
    const x = Math.round(this.x(this.view.pointer)) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, this.canvas.height - Chart.BOTTOM);
    context.stroke();
  }

  /** What was measured nearest to a time, for people; the names of bands there come last. */
  describe(time) {
    const parts = this.lines.map(({ line, name }) => {
      const entry = line.nearest(time), level = line.levels[0];
      if (entry < 0 || !(level.low[entry] <= level.high[entry])) return `${name} –`;
      const [low, high] = [level.low[entry], level.high[entry]].map((value) => this.labels ? this.labels[value] : digitsText(this.isCircular ? value % 360 : value));
      return `${name} ${low === high ? low : low + " … " + high}`;
    });
    const reach = (this.view.to - this.view.from) / this.plotWidth * 2;
    const bands = this.bands.filter((band) => band.from - reach <= time && time <= band.until + reach).slice(0, 3).map(bandText);
    return `${parts.join("   ")} ${this.unit}` + (bands.length ? "   " + bands.join("; ") : "");
  }
}

/** What draws the line of a chart; a direction that passes north goes on at the other edge, without a line between. */
class Pen {
  constructor(chart, context) { Object.assign(this, { chart, context, value: NaN, at: NaN }); }

  lift() { this.value = NaN; }

  /** Draws to a value, or begins there. */
  move(x, value) {
    const before = this.value, isDown = before === before;
    if (isDown && this.chart.isStepped) this.line(x, before);
    if (isDown) this.line(x, this.chart.isCircular ? nearestAngle(value, before) : value);
    else {
      [this.at, this.value] = [x, value];
      this.go();
      // A single sample is a dot, which round ends show.
      this.context.lineTo(x, this.chart.y(value));
    }
  }

  /** Draws upwards by so much. */
  rise(extent) { this.line(this.at, this.value + extent); }

  go() { this.context.moveTo(this.at, this.chart.y(this.value)); }

  line(x, value) {
    const { chart, context } = this, turn = !chart.isCircular ? 0 : value < 0 ? 360 : value >= 360 ? -360 : 0;
    context.lineTo(x, chart.y(value));
    // What is beyond the edges of the picture is not shown.
    if (turn) context.moveTo(this.at, chart.y(this.value + turn)), context.lineTo(x, chart.y(value + turn));
    [this.at, this.value] = [x, value + turn];
  }
}

/** How often samples came, over time. */
class RateChart extends Chart {
  /** Rates of pieces that have some ten samples each, at least one whole entry, and at least two pixels. */
  pieces() {
    const { times, samplesBefore, samplesPerEntry, usual } = this.source;
    // Of a whole number of entries of even samples, between which the boundaries lie: an entry has its samples at its beginning.
    const samples = Math.max((this.view.to - this.view.from) * 2 / this.plotWidth * usual, 10);
    const width = Math.ceil(samples / samplesPerEntry) * samplesPerEntry / usual;
    const start = times[0] - 0.5 / usual, end = times[times.length - 1] + 0.5 / usual;
    const pieces = [];
    for (let place = Math.max(0, Math.floor((this.view.from - start) / width)); ; place++) {
      const from = start + place * width, until = Math.min(end, from + width);
      if (from > this.view.to || until - from < width / 2) return pieces;
      const count = samplesBefore[lowerBound(times, until)] - samplesBefore[lowerBound(times, from)];
      pieces.push({ from, until, rate: count / (until - from) });
    }
  }

  range() {
    this.drawn = this.pieces();
    return [0, Math.max(...this.drawn.map((piece) => piece.rate), this.source.usual) * 1.08];
  }

  drawLine(context, { colour }) {
    context.strokeStyle = this.canvas.colour(colour);
    context.lineWidth = 1.25;
    context.beginPath();
    for (const piece of this.drawn) {
      context.lineTo(this.x(piece.from), this.y(piece.rate));
      context.lineTo(this.x(piece.until), this.y(piece.rate));
    }
    context.stroke();
  }

  describe(time) {
    const piece = this.pieces().find((piece) => piece.from <= time && time < piece.until);
    return piece ? `${digitsText(piece.rate, 4)} Hz` : "";
  }
}

const bandColour = (band) => band.name === "gap" ? "gap" : "state";

/** How many readings are missing, as far as that is known. */
function missingText({ missing, unknownGaps }) {
  if (!unknownGaps) return `${missing} missing`;
  return missing ? `${missing} missing, and an unknown number in ${unknownGaps} of them` : "unknown number missing";
}

/** A gap or a state in words. */
function bandText(band) {
  const many = band.number > 1 ? `${band.number} × ` : "", missing = band.name === "gap" ? `, ${missingText(band)}` : "";
  return `${many}${band.name}${band.reason ? ": " + band.reason : ""}${missing}, ${durationText(band.until - band.from)}`;
}
