internal import Glibc

/// How a device looks at the world, by its attitude: along its top edge, or along its back while the top edge points up or down, as a
/// bearing has it.
struct Horizon {
    /// What the vertical is along the directions ahead, to the right, and upwards as seen there.
    let ahead: Double
    let right: Double
    let up: Double
    /// The direction ahead, to the east and to the north.
    let east: Double
    let north: Double

    /// Of a rotation into axes whose third is the vertical, x y z w.
    init(_ rotation: SIMD4<Double>) {
        let (x, y, z, w) = (rotation.x, rotation.y, rotation.z, rotation.w)
        right = 2 * (x * z - w * y)
        let (edge, face) = (2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
        if abs(edge) <= 0.5.squareRoot() {
            (ahead, up) = (edge, face)
            (east, north) = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z))
        } else {
            (ahead, up) = (-face, edge)
            (east, north) = (-2 * (x * z + w * y), -2 * (y * z - w * x))
        }
    }

    /// How far above the horizon it looks, in degrees.
    var pitch: Double { asin(min(1, max(-1, ahead))) * 180 / .pi }
    /// How far its right side is down, in degrees.
    var roll: Double { atan2(-right, up) * 180 / .pi }
    /// Where it looks, clockwise from north in degrees.
    var bearing: Double {
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    /// How far above the horizon a point of the picture is, in halves of its height; the picture is 60° high.
    func height(_ right: Double, _ up: Double) -> Double {
        let slope = (self.right * self.right + self.up * self.up).squareRoot()
        return (right * self.right + up * self.up + ahead * 3.squareRoot()) / max(slope, 1e-6)
    }
}

/// An artificial horizon: the line of the horizon, and dots on the ground.
struct HorizonGauge {
    let rotation: SIMD4<Double>
    /// Whether its axes are east, north and up, so that it has a bearing.
    let hasNorth: Bool

    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int, rows: Int) {
        let horizon = Horizon(rotation)
        let texts = hasNorth ? 2 : 1
        var dots = DotCanvas(columns: Gauges.width, rows: rows - texts)
        let half = Double(dots.height) / 2
        for y in 0..<dots.height {
            for x in 0..<dots.width {
                let right = (Double(x) + 0.5 - Double(dots.width) / 2) / half
                let height = horizon.height(right, 1 - (Double(y) + 0.5) / half) * half
                if abs(height) < 0.7 {
                    dots.set(x, y, .accent)
                } else if height < 0, (x + y) % 4 == 0, y % 2 == 0 {
                    dots.set(x, y, Canvas.Look(colour: .green, isFaint: true))
                }
            }
        }
        dots.draw(on: &canvas, column, row)
        canvas.put("──●──", column + Gauges.width / 2 - 2, row + (rows - texts) / 2, .bold)
        func signed(_ degrees: Double) -> String { DecimalText.signed(degrees, decimals: 0) + "°" }
        let angles = "pitch \(signed(horizon.pitch))  roll \(signed(horizon.roll))"
        canvas.put(angles, inGaugeAt: column, row + rows - texts)
        if hasNorth { canvas.put(CompassGauge.words(horizon.bearing), inGaugeAt: column, row + rows - 1) }
    }
}

/// A compass whose north is up: a line to where the device looks.
struct CompassGauge {
    let degrees: Double

    /// `123° SE`.
    static func words(_ degrees: Double) -> String {
        DecimalText.fixed(degrees.rounded().truncatingRemainder(dividingBy: 360), decimals: 0) + "° "
            + Gauges.compass(degrees)
    }

    func draw(on canvas: inout Canvas, _ column: Int, _ row: Int, rows: Int) {
        var dots = DotCanvas(columns: Gauges.width, rows: rows - 1)
        let radius = Double(min(dots.width, dots.height) - 3) / 2
        let (x, y) = (Double(dots.width - 1) / 2, Double(dots.height - 1) / 2)
        dots.circle(x, y, radius, .faint)
        let radians = degrees * .pi / 180
        func point(_ part: Double) -> (x: Int, y: Int) {
            (
                Int(exactly: (x + radius * part * sin(radians)).rounded()) ?? 0,
                Int(exactly: (y - radius * part * cos(radians)).rounded()) ?? 0
            )
        }
        dots.line(point(-0.4), point(0), .faint)
        dots.line(point(0), point(0.85), Canvas.Look(colour: .yellow, isBold: true))
        dots.draw(on: &canvas, column, row)
        canvas.putCompass(column, row, columns: Gauges.width, rows: rows - 1, radius)
        canvas.put(Self.words(degrees), inGaugeAt: column, row + rows - 1)
    }
}
