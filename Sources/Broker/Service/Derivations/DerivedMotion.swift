internal import Delivery
internal import Devices
internal import Motion
internal import Platform
internal import Readings

/// Attitude, gravity, heading and what else follows from a gyroscope, an accelerometer and, if they are there, a magnetometer
/// and a receiver.
final class DerivedMotion: DerivedContent {
    private var stream: MotionStream
    /// Whether the magnetometer shows the field of the place, and not that of the device.
    private var isCalibrated: Bool
    /// A simulated magnetometer has nothing beside it that disturbs the field.
    private let isSimulated: Bool
    /// Whether gyroscope and accelerometer are read together.
    private let isOneDevice: Bool
    private var wantsNorth = false
    private var wantsPlace = false
    private var gyroscope = SensorErrors()

    /// The filter needs no more: at 100 Hz it is as good as at 300, and below 50 Hz worse.
    private static let rateNanoseconds: Int64 = 10_000_000
    /// Accelerations are averaged over seconds.
    private static let accelerationNanoseconds: Int64 = 20_000_000
    private static let fieldNanoseconds: Int64 = 40_000_000
    /// A receiver that has no position at first soon has one.
    private static let placeNanoseconds: Int64 = 10_000_000_000
    /// So many rates may come together: more would save little, and the first reading would come late.
    private static let mostTogether: Int64 = 5
    /// How long what another device measures may be held back, in a batch of a client's.
    private static let latestNanoseconds: Int64 = 500_000_000
    /// However seldom clients look.
    private static let slowestNanoseconds: Int64 = 1_000_000_000

    /// Motion of which nothing is known yet.
    init(isSimulated: Bool, isOneDevice: Bool) {
        (self.isSimulated, isCalibrated) = (isSimulated, isSimulated)
        self.isOneDevice = isOneDevice
        var calibration = MotionCalibration()
        calibration.magnetometerIsCalibrated = isSimulated
        stream = MotionStream(calibration)
    }

    let needsScale = true
    var hasPending: Bool { stream.hasPending }
    var isSettled: Bool { stream.filter.isSettled }

    // MARK: what it asks of its inputs

    func want(_ demand: Demand) {
        let wanted = Kind.ofMotion.filter { demand.kinds.contains($0) }
        wantsNorth = wanted.contains(where: \.usesNorth)
        wantsPlace = wanted.contains(where: \.needsPlace)
        stream.want(wanted, every: demand.intervalNanoseconds)
    }

    func grant(of source: OwnedResource, at position: Int, for demand: Demand) -> Grant? {
        let rate = min(Self.rateNanoseconds, demand.intervalNanoseconds ?? Self.rateNanoseconds)
        switch MotionInput(rawValue: position) {
        case .gyroscope: return tap(every: rate, for: demand)
        case .accelerometer:
            return tap(every: isOneDevice ? rate : Self.accelerationNanoseconds, for: demand, isLate: !isOneDevice)
        case .magnetometer:
            return wantsNorth && isCalibrated ? tap(every: Self.fieldNanoseconds, for: demand, isLate: true) : nil
        case .receiver:
            return wantsPlace && isCalibrated ? source.grant(every: Self.placeNanoseconds) : nil
        case nil: return nil
        }
    }

    /// The grant of a sensor for a demand; what `isLate` comes from another device than the rates, at other times.
    ///
    /// What is measured between two readings is needed with the second one, and not before: to wake up for each sample would cost as
    /// much as all the rest. A part of the rates between them comes together: if the gyroscope's rate is what it claims, the last of
    /// them is the one that is reported. Rates wait for what is late, but the filter does not look back further than it remembers.
    private func tap(every nanoseconds: Int64, for demand: Demand, isLate: Bool = false) -> Grant {
        let between = max(1, (demand.intervalNanoseconds ?? 0) / Self.rateNanoseconds)
        let together: Int64 = (1...Self.mostTogether).last(where: { between % $0 == 0 }) ?? 1
        let latency = together > 1 ? together * Self.rateNanoseconds : 0
        let whole = max(latency, demand.latencyNanoseconds)
        return Grant(
            tappingEvery: nanoseconds, latencyNanoseconds: isLate ? min(whole, Self.latestNanoseconds) : whole)
    }

    func origin(_ inputs: [DerivationInput]) -> String {
        let (magnetometer, receiver) = (inputs[.magnetometer], inputs[.receiver])
        let north = magnetometer.resource == nil ? "" : ", north from \(magnetometer.origin)"
        let hasPlace = receiver.resource != nil && magnetometer.resource != nil
        let place = hasPlace ? ", place from \(receiver.origin)" : ""
        return "\(inputs[.gyroscope].origin) and \(inputs[.accelerometer].origin)\(north)\(place)"
    }

