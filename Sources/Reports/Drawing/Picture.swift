internal import Glibc
internal import Readings

/// One picture of a resource.
struct Picture {
    private enum Content {
        case track
        case lines([Int])
        case spectrum([[Double]], stepHertz: Double)
        /// How often samples came, around the usual rate.
        case rate(Double)
        /// The times between samples.
        case intervals
    }

    let name: String
    let unit: String
    let height: Double
    let legend: [(label: String, colour: Int)]
    private let resource: ReportedResource
    private let content: Content

    /// The pictures of a resource, in the order of the page.
    static func all(_ resource: ReportedResource) -> [Self] {
        var all: [Self] = []
        if !resource.path.points.isEmpty {
            all.append(Self("track", "", 420, [], resource, .track))
        }
        var seen: Set<String> = []
        for name in resource.columns.map(\.picture) where seen.insert(name).inserted {
            let columns = resource.columns.indices.filter {
                resource.columns[$0].picture == name && resource.statistics[$0].count > 0
            }
            guard let first = columns.first else { continue }
            let legend = columns.map { (resource.columns[$0].name, resource.columns[$0].colour) }
            let isAxis = columns.count == 1 && resource.columns.count > 1
            all.append(Self(name, resource.columns[first].unit, isAxis ? 110 : 150, legend, resource, .lines(columns)))
        }
        if let spectrum = resource.spectrum?.result {
            let legend = resource.columns.map { ($0.name, $0.colour) }
            let unit = resource.columns[0].unit + "/√Hz"
            all.append(
                Self(
                    "spectrum", unit, 190, legend, resource,
                    .spectrum(spectrum.densities, stepHertz: spectrum.stepHertz)))
        }
        if let rate = resource.rate {
            all.append(Self("rate", "Hz", 84, [], resource, .rate(rate)))
            all.append(Self("interval (jitter)", "ms", 84, [], resource, .intervals))
        }
        return all
    }

    private init(
        _ name: String, _ unit: String, _ height: Double, _ legend: [(String, Int)], _ resource: ReportedResource,
        _ content: Content
    ) {
        self.name = "\(resource.name) \(name)"
        (self.unit, self.height, self.legend, self.resource, self.content) = (unit, height, legend, resource, content)
    }

    func draw(_ frame: Frame, _ canvas: inout SVGCanvas) {
        let chart = TimeChart(resource: resource, frame: frame, height: height)
        switch content {
        case .track: drawTrack(&canvas)
        case .lines(let columns): drawLines(columns, chart, &canvas)
        case .rate(let usual): drawRate(usual, chart, &canvas)
        case .intervals: drawIntervals(chart, &canvas)
        case .spectrum(let densities, let step): drawSpectrum(densities, step, &canvas)
        }
    }

    // MARK: Over time

    private func drawLines(_ columns: [Int], _ chart: TimeChart, _ canvas: inout SVGCanvas) {
        let series = resource.series
        let parts = series.samplesPerEntry == 1 ? 1 : 2
        let lines = columns.map { column in
            let pieces = chart.pieces(isStepped: resource.isStepped) { entry in
                let place = entry * series.width + column * parts
                return (Double(series.numbers[place]), Double(series.numbers[place + parts - 1]))
            }
            return (pieces, resource.columns[column].colour)
        }
        let lowest = columns.map { resource.statistics[$0].least }.min() ?? 0
        let highest = columns.map { resource.statistics[$0].greatest }.max() ?? 1
        chart.draw(lines, within: (lowest, highest), labels: labels, &canvas)
    }

    private func drawIntervals(_ chart: TimeChart, _ canvas: inout SVGCanvas) {
        let series = resource.series
        let pieces = chart.pieces(isStepped: false) { entry in
            let values = series.spacing(entry)
            return (Double(values.low) * 1e3, Double(values.high) * 1e3)
        }
        let values = pieces.joined().map(\.value)
        chart.draw([(pieces, 2)], within: (values.min() ?? 0, values.max() ?? 1), labels: nil, &canvas)
    }

    private func drawRate(_ usual: Double, _ chart: TimeChart, _ canvas: inout SVGCanvas) {
        let rates = chart.rates(usual: usual)
        let highest = max(usual, rates.map(\.value).max() ?? 0) * 1.08
        chart.draw([([rates], 3)], between: (0, highest), labels: nil, &canvas)
    }

    /// The names of values that are no numbers.
    private var labels: [(value: Double, text: String)]? {
        guard case .orientation = resource.kind.row.form else { return nil }
        return Orientation.allCases.enumerated().map { (Double($0.offset), $0.element.rawValue) }
    }

    // MARK: Spectrum

