internal import Formats
internal import Readings

/// What a report knows of one resource.
struct ReportedResource {
    /// A column of a series: what is drawn as one line.
    struct Column: Equatable, Sendable {
        let name: String
        /// The picture that it is a line of.
        let picture: String
        let unit: String
        let decimals: Int
        /// The number of its colour; lines of one picture have different ones.
        var colour = 0
    }

    /// The fields of a location that are drawn; all others are in the recording.
    private static let fields: [(field: String, column: Column)] = [
        ("speedMetersPerSecond", Column(name: "speed", picture: "speed", unit: "m/s", decimals: 2)),
        ("altitudeMeters", Column(name: "altitude", picture: "altitude", unit: "m", decimals: 1)),
        (
            "horizontalErrorMeters",
            Column(name: "horizontal", picture: "error (95 %)", unit: "m", decimals: 1)
        ),
        (
            "verticalErrorMeters",
            Column(name: "vertical", picture: "error (95 %)", unit: "m", decimals: 1, colour: 1)
        ),
        ("satellitesUsed", Column(name: "used", picture: "satellites", unit: "", decimals: 0)),
        ("satellitesVisible", Column(name: "visible", picture: "satellites", unit: "", decimals: 0, colour: 1)),
    ]
    private static let located = fields.compactMap { entry in
        LocationField.all.first { $0.name == entry.field }.map { (field: $0, column: entry.column) }
    }

    let name: ResourceName
    let kind: Kind
    let columns: [Column]
    private(set) var series: Series
    private(set) var path = Path()
    private(set) var bands = Bands()
    private(set) var statistics: [Statistics]
    /// The mean of rotations, whose numbers mean nothing one by one.
    private(set) var rotations: VectorMean?
    private(set) var spacings = Spacings()
    private(set) var spectrum: Spectrum?
    private(set) var sampleCount = 0
    /// Samples whose time was not later than that of the one before; they are counted and not drawn.
    private(set) var backwards = 0
    /// When the last sample was measured.
    private var last: Int64?
    /// The time during which samples came, without pauses, and their spacings then.
    private var measuredSeconds = 0.0
    private var steps = 0
    /// No line leads across a pause, here or in an exported path.
    private var usual = UsualSpacing()
    private var isInterrupted = true
    private var lastRotation = SIMD4(0.0, 0, 0, 1)
    private var openBand: Band?
    /// Since when a receiver has no position.
    private var lostSince: Int64?

    init(name: ResourceName, kind: Kind) {
        self.name = name
        self.kind = kind
        let row = kind.row
        switch row.form {
        case .location: columns = Self.located.map(\.column)
        case .orientation: columns = [Column(name: "edge", picture: row.wire, unit: "", decimals: 0)]
        case .values:
            // Each axis has a picture of its own: beside gravity on one of them, nothing would be seen of the others.
            columns = row.channels.enumerated().map { index, channel in
                Column(
                    name: channel.description, picture: row.channels.count == 1 ? row.wire : "\(row.wire) \(channel)",
                    unit: row.unit.symbol, decimals: row.unit.decimals, colour: index)
            }
        }
        // The fields of a location that are drawn, and numbers of edges, are numbers.
        let rule = if case .values = row.form { row.mean } else { KindRow.Mean.arithmetic }
        series = Series(columnCount: columns.count, isCircular: rule == .circular)
        statistics = Array(repeating: Statistics(rule), count: columns.count)
        if rule == .spherical { rotations = VectorMean(rule) }
        if case .values = row.form, row.frame == .device, row.reporting == .continuous {
            spectrum = Spectrum(columnCount: columns.count)
        }
    }

    /// Whether nothing is known of it.
    var isEmpty: Bool { sampleCount == 0 && bands.all.isEmpty && openBand == nil }
    /// How many numbers it keeps.
    var cost: Int { series.cost }
    /// Samples in a second, while they came; nil if there were no two.
    var rate: Double? { steps > 0 ? Double(steps) / measuredSeconds : nil }
    /// Whether a value holds until the next one.
    var isStepped: Bool { kind.row.reporting == .onChange }