    func offered(_ inputs: [DerivationInput]) -> OfferedIntervals {
        let offered = inputs[.gyroscope].profile?.offered
        let shortest = offered?.shortestNanoseconds ?? Kind.angularVelocity.row.shortestNanoseconds
        return .range(shortestNanoseconds: shortest, longestNanoseconds: max(shortest, Self.slowestNanoseconds))
    }

    /// Every so many samples of the gyroscope, as its rate allows.
    func intervalNanoseconds(_ inputs: [DerivationInput], for demand: Demand) -> Int64? {
        guard let period = inputs[.gyroscope].profile?.intervalNanoseconds, period > 0 else { return nil }
        return max(1, (demand.intervalNanoseconds ?? period) / period) * period
    }

    // MARK: what it knows

    func flaw(in inputs: [DerivationInput]) -> String? {
        let (gyroscope, accelerometer) = (inputs[.gyroscope], inputs[.accelerometer])
        guard !isOneDevice, let first = gyroscope.profile?.axes, let second = accelerometer.profile?.axes,
            first != second
        else { return nil }
        let (with, without) = first == .device ? (gyroscope, accelerometer) : (accelerometer, gyroscope)
        return "\(with.origin) has a mount matrix, and \(without.origin) has none"
    }

    func withheld(_ inputs: [DerivationInput]) -> Withheld {
        guard isSettled, wantsPlace else { return Withheld(north: northAbsence) }
        var absence = stream.placeAbsence
        if !stream.hasPlace, case .unavailable(let reason) = inputs[.receiver].state {
            absence = "\(inputs[.receiver].origin): \(reason)"
        }
        return Withheld(north: northAbsence, trueNorth: absence)
    }

    /// Why north is not known; nil: it is, or nothing is.
    private var northAbsence: String? {
        guard isCalibrated else { return "the magnetometer is not calibrated: sensorctl calibrate magnetometer" }
        guard isSettled, wantsNorth, !stream.filter.isNorthKnown else { return nil }
        return stream.filter.isDisturbed ? "the magnetic field is disturbed" : "north is not known yet"
    }

    // MARK: what it is given

    var learnt: Motion.GyroscopeBias? { stream.filter.lastingBias }

    /// A gyroscope's offset is where its bias begins, which changes; the others' readings are corrected.
    func calibrate(_ inputs: [DerivationInput]) {
        var calibration = MotionCalibration()
        calibration.bias = bias(inputs[.gyroscope])
        let acceleration = inputs[.accelerometer].errors.calibration
        let field = inputs[.magnetometer].errors.calibration
        if let known = acceleration {
            calibration.accelerometerOffset = max(known.error, Self.leastAccelerationError)
        }
        isCalibrated = isSimulated || field != nil
        calibration.magnetometerIsCalibrated = isCalibrated
        stream.calibrate(calibration, [nil, acceleration, field, nil])
    }

    /// The bias with which a filter begins: the one that the former filter has learnt, unless it is another gyroscope, or more is
    /// known of it.
    private func bias(_ input: DerivationInput) -> Motion.GyroscopeBias {
        guard input.errors != gyroscope else { return stream.filter.bias }
        gyroscope = input.errors
        if let learnt = input.errors.learnt {
            let seconds = Clock.realtimeNanoseconds() / 1_000_000_000
            return Motion.GyroscopeBias(learnt: learnt, utcSeconds: seconds, celsius: input.celsius)
        }
        guard let known = input.errors.calibration else { return Motion.GyroscopeBias() }
        return Motion.GyroscopeBias(known.offset, uncertain: max(known.error, Self.leastBiasError))
    }

    /// A bias changes with each start and with the temperature, in radians per second.
    private static let leastBiasError = 0.1 * .pi / 180
    /// What is left of an accelerometer's errors after a calibration, in metres per second squared.
    private static let leastAccelerationError = 0.02

    func restart() { stream.restart() }

    func take(_ readings: SampleList, _ gaps: [Gap], of position: Int, _ inputs: [DerivationInput]) {
        guard let input = MotionInput(rawValue: position) else { return }
        for gap in gaps { stream.miss(gap, of: input) }
        stream.take(readings, of: input, clockSeconds: Double(Clock.realtimeNanoseconds()) * 1e-9)
    }

    func conclude(into intake: inout Intake) { stream.conclude(into: &intake) }
}

/// What motion follows from: the inputs of its derivation, by their positions.
enum MotionInput: Int, CaseIterable {
    case gyroscope
    case accelerometer
    case magnetometer
    case receiver

    var kind: Kind {
        switch self {
        case .gyroscope: .angularVelocity
        case .accelerometer: .acceleration
        case .magnetometer: .magneticField
        case .receiver: .location
        }
    }

    /// Whether nothing follows without it.
    var isRequired: Bool { self == .gyroscope || self == .accelerometer }
}

extension [DerivationInput] {
    subscript(input: MotionInput) -> DerivationInput {
        get { self[input.rawValue] }
        set { self[input.rawValue] = newValue }
    }
}
