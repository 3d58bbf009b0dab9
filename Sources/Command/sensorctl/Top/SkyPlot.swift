internal import Glibc
internal import Readings

extension DotCanvas {
    /// A circle about a point, in dots.
    mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ look: Canvas.Look) {
        let steps = max(8, Int(exactly: (radius * 7).rounded()) ?? 8)
        for step in 0..<steps {
            let angle = 2 * Double.pi * Double(step) / Double(steps)
            set(
                Int(exactly: (x + radius * sin(angle)).rounded()) ?? 0,
                Int(exactly: (y - radius * cos(angle)).rounded()) ?? 0, look)
        }
    }
}

extension Canvas {
    /// Writes the points of the compass around a circle of dots in the middle of so many cells.
    mutating func putCompass(_ column: Int, _ row: Int, columns: Int, rows: Int, _ radius: Double) {
        let (middle, across) = (column + columns / 2, Int(exactly: (radius / 2).rounded()) ?? 0)
        put("N", middle, row, .bold)
        put("S", middle, row + rows - 1, .bold)
        put("W", middle - across, row + rows / 2, .bold)
        put("E", middle + across, row + rows / 2, .bold)
    }
}

/// A map of the sky with its satellites: north is up, east is
/// to the right, the horizon is the outer circle, and the zenith is the middle.
struct SkyPlot {
    let satellites: [Satellite]

    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int, columns: Int, rows: Int) {
        guard columns >= 11, rows >= 6 else { return }
        var dots = DotCanvas(columns: columns, rows: rows)
        let radius = Double(min(dots.width, dots.height) - 3) / 2
        let (x, y) = (Double(dots.width - 1) / 2, Double(dots.height - 1) / 2)
        // The horizon, and 30° and 60° above it.
        for part in [1.0, 2.0 / 3, 1.0 / 3] { dots.circle(x, y, radius * part, .faint) }
        dots.draw(on: &canvas, column, row)
        canvas.putCompass(column, row, columns: columns, rows: rows, radius)
        // Those in use on top, and of two at one point the stronger.
        for satellite in satellites.sorted(by: {
            ($0.isUsed ? 1 : 0, $0.signalDecibelHertz ?? 0) < ($1.isUsed ? 1 : 0, $1.signalDecibelHertz ?? 0)
        }) {
            draw(satellite, on: &canvas, column, row, (x, y), radius)
        }
    }

    private func draw(
        _ satellite: Satellite, on canvas: inout Canvas, _ column: Int, _ row: Int, _ middle: (x: Double, y: Double),
        _ radius: Double
    ) {
        guard let elevation = satellite.elevationDegrees, let azimuth = satellite.azimuthDegrees, elevation >= 0 else {
            return
        }
        let distance = radius * (90 - elevation) / 90
        let x = middle.x + distance * sin(azimuth * .pi / 180)
        let y = middle.y - distance * cos(azimuth * .pi / 180)
        let name = SatelliteName.short(satellite)
        let place = (Int(exactly: (x / 2).rounded(.down)) ?? 0, Int(exactly: (y / 4).rounded(.down)) ?? 0)
        let look = satellite.isUsed ? Canvas.Look(colour: Gauges.look(satellite).colour, isBold: true) : .faint
        canvas.put(name, column + place.0 - name.count / 2, row + place.1, look)
    }
}

/// The usual short names of satellites: `G12`, `E4`.
enum SatelliteName {
    private static let letters: [Satellite.System: String] = [
        .gps: "G", .sbas: "S", .galileo: "E", .beidou: "C", .imes: "I", .qzss: "J", .glonass: "R", .navic: "I",
    ]

    static func short(_ satellite: Satellite) -> String {
        guard let letter = satellite.system.flatMap({ letters[$0] }), let number = satellite.systemNumber else {
            return "\(satellite.prn)"
        }
        return "\(letter)\(number)"
    }
}
