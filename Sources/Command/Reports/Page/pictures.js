// The pictures of a recording, in the order of the page, and as one drawing.

/** The name of a column's colour. */
const colourOf = (column) => "line" + column.colour % 4;

/** The pictures of a resource. */
function picturesOf(resource, view, calendar) {
  const pictures = [];
  if (resource.path) pictures.push(new TrackMap(view, calendar, resource));
  for (const picture of new Set(resource.columns.map((column) => column.picture))) {
    const lines = resource.columns.map((column, index) => ({ ...column, line: resource.lines[index], colour: colourOf(column) }))
      .filter((column) => column.picture === picture && column.known);
    if (!lines.length) continue;
    pictures.push(new Chart(view, calendar, {
      name: `${resource.name} ${picture}`, height: lines.length < 2 && resource.columns.length > 1 ? 110 : 150, unit: lines[0].unit, lines, bands: resource.bands, isStepped: resource.isStepped, isCircular: resource.isCircular, labels: resource.labels,
    }));
  }
  if (resource.spectrum) pictures.push(new SpectrumChart(resource, resource.columns.map(colourOf)));
  if (resource.rate) {
    const { bands, times, samplesBefore } = resource, line = resource.spacingLine;
    const milliseconds = { line, name: "interval", colour: "line2" };
    pictures.push(new RateChart(view, calendar, {
      name: `${resource.name} rate`, unit: "Hz", height: 84, lines: [{ line, name: "rate", colour: "line3" }], bands,
      source: { times, samplesBefore, samplesPerEntry: resource.series.samplesPerEntry, usual: resource.rate },
    }));
    pictures.push(new Chart(view, calendar, {
      name: `${resource.name} interval (jitter)`, unit: "ms", height: 84, lines: [milliseconds], bands,
    }));
  }
  return pictures;
}

/** The span of time of a recording. */
function spanOf(data, resources) {
  const starts = resources.flatMap((resource) => [...resource.times.slice(0, 1), ...resource.bands.map((band) => band.from)]);
  const first = starts.reduce((least, start) => Math.min(least, start), 0);
  return new View(first, Math.max(data.end, first + 1e-3));
}

/** A picture with its name and its legend as SVG, so high; what is zoomed stays zoomed. */
function drawingOf(picture, width, colours) {
  const { canvas, scale } = picture, heading = new Sheet(width, 20, colours), sheet = new Sheet(width, picture.height, colours);
  const name = picture.name + (picture.unit ? `, ${picture.unit}` : "");
  Object.assign(heading, { fillStyle: colours.text, textBaseline: "bottom", weight: ' font-weight="bold"' });
  heading.fillText(name, 12, 16);
  heading.weight = "";
  let x = 12 + name.length * 7 + 20;
  for (const { name, colour, form } of picture.legend) {
    heading.fillStyle = colours[colour];
    heading.beginPath();
    if (form === "dot") heading.arc(x + 5, 10, 5); else heading.rect(x, form === "line" ? 8.5 : 5, 10, form === "line" ? 3 : 10);
    heading.fill();
    heading.fillStyle = colours.text;
    heading.fillText(name, x + 14, 16);
    x += 14 + name.length * 6.4 + 14;
  }
  picture.canvas = sheet;
  try { picture.draw(); } finally { Object.assign(picture, { canvas, scale }); }
  return { height: 20 + picture.height, markup: heading.parts.join("\n") + `\n<g transform="translate(0 20)">\n${sheet.parts.join("\n")}\n</g>` };
}

/** An SVG document of some pictures below each other. */
function documentOf(pictures, width, colours, title = "") {
  const heading = new Sheet(width, 34, colours);
  Object.assign(heading, { fillStyle: colours.text, textBaseline: "bottom", weight: ' font-size="16" font-weight="bold"' });
  if (title) heading.fillText(title, 12, 26);
  let height = title ? 34 : 0;
  const parts = pictures.map((picture) => {
    const drawn = drawingOf(picture, width, colours), place = height;
    height += drawn.height + 6;
    return `<g transform="translate(0 ${place})">\n${drawn.markup}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="${colours.page}"/>
${[...heading.parts, ...parts].join("\n")}
</svg>
`;
}

/** What a file shows of a recording: all pictures, or the one of a name; the names of all if there is none of that name. */
function fileOf(data, style, name) {
  const resources = data.resources.filter((resource) => resource.samples).map(readResource);
  const view = spanOf(data, resources), calendar = new Calendar(data.sessions);
  const all = resources.flatMap((resource) => picturesOf(resource, view, calendar));
  const chosen = all.filter((picture) => name === null || picture.name === name);
  const title = name === null ? data.title + (calendar.utc(view.from) === undefined ? "" : `, ${calendar.full(view.from)} UTC`) : "";
  return chosen.length ? documentOf(chosen, 1000, lightColours(style), title) : all.map((picture) => picture.name).join("\n");
}