    /// No line leads to the next sample; what is open ends.
    mutating func interrupt(at end: Int64) {
        closeBand(at: end)
        isInterrupted = true
        path.interrupt()
    }

    /// Adds a sample; returns by how much the cost grew.
    mutating func add(_ measurement: Measurement, at time: Int64) -> Int {
        sampleCount += 1
        if let last, time <= last {
            backwards += 1
            return 0
        }
        var breaks = isInterrupted
        if let last, !isInterrupted {
            let spacing = time - last
            breaks = usual.add(spacing) && !isStepped
            spacings.add(spacing)
            if !breaks {
                measuredSeconds += Double(spacing) / 1e9
                steps += 1
            }
        }
        let numbers = numbers(measurement, afterBreak: breaks)
        for column in columns.indices { statistics[column].add(numbers[column]) }
        // Nor does a line lead across a loss of position, also where points stand for several samples.
        var breaksLine = breaks
        if case .location(let location) = measurement {
            breaksLine = breaks || (lostSince != nil) != (location.fix == .noPosition)
            note(location, at: time)
            if breaks || location.latitudeDegrees == nil { path.interrupt() }
            if let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees {
                path.add(latitudeDegrees: latitude, longitudeDegrees: longitude, at: time)
            }
        }
        last = time
        isInterrupted = false
        spectrum?.add(numbers, at: time, breaks: breaks)
        let before = series.cost
        series.add(SIMD8<Float>(numbers), at: time, breaks: breaksLine)
        return series.cost - before
    }

    mutating func add(_ gap: Gap, _ cause: String, from: Int64, until: Int64) {
        let missing = Missing(inGap: gap.count)
        bands.add(Band(from: from, until: until, name: "gap", reason: cause, missing: missing))
        isInterrupted = true
        path.interrupt()
    }

    mutating func add(_ state: ResourceState, at time: Int64) {
        guard openBand?.name != state.name || openBand?.reason != state.reason ?? "" else { return }
        closeBand(at: time)
        guard state != .active else { return }
        openBand = Band(from: time, until: .max, name: state.name, reason: state.reason ?? "")
        guard state != .starting else { return }
        isInterrupted = true
        path.interrupt()
    }

    mutating func fold() { series.fold() }

    /// A receiver without a position is no gap and no state of its resource, but it has to be seen.
    private mutating func note(_ location: Location, at time: Int64) {
        let isLost = location.fix == .noPosition
        if isLost { lostSince = lostSince ?? time } else { closeLoss(at: time) }
    }

    private mutating func closeLoss(at time: Int64) {
        guard let from = lostSince else { return }
        lostSince = nil
        bands.add(Band(from: from, until: time, name: "no position", reason: ""))
    }

    /// Ends what is open.
    mutating func closeBand(at time: Int64) {
        closeLoss(at: time)
        guard var band = openBand else { return }
        openBand = nil
        band.until = max(band.from, time)
        bands.add(band)
    }

    /// The numbers of a measurement in the order of the columns; `nan` for what is unknown.
    private mutating func numbers(_ measurement: Measurement, afterBreak: Bool) -> SIMD8<Double> {
        var numbers = SIMD8<Double>(repeating: .nan)
        switch measurement {
        case .values(let values):
            let vector = rotations == nil ? values.vector : continued(values.vector, afterBreak: afterBreak)
            for channel in columns.indices { numbers[channel] = vector[channel] }
        case .location(let location):
            for (column, entry) in Self.located.enumerated() {
                numbers[column] = entry.field.value(of: location) ?? .nan
            }
        case .orientation(let orientation):
            numbers[0] = Double(Orientation.allCases.firstIndex(of: orientation) ?? 0)
        }
        return numbers
    }

    /// A rotation with the sign that is nearer to the one before, so that no line jumps where only the sign changes.
    private mutating func continued(_ vector: SIMD4<Double>, afterBreak: Bool) -> SIMD4<Double> {
        rotations?.add(vector)
        let reference = afterBreak ? SIMD4(0, 0, 0, 1) : lastRotation
        lastRotation = (vector * reference).sum() < 0 ? -vector : vector
        return lastRotation
    }
}
