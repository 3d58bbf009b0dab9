internal import BrokerClient
internal import Printable
internal import Readings

/// A resource as `top` knows it: the broker's description, and what follows from its readings.
struct TopResource: Identifiable {
    /// The longest track that is drawn.
    private static let mostPositions = 2_000

    private(set) var info: Resource
    private(set) var meter = RateMeter()
    /// The channels' values; of a location, its speed.
    private(set) var history = History()
    /// The newest values, by channel.
    private(set) var newest: [(name: String, value: Double)] = []
    private(set) var location: Location?
    private(set) var orientation: String?
    /// Where it has been, oldest first.
    private(set) var track: [(latitude: Double, longitude: Double)] = []
    private(set) var newestNanoseconds: Int64?
    private(set) var grant: Grant?
    private var pace: Int64?
    /// Readings that this program did not get.
    private(set) var missed: Int64 = 0
    /// Its device by the administrator's interface.
    var device: BrokerStatus.Device?
    /// Other clients that get it; nil: unknown.
    var users: Int?
    /// The samples a second by the broker's own count, for devices of which few samples are sent.
    var countedHertz: Double?

    init(_ info: Resource) { self.info = info }

    var name: String { info.name }

    var id: String { name }

    var kind: Kind? { Kind(wire: info.kind) }

    /// Digits after the decimal point that are worth printing.
    var decimals: Int { kind?.row.unit.decimals ?? 3 }

    var unit: String { (info.channels.first?.unit ?? "").printable }

    /// Takes its description, after a change of its state or its device.
    mutating func take(_ info: Resource) {
        let isOther = info.state != self.info.state
        self.info = info
        if let interval = info.deviceIntervalNanoseconds { changePace(interval) }
        if isOther, info.state != "active" { interrupt() }
    }

    /// Something is missing from here on.
    mutating func interrupt() {
        history.interrupt()
        meter.restart()
    }

    mutating func take(_ grant: Grant) {
        self.grant = grant
        changePace(grant.deviceIntervalNanoseconds)
    }

    /// The device measures at another pace from here on: before and after must not be mixed.
    private mutating func changePace(_ interval: Int64?) {
        if interval != pace { meter.restart() }
        pace = interval
    }

    mutating func take(_ gap: BrokerClient.Gap) {
        missed = missed.addingReportingOverflow(gap.count ?? 1).partialValue
        history.interrupt()
    }

    mutating func take(_ reading: Reading) {
        meter.take(sequence: reading.sequence, atNanoseconds: reading.timestampNanoseconds)
        switch reading.content {
        case .values(let columns):
            for row in 0..<columns.count {
                let numbers = columns.numbers(row)
                var values = SIMD4<Double>(repeating: .nan)
                for (channel, number) in numbers.prefix(4).enumerated() { values[channel] = number }
                history.take(values, atNanoseconds: columns.timestampsNanoseconds[row])
                newest = Array(zip(columns.names, numbers))
            }
            newestNanoseconds = columns.timestampsNanoseconds.last ?? newestNanoseconds
        case .location(let location, _):
            take(location, reading.timestampNanoseconds)
        case .orientation(let orientation):
            self.orientation = orientation
            newestNanoseconds = reading.timestampNanoseconds
        case .unknown: newestNanoseconds = reading.timestampNanoseconds
        }
    }

    private mutating func take(_ location: Location, _ time: Int64) {
        self.location = location
        newestNanoseconds = time
        let values = SIMD4(
            location.speedMetersPerSecond ?? .nan, location.altitudeMeters ?? .nan,
            location.horizontalErrorMeters ?? .nan, .nan)
        history.take(values, atNanoseconds: time)
        guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else { return }
        track.append((latitude, longitude))
        if track.count > 2 * Self.mostPositions { track.removeFirst(Self.mostPositions) }
    }

    /// The resource's rate: by the readings' numbers or, if those are too few, by the broker's count.
    func hertz(nowNanoseconds now: Int64) -> Double? {
        guard info.state == "active" else { return nil }
        return meter.hertz(nowNanoseconds: now) ?? countedHertz.flatMap { $0 > 0 ? $0 : nil }
    }

    /// What is drawn of it in a line: of three axes their length, of a location its speed.
    func summary(_ values: SIMD4<Double>) -> Double {
        let count = min(4, info.channels.count)
        guard count > 1 else { return values[0] }
        var squares = 0.0
        for channel in 0..<count { squares += values[channel] * values[channel] }
        return squares.squareRoot()
    }

    /// The request for its readings: few and gathered, and no faster than the device already runs; on its own page, as many
    /// as can be drawn.
    func request(isOpen: Bool) -> Request {
        var request = Request(resource: name)
        let running = info.state == "active" ? info.deviceIntervalNanoseconds : nil
        let isLocation = kind == .location
        request.satellites = isLocation
        request.packed = !isLocation
        if isOpen {
            request.intervalNanoseconds = isLocation ? 200_000_000 : 20_000_000
            request.batchNanoseconds = isLocation ? nil : 100_000_000
        } else {
            request.intervalNanoseconds = max(running ?? info.defaultIntervalNanoseconds, 100_000_000)
            request.batchNanoseconds = isLocation ? nil : 250_000_000
        }
        return request
    }
}
