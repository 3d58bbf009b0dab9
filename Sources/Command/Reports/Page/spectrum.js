// Spectra: how strong the vibration is at each frequency.

/** The densities of some columns over frequency, both axes logarithmic. */
class SpectrumChart {
  constructor(resource, colours) {
    Object.assign(this, { name: resource.name + " spectrum", columns: resource.columns, colours, ...resource.spectrum });
    this.unit = resource.columns[0].unit + "/√Hz";
    this.height = 190;
    this.legend = this.columns.map(({ name }, column) => ({ name, colour: colours[column], form: "line" }));
    this.bins = this.densities[0].length;
    this.whole = [this.stepHertz, this.stepHertz * this.bins];
    [this.from, this.to] = this.whole;
  }

  get plotWidth() { return this.canvas.width - Chart.LEFT - Chart.RIGHT; }
  x(hertz) { return Chart.LEFT + Math.log(hertz / this.from) / Math.log(this.to / this.from) * this.plotWidth; }
  hertz(x) { return this.from * Math.pow(this.to / this.from, (x - Chart.LEFT) / this.plotWidth); }
  y(density) {
    const share = Math.log(this.greatest / density) / Math.log(this.greatest / this.least);
    return Chart.TOP + share * (this.canvas.height - Chart.TOP - Chart.BOTTOM);
  }

  /** The strongest frequency of a column; the lowest two bins are what is left of its mean. */
  peak(column) {
    let best = 2;
    for (let bin = 3; bin < this.bins; bin++) if (this.densities[column][bin] > this.densities[column][best]) best = bin;
    return { hertz: best * this.stepHertz, density: this.densities[column][best] };
  }

  show(from, to) {
    if (to / from < 1.05) return;
    this.from = Math.max(this.whole[0], from);
    this.to = Math.min(this.whole[1], to);
    this.draw();
  }

  reset() { this.show(...this.whole); }

  draw() {
    const context = this.canvas.begin();
    const bottom = this.canvas.height - Chart.BOTTOM;
    const first = Math.max(1, Math.floor(this.from / this.stepHertz)), last = Math.min(this.bins - 1, Math.ceil(this.to / this.stepHertz));
    let least = Infinity, greatest = 0;
    for (const densities of this.densities) {
      for (let bin = first; bin <= last; bin++) {
        if (densities[bin] > 0) [least, greatest] = [Math.min(least, densities[bin]), Math.max(greatest, densities[bin])];
      }
    }
    [this.least, this.greatest] = greatest > 0 ? [least / 1.3, greatest * 1.3] : [0.1, 1];
    this.drawAxes(context, bottom);
    context.save();
    context.beginPath();
    context.rect(Chart.LEFT, 0, this.plotWidth, bottom);
    context.clip();
    this.densities.forEach((densities, column) => {
      context.strokeStyle = this.canvas.colour(this.colours[column]);
      context.lineWidth = 1.25;
      context.beginPath();
      for (let bin = first; bin <= last; bin++) context.lineTo(this.x(bin * this.stepHertz), this.y(Math.max(this.least, densities[bin])));
      context.stroke();
    });
    if (this.selection) {
      const [left, right] = this.selection.map((hertz) => this.x(hertz));
      context.fillStyle = this.canvas.colour("selection");
      context.fillRect(Math.min(left, right), Chart.TOP, Math.abs(right - left), bottom - Chart.TOP);
    }
    context.restore();
  }

  drawAxes(context, bottom) {
    context.strokeStyle = this.canvas.colour("grid");
    context.fillStyle = this.canvas.colour("faint");
    context.lineWidth = 1;
    context.beginPath();
    context.textAlign = "center";
    context.textBaseline = "top";
    let free = 0;
    for (const hertz of logarithmicMarks(this.from, this.to)) {
      const x = Math.round(this.x(hertz)) + 0.5, text = `${digitsText(hertz)} Hz`, half = text.length * Calendar.LETTER / 2;
      context.moveTo(x, Chart.TOP);
      context.lineTo(x, bottom);
      if (x - half < free) continue;
      context.fillText(text, Math.min(x, this.canvas.width - half), bottom + 4);
      free = x + half + 6;
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    const values = logarithmicMarks(this.least, this.greatest);
    for (const value of values.length > 6 ? values.filter((_, place) => place % Math.ceil(values.length / 6) === 0) : values) {
      const y = Math.round(this.y(value)) + 0.5;
      context.moveTo(Chart.LEFT, y);
      context.lineTo(Chart.LEFT + this.plotWidth, y);
      context.fillText(digitsText(value, 3), Chart.LEFT - 6, y);
    }
    context.stroke();
  }

  describe(hertz) {
    const bin = Math.min(this.bins - 1, Math.max(0, Math.round(hertz / this.stepHertz)));
    const parts = this.columns.map((column, index) => `${column.name} ${digitsText(this.densities[index][bin], 3)}`);
    return `${digitsText(bin * this.stepHertz, 4)} Hz   ${parts.join("   ")} ${this.unit}`;
  }
}

/** Powers of ten between two numbers; in a short span also their double and their fivefold. */
function logarithmicMarks(from, to) {
  const values = [];
  const factors = to / from < 200 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++) {
    for (const factor of factors) {
      const value = factor * Math.pow(10, power);
      if (value >= from && value <= to) values.push(value);
    }
  }
  return values;
}
