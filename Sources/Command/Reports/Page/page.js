// The page: the pictures of each resource with its numbers beside them, and what the pointer and the keys do.

/** An element with a class and a text; texts of the recording are never read as HTML. */
function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

/** A table of rows; the first cell of each is its heading. */
function table(className, rows) {
  return element("table", className, ...rows.map((cells, index) => element("tr", "", ...cells.map((cell, column) =>
    element(index === 0 && className === "values" || column === 0 ? "th" : "td", "", cell)))));
}

/** The numbers of a resource. */
function numbersOf(resource, spectrum) {
  const side = element("aside", "numbers");
  const summary = [["samples", String(resource.samples)]];
  if (resource.rate) summary.push(["rate", `${digitsText(resource.rate, 5)} Hz`]);
  if (resource.spacing) {
    summary.push(["interval, median", durationText(resource.spacing.median)], ["99 % within", durationText(resource.spacing.percentile99)],
      ["longest", durationText(resource.spacing.longest)]);
  }
  if (resource.path) summary.push(["way", resource.path.lengthMeters >= 10000 ? `${digitsText(resource.path.lengthMeters / 1000)} km` : `${digitsText(resource.path.lengthMeters, 4)} m`]);
  if (resource.backwards) summary.push(["not later than the one before", String(resource.backwards)]);
  if (resource.spreadRadians !== undefined) summary.push(["spread about the mean", `${digitsText(resource.spreadRadians * 180 / Math.PI, 4)}°`]);
  for (const gap of resource.gaps) summary.push([`gaps, ${gap.cause}`, `${gap.count}, ${missingText(gap)}`]);
  if (!resource.gaps.length) summary.push(["gaps", "none"]);
  side.append(table("summary", summary));
  const known = resource.columns.filter((column) => column.known && !resource.labels);
  if (known.length) {
    const rows = [["", "least", "mean", "greatest", "deviation"]];
    for (const column of known) {
      const name = element("span", "", element("i", "swatch " + colourOf(column)), column.name + (column.unit ? ` (${column.unit})` : ""));
      rows.push([name, ...[column.least, column.mean, column.greatest, column.deviation].map((value) => digitsText(value, 4))]);
    }
    side.append(table("values", rows));
  }
  if (spectrum) {
    side.append(table("summary", resource.columns.map((column, index) => [`strongest, ${column.name}`, spectrum.peak(index).density > 0 ? `${digitsText(spectrum.peak(index).hertz, 4)} Hz` : "–"])));
  }
  if (resource.series.samplesPerEntry > 1) {
    side.append(element("p", "note", `Each point is the least and the greatest of ${resource.series.samplesPerEntry} samples.`));
  }
  if (resource.path?.toleranceMeters) side.append(element("p", "note", `Points of the track closer than ${resource.path.toleranceMeters} m are left out.`));
  return side;
}

/** Gaps and states as a list; a click shows one of them. */
function bandList(resource, view, calendar) {
  if (!resource.bands.length) return null;
  const list = element("ol", "bands", ...resource.bands.slice(0, 200).map((band) => {
    const button = element("button", "", calendar.text(band.from, 0.1), " ", bandText(band));
    button.addEventListener("click", () => {
      const room = Math.max(band.until - band.from, 0.5 / (resource.rate || 1));
      view.show(band.from - room, band.until + room);
    });
    return element("li", band.name === "gap" ? "gap" : "state", button);
  }));
  const rest = resource.bands.length - 200;
  return element("details", "", element("summary", "", resource.bands.length === 1 ? "1 gap or state" : `${resource.bands.length} gaps and states`), list, rest > 0 ? `… and ${rest} more` : null);
}

/** What pointer and keys do in a picture over time: drag selects, Shift and drag moves, Ctrl and the wheel zooms. */
function handleTime(chart, view) {
  const canvas = chart.element;
  let start = null, moved = null;
  const at = (event) => chart.time(event.offsetX);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (event.shiftKey || event.button === 1) moved = at(event);
    else if (event.button === 0) start = at(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (moved !== null) view.move(moved - at(event));
    if (start !== null) chart.selection = [start, at(event)];
    view.point(at(event));
  });
  canvas.addEventListener("pointerup", (event) => {
    const [from, to] = [start, at(event)].sort((first, second) => first - second);
    const isSpan = start !== null && Math.abs(chart.x(from) - chart.x(to)) > 4;
    start = moved = chart.selection = null;
    if (isSpan) view.show(from, to); else view.change();
  });
  canvas.addEventListener("pointercancel", () => { start = moved = chart.selection = null; });
  canvas.addEventListener("pointerleave", () => view.point(null));
  canvas.addEventListener("dblclick", () => view.show(...view.whole));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    view.zoom(Math.exp(event.deltaY / 300), at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const span = view.to - view.from, middle = view.pointer ?? (view.from + view.to) / 2;
    const act = {
      "+": () => view.zoom(0.5, middle), "=": () => view.zoom(0.5, middle), "-": () => view.zoom(2, middle),
      ArrowLeft: () => view.move(-span / 8), ArrowRight: () => view.move(span / 8), "0": () => view.show(...view.whole),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function handleMap(map, view) {
  const canvas = map.element;
  let last = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = [event.offsetX, event.offsetY];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (last) {
      map.pan(event.offsetX - last[0], event.offsetY - last[1]);
      last = [event.offsetX, event.offsetY];
    } else view.point(map.at(event.offsetX, event.offsetY)?.time ?? null);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { last = null; });
  canvas.addEventListener("pointerleave", () => view.point(null));
  canvas.addEventListener("dblclick", () => { map.reset(); view.change(); });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    map.zoom(Math.exp(event.deltaY / 300), event.offsetX, event.offsetY);
  }, { passive: false });
}

