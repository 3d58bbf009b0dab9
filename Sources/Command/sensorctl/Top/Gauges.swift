internal import Readings

/// Small pictures in a line of text.
enum Gauges {
    /// A piece of a line.
    typealias Piece = (text: String, look: Canvas.Look)

    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// The columns of a large one, beside curves.
    static let width = 24

    /// Differences below this are not worth showing of values with so many decimals.
    static func least(decimals: Int) -> Double { (0..<decimals).reduce(10.0) { size, _ in size / 10 } }

    /// A bar for each part, between the smallest and the largest value; a blank for a part without values.
    ///
    /// Differences below `least` are not worth showing.
    static func sparkline(_ parts: [ClosedRange<Double>?], least: Double) -> String {
        let known = parts.compactMap { $0.map { ($0.lowerBound + $0.upperBound) / 2 } }
        guard let low = known.min(), let high = known.max() else { return String(repeating: " ", count: parts.count) }
        let span = max(high - low, least)
        let begin = (low + high - span) / 2
        return String(
            parts.map { part in
                guard let part else { return " " }
                return bar((((part.lowerBound + part.upperBound) / 2) - begin) / span)
            })
    }

    /// A bar whose height is a part of 1.
    static func bar(_ part: Double) -> Character {
        bars[min(bars.count - 1, max(0, Int(exactly: (part * Double(bars.count)).rounded(.down)) ?? 0))]
    }

    /// The bubble of a spirit level in one line: left and right by the cell, up and down by the row of dots.
    ///
    /// It moves as a bubble does: towards the side that is up. `x` and `y` are accelerations; the scale ends at 30°.
    static func level(x: Double, y: Double, z: Double, width: Int) -> [Piece] {
        guard width >= 5 else { return [] }
        let inner = width - 2
        let (right, up) = bubble(x, y, z)
        let column = cell(right, inner)
        let row = cell(-up, 4)
        let isLevel = isLevel((right, up))
        let dots = ["⠉", "⠒", "⠤", "⣀"][row]
        let middle = inner / 2
        var pieces: [Piece] = [("(", .faint)]
        for cell in 0..<inner {
            if cell == column {
                pieces.append((isLevel ? "●" : dots, isLevel ? .good : Canvas.Look(colour: .yellow, isBold: true)))
            } else {
                pieces.append((cell == middle ? "·" : " ", .faint))
            }
        }
        return pieces + [(")", .faint)]
    }

    /// Where a bubble is, from -1 to 1 to the right and up: the axes of a device that lies on its back, tilted by up to 30°.
    static func bubble(_ x: Double, _ y: Double, _ z: Double) -> (right: Double, up: Double) {
        let length = (x * x + y * y + z * z).squareRoot()
        guard length > 0 else { return (0, 0) }
        // The sine of the angle at which the scale ends.
        func part(_ value: Double) -> Double { min(1, max(-1, value / length / 0.5)) }
        return (part(x), part(y))
    }

    /// Whether a bubble is in the middle, within a degree.
    static func isLevel(_ bubble: (right: Double, up: Double)) -> Bool {
        abs(bubble.right) < 1.0 / 30 && abs(bubble.up) < 1.0 / 30
    }

    private static func cell(_ part: Double, _ count: Int) -> Int {
        min(count - 1, max(0, Int(exactly: ((part + 1) / 2 * Double(count)).rounded(.down)) ?? 0))
    }

    /// A bar for each satellite that is received, strongest first: of those in use in colour.
    static func signals(_ satellites: [Satellite], width: Int) -> [Piece] {
        satellites.filter { $0.signalDecibelHertz ?? 0 > 0 }
            .sorted {
                ($0.isUsed ? 0 : 1, $1.signalDecibelHertz ?? 0) < ($1.isUsed ? 0 : 1, $0.signalDecibelHertz ?? 0)
            }
            .prefix(width)
            .map { satellite in
                (String(bar((satellite.signalDecibelHertz ?? 0) / 52)), satellite.isUsed ? look(satellite) : .faint)
            }
    }

    /// Colours as of a traffic light: 40 dB-Hz is good, below 25 the signal is hardly usable.
    static func look(_ satellite: Satellite) -> Canvas.Look {
        switch satellite.signalDecibelHertz ?? 0 {
        case 35...: .good
        case 25..<35: .warning
        default: Canvas.Look(colour: .red)
        }
    }

    /// A way on a map of one line.
    static func track(_ positions: [(latitude: Double, longitude: Double)], width: Int) -> String {
        var dots = DotCanvas(columns: width, rows: 1)
        TrackMap(positions)?.draw(on: &dots, .plain)
        return dots.text
    }

    /// An arrow to a direction, clockwise from north.
    static func arrow(_ degrees: Double) -> String { eighth(["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"], degrees) }

    /// The point of the compass.
    static func compass(_ degrees: Double) -> String { eighth(["N", "NE", "E", "SE", "S", "SW", "W", "NW"], degrees) }

    /// The word for the nearest of the eight directions.
    private static func eighth(_ words: [String], _ degrees: Double) -> String {
        let eighth = Int(exactly: (degrees / 45).rounded()) ?? 0
        return words[((eighth % 8) + 8) % 8]
    }
}

extension Canvas {
    /// Writes a text into the middle of a large gauge's columns.
    mutating func put(_ text: String, inGaugeAt column: Int, _ row: Int) {
        put(text, column + max(0, (Gauges.width - text.count) / 2), row, .bold)
    }
}
