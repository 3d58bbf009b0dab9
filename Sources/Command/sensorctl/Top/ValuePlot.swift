/// The curve of one channel over the last minute, with the ends of its scale.
struct ValuePlot {
    let title: String
    let unit: String
    let decimals: Int
    let look: Canvas.Look
    let history: History
    let value: (SIMD4<Double>) -> Double

    /// Columns for the numbers of the scale.
    static let margin = 11

    /// Draws into a rectangle: title and newest value in the first line, the curve below.
    func draw(
        on canvas: inout Canvas, _ column: Int, _ row: Int, width: Int, height: Int, nowNanoseconds now: Int64
    ) {
        guard height >= 2, width > Self.margin + 4 else { return drawValue(on: &canvas, column, row) }
        drawValue(on: &canvas, column, row)
        var dots = DotCanvas(columns: width - Self.margin, rows: height - 1)
        let parts = history.extremes(dots.width, until: now, value)
        let known = parts.compactMap { $0 }
        guard let low = known.map(\.lowerBound).min(), let high = known.map(\.upperBound).max() else {
            canvas.put("no values yet", column + Self.margin, row + height / 2, .faint)
            return
        }
        let span = max(high - low, Gauges.least(decimals: decimals))
        let begin = (low + high - span) / 2
        draw(parts, breaks(dots.width, now), on: &dots, begin, span)
        // The middle and the ends of the scale, behind the curve.
        for (part, line) in [(1.0, row + 1), (0.0, row + height - 1)] where height > 2 || part == 0 {
            canvas.put(
                TopText.number(begin + span * part, decimals, isSigned: true), endingAt: column + Self.margin - 1, line,
                .faint)
        }
        for line in 0..<(height - 1) { canvas.put("│", column + Self.margin - 1, row + 1 + line, .faint) }
        dots.draw(on: &canvas, column + Self.margin, row + 1)
    }

    private func drawValue(on canvas: inout Canvas, _ column: Int, _ row: Int) {
        let end = canvas.put(title, column, row, Canvas.Look(colour: look.colour, isBold: true))
        guard let newest = history.points.last.map({ value($0.values) }), newest.isFinite else { return }
        let text = TopText.number(newest, decimals, isSigned: true).rightAligned(
            to: max(1, Self.margin + 1 - (end - column)))
        canvas.put(" \(text) \(unit)", end, row, .bold)
    }

    /// What came often enough to fill the columns is drawn as the range of each; else the points are joined, but not across a
    /// gap.
    private func draw(
        _ parts: [ClosedRange<Double>?], _ breaks: Set<Int>, on dots: inout DotCanvas, _ begin: Double, _ span: Double
    ) {
        func line(_ value: Double) -> Int {
            let most = Double(dots.height - 1)
            return Int(exactly: (most - (value - begin) / span * most).rounded()) ?? 0
        }
        var former: (x: Int, y: Int)?
        for (x, part) in parts.enumerated() {
            if breaks.contains(x) { former = nil }
            guard let part else { continue }
            let (top, bottom) = (line(part.upperBound), line(part.lowerBound))
            let near = former.map { abs($0.y - top) < abs($0.y - bottom) ? top : bottom }
            if let former, let near { dots.line(former, (x, near), look) }
            dots.line((x, top), (x, bottom), look)
            former = (x, near == top ? bottom : top)
        }
    }

    /// The columns before which something is missing.
    private func breaks(_ count: Int, _ now: Int64) -> Set<Int> {
        Set(
            history.points.filter(\.isAfterGap).compactMap {
                History.part(of: $0, count, History.spanNanoseconds, now)
            })
    }
}
