internal import Formats

/// An SVG document that grows downwards.
struct SVGCanvas {
    static let faint = "#6d7178"
    static let grid = "#e3e4e6"
    private static let colours = ["#c8402f", "#2b8a4b", "#2f6fd6", "#8a4fbf"]

    private let width: Double
    private var top = 0.0
    private var body = ""

    init(width: Double) { self.width = width }

    /// The colour of a line.
    static func colour(_ number: Int) -> String { colours[number % colours.count] }

    /// What is drawn from here on stands lower by so much.
    mutating func move(_ height: Double) { top += height }

    mutating func text(
        _ text: String, x: Double, y: Double, size: Int = 11, anchor: String = "start", colour: String = "#1c1d1f",
        isBold: Bool = false
    ) {
        let weight = isBold ? " font-weight=\"bold\"" : ""
        body +=
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(top + y))\" font-size=\"\(size)\" text-anchor=\"\(anchor)\" "
            + "fill=\"\(colour)\"\(weight)>\(XMLText.escaped(text))</text>\n"
    }

    mutating func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String, opacity: Double = 1) {
        body +=
            "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(top + y))\" width=\"\(Self.number(width))\" "
            + "height=\"\(Self.number(height))\" fill=\"\(fill)\" fill-opacity=\"\(Self.number(opacity))\"/>\n"
    }

    mutating func dot(_ x: Double, _ y: Double, radius: Double, fill: String) {
        body +=
            "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(top + y))\" r=\"\(Self.number(radius))\" fill=\"\(fill)\"/>\n"
    }

    /// Lines; each piece is drawn in one stroke.
    mutating func lines(_ pieces: [[(x: Double, y: Double)]], stroke: String, width: Double = 1.25) {
        let path = pieces.filter { !$0.isEmpty }.map { piece in
            let points = piece.map { "\(Self.number($0.x)) \(Self.number(top + $0.y))" }
            // A single point is a dot, which round ends show.
            return "M" + (points.count == 1 ? [points[0], points[0]] : points).joined(separator: "L")
        }.joined()
        guard !path.isEmpty else { return }
        body +=
            "<path d=\"\(path)\" fill=\"none\" stroke=\"\(stroke)\" stroke-width=\"\(Self.number(width))\" "
            + "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
    }

    /// The whole document.
    var document: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))" height="\(Self.number(top))" \
        viewBox="0 0 \(Self.number(width)) \(Self.number(top))" font-family="sans-serif">
        <rect width="100%" height="100%" fill="#fcfcfb"/>
        \(body)</svg>

        """
    }

    private static func number(_ value: Double) -> String { NumberText.fixed(value, 2) }
}
