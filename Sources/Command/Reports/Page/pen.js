// Where pictures are drawn: on the screen, or as SVG for paper and for files. Both take the same orders.

/** The light colours of the page's style. */
function lightColours(style) {
  return Object.fromEntries([...style.slice(0, style.indexOf("@media")).matchAll(/--(\w+): ([^;]+);/g)].map(([, name, colour]) => [name, colour]));
}

/** A canvas as sharp as the display, with colours of the page's style. */
class Canvas {
  constructor(height, label) {
    this.element = document.createElement("canvas");
    this.element.style.height = height + "px";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", label);
    this.height = height;
    this.width = 0;
  }

  begin() {
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(200, this.element.clientWidth);
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.element.width !== width || this.element.height !== height) [this.element.width, this.element.height] = [width, height];
    const context = this.element.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = "11px system-ui, sans-serif";
    const style = getComputedStyle(this.element);
    this.colour = (name) => style.getPropertyValue("--" + name);
    return context;
  }
}

/** A drawing as SVG: that part of a canvas' context which pictures use. */
class Sheet {
  constructor(width, height, colours) {
    Object.assign(this, { width, height, lineWidth: 1, strokeStyle: "", fillStyle: "", textAlign: "start", textBaseline: "top", weight: "" });
    this.colour = (name) => colours[name];
    this.parts = [];
    this.path = [];
  }

  begin() { return this; }
  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${Sheet.number(x)} ${Sheet.number(y)}`); }
  lineTo(x, y) { this.path.push(`${this.path.length ? "L" : "M"}${Sheet.number(x)} ${Sheet.number(y)}`); }
  rect(x, y, width, height) {
    this.box = [x, y, width, height].map(Sheet.number);
    this.path.push(`M${this.box[0]} ${this.box[1]}h${this.box[2]}v${this.box[3]}h${-this.box[2]}z`);
  }
  arc(x, y, radius) { this.path.push(`M${Sheet.number(x - radius)} ${Sheet.number(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`); }
  stroke() {
    if (!this.path.length) return;
    this.parts.push(`<path d="${this.path.join("")}" fill="none" ${Sheet.ink("stroke", this.strokeStyle)} stroke-width="${this.lineWidth}" stroke-linejoin="round" stroke-linecap="round"/>`);
  }
  fill() { this.parts.push(`<path d="${this.path.join("")}" ${Sheet.ink("fill", this.fillStyle)}/>`); }
  fillRect(...box) {
    const [x, y, width, height] = box.map(Sheet.number);
    this.parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" ${Sheet.ink("fill", this.fillStyle)}/>`);
  }
  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start", down = { top: 10, middle: 4, bottom: -2 }[this.textBaseline];
    this.parts.push(`<text x="${Sheet.number(x)}" y="${Sheet.number(y + down)}" text-anchor="${anchor}"${this.weight} ${Sheet.ink("fill", this.fillStyle)}>${Sheet.escaped(text)}</text>`);
  }
  /** Shows nothing beyond the box that is the path, until `restore`. */
  clip() { this.parts.push(`<svg x="${this.box[0]}" y="${this.box[1]}" width="${this.box[2]}" height="${this.box[3]}" viewBox="${this.box.join(" ")}">`); }
  save() {}
  restore() { this.parts.push("</svg>"); }

  static number(value) { return Math.round(value * 100) / 100; }

  /** A colour; its last two of eight digits are how opaque it is. */
  static ink(what, colour) {
    return colour.length < 9 ? `${what}="${colour}"` : `${what}="${colour.slice(0, 7)}" ${what}-opacity="${Sheet.number(parseInt(colour.slice(7), 16) / 255)}"`;
  }

  static escaped(text) {
    return String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
      .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  }
}
