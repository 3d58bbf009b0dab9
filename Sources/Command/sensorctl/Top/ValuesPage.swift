internal import BrokerClient
internal import Glibc
internal import Readings

/// The page of a resource with numbers: the last minute of each channel as a curve, and a spirit level if they have gravity, an
/// artificial horizon if they are a rotation, or a compass if they are a heading.
struct ValuesPage {
    let resource: TopResource
    let nowNanoseconds: Int64

    private static let colours: [Canvas.Look.Colour] = [.red, .green, .blue, .magenta]

    func draw(on canvas: inout Canvas, from top: Int, lines: Int) {
        guard resource.orientation == nil else { return drawOrientation(on: &canvas, top) }
        let names = resource.info.channels.prefix(4).map(\.name)
        guard !names.isEmpty else { return }
        let gauge = canvas.width >= 76 && lines >= 9 ? gauge : nil
        let width = canvas.width - (gauge == nil ? 0 : Gauges.width + 2)
        // The last line has the times.
        let each = max(1, (lines - 1) / names.count)
        for (channel, name) in names.enumerated() {
            let look = Canvas.Look(colour: Self.colours[channel])
            let title = names.count == 1 ? resource.info.kind : name
            ValuePlot(
                title: " " + title, unit: resource.unit, decimals: resource.decimals, look: look,
                history: resource.history, value: { $0[channel] }
            ).draw(
                on: &canvas, 0, top + channel * each, width: width, height: each, nowNanoseconds: nowNanoseconds)
        }
        drawTimes(on: &canvas, top + each * names.count, width)
        gauge?(&canvas, width + 1, top, min(lines, 11))
    }

    /// What draws the newest values beside the curves, at a column and a row, in so many rows.
    private var gauge: ((inout Canvas, Int, Int, Int) -> Void)? {
        let values = resource.newest.map(\.value)
        let kind = resource.kind
        if resource.hasGravity, values.count == 3 { return { drawLevel(on: &$0, $1, $2, rows: $3) } }
        if kind == .attitude || kind == .rotation, values.count == 4 {
            let rotation = SIMD4(values[0], values[1], values[2], values[3])
            return { HorizonGauge(rotation: rotation, hasNorth: kind == .rotation).draw(on: &$0, $1, $2, rows: $3) }
        }
        if kind == .heading || kind == .trueHeading, values.count == 1 {
            return { CompassGauge(degrees: values[0]).draw(on: &$0, $1, $2, rows: $3) }
        }
        return nil
    }

    private func drawTimes(on canvas: inout Canvas, _ row: Int, _ width: Int) {
        let plot = width - ValuePlot.margin
        guard plot > 20 else { return }
        canvas.put("-60 s", ValuePlot.margin, row, .faint)
        canvas.put("-30 s", ValuePlot.margin + plot / 2 - 2, row, .faint)
        canvas.put("now", endingAt: width, row, .faint)
    }

    private func drawOrientation(on canvas: inout Canvas, _ top: Int) {
        guard let orientation = resource.orientation else { return }
        let arrow = ["normal": "↑", "bottom-up": "↓", "left-up": "←", "right-up": "→"][orientation] ?? "·"
        canvas.put("  \(arrow)  \(orientation)", 0, top + 1, .bold)
        canvas.put("  which edge of the device is up; a reading comes when that changes", 0, top + 3, .faint)
    }

    /// A round level, as for a camera: the bubble goes to the side that is up.
    private func drawLevel(on canvas: inout Canvas, _ column: Int, _ row: Int, rows: Int) {
        let values = resource.newest.map(\.value)
        let bubble = Gauges.bubble(values[0], values[1], values[2])
        var dots = DotCanvas(columns: Gauges.width, rows: rows - 1)
        let radius = Double(min(dots.width, dots.height) - 2) / 2
        let (middleX, middleY) = (Double(dots.width) / 2, Double(dots.height) / 2)
        dots.circle(middleX, middleY, radius, .faint)
        dots.circle(middleX, middleY, radius / 6, .faint)
        let length = max(1, (bubble.right * bubble.right + bubble.up * bubble.up).squareRoot())
        let (x, y) = (middleX + bubble.right / length * radius, middleY - bubble.up / length * radius)
        let isLevel = Gauges.isLevel(bubble)
        for step in 0..<3 {
            dots.circle(x, y, Double(step), isLevel ? .good : Canvas.Look(colour: .yellow, isBold: true))
        }
        dots.draw(on: &canvas, column, row)
        canvas.put(Self.tilt(values), inGaugeAt: column, row + rows - 1)
    }

    /// The angles of the axes above the horizon: `x +1.2°  y -0.4°`.
    private static func tilt(_ values: [Double]) -> String {
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard length > 0 else { return "" }
        return zip(["x", "y"], values).map { axis, value in
            "\(axis) \(DecimalText.signed(asin(min(1, max(-1, value / length))) * 180 / .pi, decimals: 1))°"
        }.joined(separator: "  ")
    }
}