function handleSpectrum(chart, show) {
  const canvas = chart.element;
  let start = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    start = chart.hertz(event.offsetX);
  });
  canvas.addEventListener("pointermove", (event) => {
    show(chart.describe(chart.hertz(event.offsetX)));
    if (start === null) return;
    chart.selection = [start, chart.hertz(event.offsetX)];
    chart.draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const [from, to] = [start, chart.hertz(event.offsetX)].sort((first, second) => first - second);
    start = chart.selection = null;
    chart.show(from, to);
    chart.draw();
  });
  canvas.addEventListener("pointerleave", () => show(""));
  canvas.addEventListener("dblclick", () => chart.reset());
}

/** A picture with its heading, its legend and what is under the pointer. */
function figure(picture, view, title) {
  picture.canvas = new Canvas(picture.height, picture.name);
  picture.element = picture.canvas.element;
  const readout = element("output", ""), save = element("button", "save", "save as SVG");
  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([documentOf([picture], 1000, colours())], { type: "image/svg+xml" }));
    link.download = `${title} ${picture.name}.svg`.replaceAll("/", "-");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
  const legend = [...picture.legend, ...picture.zoomedLegend ?? []].map(({ name, colour, form }) => element("span", "legend", element("i", `swatch ${colour} ${form}`), name));
  const made = element("figure", "", element("figcaption", "", element("b", "", picture.name + (picture.unit ? `, ${picture.unit}` : "")), ...legend, save, readout), picture.element);
  if (picture instanceof SpectrumChart) {
    handleSpectrum(picture, (text) => { readout.textContent = text; });
  } else {
    if (picture instanceof TrackMap) handleMap(picture, view); else handleTime(picture, view);
    view.listeners.push(() => {
      picture.isOld = true;
      readout.textContent = view.pointer === null ? "" : picture.describe(view.pointer);
    });
  }
  return made;
}

/** The colours of what is saved or printed. */
const colours = () => lightColours(document.querySelector("style").textContent);

/** Draws pictures again when they change: those in sight at once, and the others a little later. */
function keepDrawn(pictures, view) {
  let rest;
  const drawSome = (which) => {
    for (const picture of pictures.filter((picture) => picture.isOld && which(picture))) {
      picture.isOld = false;
      picture.draw();
    }
  };
  const redraw = () => {
    drawSome((picture) => picture.isVisible);
    clearTimeout(rest);
    rest = setTimeout(() => drawSome(() => true), 100);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) pictures.find((picture) => picture.element === entry.target).isVisible = entry.isIntersecting;
    redraw();
  }, { rootMargin: "200px" });
  for (const picture of pictures) observer.observe(picture.element);
  const redrawAll = () => {
    for (const picture of pictures) picture.isOld = true;
    redraw();
  };
  view.listeners.push(redraw);
  addEventListener("resize", redrawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  redrawAll();
  drawSome(() => true);
  // On paper, pictures are lines of the paper's own resolution, whether they were in sight or not.
  addEventListener("beforeprint", () => {
    for (const picture of pictures) {
      const printed = element("div", "printed");
      printed.innerHTML = documentOf([picture], 1000, colours());
      picture.element.parentElement.append(printed);
    }
  });
  addEventListener("afterprint", () => { for (const printed of document.querySelectorAll(".printed")) printed.remove(); });
}

function begin() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("report");
  const calendar = new Calendar(data.sessions);
  const resources = data.resources.map(readResource);
  const view = spanOf(data, resources), first = view.from;
  const range = element("output", "range");
  const whole = element("button", "", "whole recording");
  whole.addEventListener("click", () => view.show(...view.whole));
  main.append(element("header", "",
    element("h1", "", data.title),
    element("p", "", `${calendar.utc(first) === undefined ? "of unknown date" : calendar.full(first) + " UTC"}, ${durationText(view.to - view.from)}, ` +
      `${data.resources.reduce((sum, resource) => sum + resource.samples, 0)} samples, ${data.sessionCount} session${data.sessionCount === 1 ? "" : "s"}`),
    data.sessions.some((session) => session.isMoved) ? element("p", "note", "The clock of a session says that it began before the end of the one before, or years after it; it is drawn after it.") : null,
    element("p", "note", "Small squares on a line are single samples. ", element("span", "legend", element("i", "swatch gap band"), "gap: readings are missing"), " ",
      element("span", "legend", element("i", "swatch state band"), "no readings: a state says why")),
    element("p", "tools", whole, range, element("span", "hint", "Drag to zoom, Shift and drag to move, Ctrl and wheel to zoom, double-click for everything; keys: + − ← → 0"))));
  view.listeners.push(() => { range.textContent = `${calendar.full(view.from)} + ${durationText(view.to - view.from)}`; });
  const pictures = [];
  for (const resource of resources) {
    const own = picturesOf(resource, view, calendar);
    pictures.push(...own);
    main.append(element("section", "", element("h2", "", resource.name, element("small", "", " " + resource.kind)),
      element("div", "pictures", ...own.map((picture) => figure(picture, view, data.title)), bandList(resource, view, calendar)),
      numbersOf(resource, own.find((picture) => picture instanceof SpectrumChart))));
  }
  main.append(element("footer", "", data.program));
  keepDrawn(pictures, view);
  view.change();
  // For those who look from the browser's console, and for tests.
  window.report = { data, view, pictures, resources };
}

try { begin(); } catch (error) { document.getElementById("report").textContent = "The report cannot be shown: " + error.message; throw error; }
