internal import Readings

/// Lines over time, with gaps and states as bands behind them.
struct TimeChart {
    /// The points of a line that a pen draws in one go.
    typealias Piece = [(x: Double, value: Double)]

    private static let top = 6.0

    let resource: ReportedResource
    let frame: Frame
    let height: Double

    private var bottom: Double { height - Frame.bottom }

    /// Draws lines, each with the number of its colour, with some room around their extremes.
    func draw(
        _ lines: [(pieces: [Piece], colour: Int)], within extremes: (least: Double, greatest: Double),
        labels: [(value: Double, text: String)]?, _ canvas: inout SVGCanvas
    ) {
        let span = extremes.greatest - extremes.least
        let room = span > 0 ? span * 0.06 : max(abs(extremes.greatest) * 0.01, 1e-9)
        draw(lines, between: (extremes.least - room, extremes.greatest + room), labels: labels, &canvas)
    }

    /// Draws lines on an axis that has these ends.
    func draw(
        _ lines: [(pieces: [Piece], colour: Int)], between ends: (least: Double, greatest: Double),
        labels: [(value: Double, text: String)]?, _ canvas: inout SVGCanvas
    ) {
        func y(_ value: Double) -> Double {
            Self.top + (ends.greatest - value) / (ends.greatest - ends.least) * (bottom - Self.top)
        }
        drawBands(&canvas)
        drawTimes(&canvas)
        let values = labels ?? Axis(from: ends.least, to: ends.greatest, most: max(3, Int(clamping: bottom / 22))).marks
        canvas.lines(
            values.map { [(Frame.left, y($0.value)), (Frame.width - Frame.right, y($0.value))] },
            stroke: SVGCanvas.grid, width: 1)
        for mark in values {
            canvas.text(mark.text, x: Frame.left - 6, y: y(mark.value) + 4, anchor: "end", colour: SVGCanvas.faint)
        }
        for line in lines {
            canvas.lines(
                line.pieces.map { $0.map { ($0.x, y($0.value)) } }, stroke: SVGCanvas.colour(line.colour))
        }
    }

    private func drawBands(_ canvas: inout SVGCanvas) {
        for band in resource.bands.all {
            let (left, right) = (frame.x(Double(band.from) / 1e9), frame.x(Double(band.until) / 1e9))
            canvas.box(
                min(left, Frame.width - Frame.right - 2), Self.top, max(2, right - left), bottom - Self.top,
                fill: band.name == "gap" ? "#d9342b" : "#d8a014", opacity: 0.25)
        }
    }

    private func drawTimes(_ canvas: inout SVGCanvas) {
        let times = Axis(from: frame.from, to: frame.to, most: 8, utcSeconds: frame.utcSeconds)
        canvas.lines(
            times.marks.map { [(frame.x($0.value), Self.top), (frame.x($0.value), bottom)] }, stroke: SVGCanvas.grid,
            width: 1)
        for mark in times.marks {
            canvas.text(
                mark.text, x: min(frame.x(mark.value), 970), y: bottom + 14, anchor: "middle", colour: SVGCanvas.faint)
        }
    }

    /// The extremes of what entries have in each pixel, as lines that end where there is a gap.
    func pieces(isStepped: Bool, _ extremes: (Int) -> (low: Double, high: Double)) -> [Piece] {
        let series = resource.series
        var pieces: [Piece] = []
        var piece: Piece = []
        var pixel: (x: Double, first: Double, least: Double, greatest: Double, last: Double)?
        func endPixel() {
            guard let done = pixel else { return }
            // In the order in which a pen would have drawn them, as far as that is known.
            let middle = done.first < done.last ? [done.least, done.greatest] : [done.greatest, done.least]
            for value in [done.first] + middle + [done.last] where piece.last?.x != done.x || piece.last?.value != value
            {
                piece.append((done.x, value))
            }
            pixel = nil
        }
        for entry in 0..<series.count {
            let (low, high) = extremes(entry)
            if series.breaks[entry] || !low.isFinite || !high.isFinite {
                endPixel()
                if !piece.isEmpty { pieces.append(piece) }
                piece = []
            }
            guard low.isFinite, high.isFinite else { continue }
            let x = (frame.x(Double(series.times[entry]) / 1e9) * 2).rounded() / 2
            if let old = pixel, old.x == x {
                pixel = (x, old.first, min(old.least, low), max(old.greatest, high), high)
            } else {
                endPixel()
                if isStepped, let before = piece.last { piece.append((x, before.value)) }
                pixel = (x, low, low, high, high)
            }
        }
        endPixel()
        return pieces + [piece]
    }

    /// How often samples came, in pieces of time with some ten samples each and of at least two pixels, as in `RateChart` of the page.
    func rates(usual: Double) -> Piece {
        let series = resource.series
        guard let first = series.times.first, let last = series.times.last else { return [] }
        let width = max((frame.to - frame.from) * 2 / (Frame.width - Frame.left - Frame.right), 10 / usual)
        // Boundaries lie between even samples.
        let (start, end) = (Double(first) / 1e9 - 0.5 / usual, Double(last) / 1e9 + 0.5 / usual)
        var rates: Piece = []
        var (from, entry) = (start, 0)
        while from < end, min(end, from + width) - from >= width / 2 {
            let until = min(end, from + width)
            var count = 0
            while entry < series.count, Double(series.times[entry]) / 1e9 < until {
                (entry, count) = (entry + 1, count + series.samplesPerEntry)
            }
            let rate = Double(count) / (until - from)
            rates += [(frame.x(max(from, frame.from)), rate), (frame.x(min(until, frame.to)), rate)]
            from += width
        }
        return rates
    }
}