    private func drawSpectrum(_ densities: [[Double]], _ step: Double, _ canvas: inout SVGCanvas) {
        let bottom = height - Frame.bottom
        let (from, to) = (step, step * Double(densities[0].count))
        let known = densities.joined().filter { $0 > 0 && $0.isFinite }
        let (least, greatest) = ((known.min() ?? 0.1) / 1.3, (known.max() ?? 1) * 1.3)
        func x(_ hertz: Double) -> Double {
            Frame.left + log(hertz / from) / log(to / from) * (Frame.width - Frame.left - Frame.right)
        }
        func y(_ density: Double) -> Double { 6 + log(greatest / density) / log(greatest / least) * (bottom - 6) }
        for mark in Axis(logarithmicFrom: from, to: to, most: 12).marks {
            canvas.lines([[(x(mark.value), 6), (x(mark.value), bottom)]], stroke: SVGCanvas.grid, width: 1)
            canvas.text(
                "\(mark.text) Hz", x: min(x(mark.value), 970), y: bottom + 14, anchor: "middle", colour: SVGCanvas.faint
            )
        }
        for mark in Axis(logarithmicFrom: least, to: greatest, most: 6).marks {
            canvas.lines(
                [[(Frame.left, y(mark.value)), (Frame.width - Frame.right, y(mark.value))]], stroke: SVGCanvas.grid,
                width: 1)
            canvas.text(mark.text, x: Frame.left - 6, y: y(mark.value) + 4, anchor: "end", colour: SVGCanvas.faint)
        }
        for (column, numbers) in densities.enumerated() {
            let points = numbers.indices.dropFirst().map { (x(Double($0) * step), y(max(least, numbers[$0]))) }
            canvas.lines([points], stroke: SVGCanvas.colour(resource.columns[column].colour))
        }
    }

    // MARK: Track

    /// Where the track was, as seen from above; north is up.
    private func drawTrack(_ canvas: inout SVGCanvas) {
        let points = resource.path.points
        var turn = 0.0
        var longitudes: [Double] = []
        for (place, point) in points.enumerated() {
            if place > 0 {
                let before = points[place - 1].longitudeDegrees
                // A track across the antimeridian stays in one piece.
                if point.longitudeDegrees - before > 180 { turn -= 360 }
                if before - point.longitudeDegrees > 180 { turn += 360 }
            }
            longitudes.append(point.longitudeDegrees + turn)
        }
        let latitudes = points.map(\.latitudeDegrees)
        let (west, east) = (longitudes.min() ?? 0, longitudes.max() ?? 0)
        let (south, north) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
        let degree = Double.pi / 180 * 6_371_008.8
        let narrow = max(0.001, cos((south + north) / 2 * .pi / 180))
        let (width, tall) = (max(1, (east - west) * degree * narrow), max(1, (north - south) * degree))
        let scale = min((Frame.width - 48) / width, (height - 48) / tall)
        func place(_ index: Int) -> (x: Double, y: Double) {
            (
                Frame.width / 2 + (longitudes[index] - (west + east) / 2) * degree * narrow * scale,
                height / 2 - (latitudes[index] - (south + north) / 2) * degree * scale
            )
        }
        var pieces: [[(x: Double, y: Double)]] = []
        for index in points.indices {
            if points[index].isBroken || pieces.isEmpty { pieces.append([]) }
            let next = place(index)
            // Less than a tenth of a pixel makes no difference.
            if let last = pieces[pieces.count - 1].last, abs(last.x - next.x) + abs(last.y - next.y) < 0.1 { continue }
            pieces[pieces.count - 1].append(next)
        }
        canvas.lines(pieces, stroke: SVGCanvas.colour(0), width: 2)
        canvas.dot(place(0).x, place(0).y, radius: 5, fill: SVGCanvas.colour(1))
        canvas.dot(place(points.count - 1).x, place(points.count - 1).y, radius: 5, fill: SVGCanvas.colour(3))
        let meters = Axis.step(Frame.width / scale, 6)
        let (length, bottom) = (meters * scale, height - 12)
        canvas.lines(
            [[(16, bottom - 5), (16, bottom), (16 + length, bottom), (16 + length, bottom - 5)]],
            stroke: SVGCanvas.faint, width: 1)
        let text = meters >= 1_000 ? "\(NumberText.digits(meters / 1_000)) km" : "\(NumberText.digits(meters)) m"
        canvas.text(text, x: 16 + length / 2, y: bottom - 4, anchor: "middle", colour: SVGCanvas.faint)
        canvas.text("N ↑", x: Frame.width - 24, y: 16, anchor: "middle", colour: SVGCanvas.faint)
    }
}
