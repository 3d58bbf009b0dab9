// The track, seen from above: no tiles, so nothing has to be fetched.

/** A picture of where a location was; north is up. */
class TrackMap {
  static MARGIN = 24;

  constructor(view, calendar, resource) {
    Object.assign(this, { view, calendar, name: resource.name + " track", unit: "", height: 380, lines: [] });
    this.legend = [
      { name: "way", colour: "line0", form: "line" }, { name: "start", colour: "line1", form: "dot" }, { name: "end", colour: "line3", form: "dot" },
    ];
    // What is added when a part of the recording is shown.
    this.zoomedLegend = [{ name: "outside of the times shown", colour: "grid", form: "line" }];
    this.place(resource.path.points);
    this.reset();
  }

  /** Metres to the east and to the north of the middle; a track across the antimeridian stays in one piece. */
  place(points) {
    let turn = 0;
    const unrolled = points.map((point, index) => {
      const before = index ? points[index - 1].longitude : point.longitude;
      if (point.longitude - before > 180) turn -= 360;
      if (before - point.longitude > 180) turn += 360;
      return point.longitude + turn;
    });
    const span = (numbers) => numbers.reduce(([low, high], number) => [Math.min(low, number), Math.max(high, number)], [Infinity, -Infinity]);
    const [west, east] = span(unrolled), [south, north] = span(points.map((point) => point.latitude));
    const degree = Math.PI / 180 * 6371008.8, narrow = Math.max(0.001, Math.cos((south + north) / 2 * Math.PI / 180));
    this.points = points.map((point, index) => ({
      ...point, east: (unrolled[index] - (west + east) / 2) * degree * narrow, north: (point.latitude - (south + north) / 2) * degree,
    }));
    this.times = Float64Array.from(points, (point) => point.time);
    this.size = [Math.max(1, (east - west) * degree * narrow), Math.max(1, (north - south) * degree)];
  }

  /** Shows the whole track. */
  reset() { this.centre = [0, 0]; this.zoomed = 1; }


  x(point) { return this.canvas.width / 2 + (point.east - this.centre[0]) * this.scale; }
  y(point) { return this.canvas.height / 2 - (point.north - this.centre[1]) * this.scale; }

  zoom(factor, x, y) {
    const east = this.centre[0] + (x - this.canvas.width / 2) / this.scale, north = this.centre[1] - (y - this.canvas.height / 2) / this.scale;
    this.zoomed *= Math.min(1e4, Math.max(1e-6, this.scale / factor)) / this.scale;
    this.centre = [east - (x - this.canvas.width / 2) / this.scale, north + (y - this.canvas.height / 2) / this.scale];
    this.view.change();
  }

  pan(x, y) {
    this.centre = [this.centre[0] - x / this.scale, this.centre[1] + y / this.scale];
    this.view.change();
  }

  draw() {
    const context = this.canvas.begin(), room = 2 * TrackMap.MARGIN;
    // The pixels of a metre.
    this.scale = this.zoomed * Math.min((this.canvas.width - room) / this.size[0], (this.canvas.height - room) / this.size[1]);
    const first = lowerBound(this.times, this.view.from), last = lowerBound(this.times, this.view.to + 1e-9);
    this.stroke(context, 0, this.points.length, "grid", 3);
    this.stroke(context, first, last, "line0", 2);
    this.mark(context, this.points[0], "line1", 5);
    this.mark(context, this.points[this.points.length - 1], "line3", 5);
    this.drawGrid(context);
    if (this.view.pointer !== null) this.mark(context, this.points[this.nearest(this.view.pointer)], "text", 4);
  }

  stroke(context, first, last, colour, width) {
    context.strokeStyle = this.canvas.colour(colour);
    context.lineWidth = width;
    context.lineJoin = context.lineCap = "round";
    context.beginPath();
    for (let place = first; place < last; place++) {
      const point = this.points[place], x = this.x(point), y = this.y(point);
      if (point.isBroken || place === first) context.moveTo(x, y);
      // A single point is a dot.
      context.lineTo(x, y);
    }
    context.stroke();
  }

  mark(context, point, colour, radius) {
    if (!point) return;
    context.fillStyle = this.canvas.colour(colour);
    context.beginPath();
    context.arc(this.x(point), this.y(point), radius, 0, 2 * Math.PI);
    context.fill();
  }

  /** A bar that shows the scale, and where north is. */
  drawGrid(context) {
    const metres = niceStep(this.canvas.width / this.scale, 6), length = metres * this.scale;
    const x = 16, y = this.canvas.height - 16;
    const text = metres >= 1000 ? `${digitsText(metres / 1000)} km` : metres >= 1 ? `${digitsText(metres)} m` : `${digitsText(metres * 100)} cm`;
    // The track may pass below.
    context.fillStyle = this.canvas.colour("page");
    context.fillRect(x + length / 2 - text.length * 3.2 - 3, y - 17, text.length * 6.4 + 6, 14);
    context.strokeStyle = context.fillStyle = this.canvas.colour("faint");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, y - 5); context.lineTo(x, y); context.lineTo(x + length, y); context.lineTo(x + length, y - 5);
    const right = this.canvas.width - 18;
    context.moveTo(right, 34); context.lineTo(right, 16); context.lineTo(right - 4, 23); context.moveTo(right, 16); context.lineTo(right + 4, 23);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(text, x + length / 2, y - 3);
    context.fillText("N", right, 14);
  }

  nearest(time) {
    const after = lowerBound(this.times, time);
    if (after === 0 || after === this.times.length) return Math.min(after, this.times.length - 1);
    return time - this.times[after - 1] < this.times[after] - time ? after - 1 : after;
  }

  /** The point that is nearest to a place in the picture. */
  at(x, y) {
    let best = null, least = Infinity;
    for (const point of this.points) {
      const distance = Math.hypot(this.x(point) - x, this.y(point) - y);
      if (distance < least) [best, least] = [point, distance];
    }
    return least < 40 ? best : null;
  }

  describe(time) {
    const point = this.points[this.nearest(time)];
    return `${point.latitude.toFixed(6)}°, ${point.longitude.toFixed(6)}°`;
  }
}
