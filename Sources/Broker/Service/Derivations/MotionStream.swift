internal import Devices
internal import Motion
internal import Readings

/// The motion of one device from the readings of its sensors, in order of time, with the gaps in it.
///
/// Sensors of one chip are read together, but come one after the other, and several at once; so what came in a turn is merged
/// by time before the filter takes it. A sensor with a device of its own may come late: the filter takes that, turned as the
/// device was since then, so that nothing waits. What is later than the newest rate waits for the next one, since nothing
/// is reported before that.
///
/// What is reported has the time of an angular velocity. Where the filter began anew, or did not know for a while what is upright,
/// the first reading after it follows a gap; and numbers begin at 0 if the heading did.
struct MotionStream {
    private(set) var filter: MotionFilter
    /// What makes the readings of each input true, where it is known.
    private var corrections = [SensorCalibration?](repeating: nil, count: MotionInput.allCases.count)
    private var bearing = Bearing()
    private var declination = Declination()
    private var rates = MotionQueue()
    private var accelerations = MotionQueue()
    private var fields = MotionQueue()
    /// What is wanted of it, and how often; nil: at each rate.
    private var wanted: [Kind] = []
    private var wantedNanoseconds: Int64?

    private var latestRate: BootTime?
    /// nil until something has come late.
    private var history: RotationHistory?
    private var periodNanoseconds: Int64 = 0
    /// The time of a rate that the filter has taken, for which nothing was reported yet.
    private var unreported: BootTime?
    /// The time of what was reported last; nil: nothing was, since the last restart.
    private var lastReported: BootTime?
    /// Whether something is missing since then, and why.
    private var isBroken = false
    private var cause = Gap.Cause.deviceLost
    /// Whether heading began anew since then.
    private var hasNewHeading = false
    private var scan: [Measurement] = []

    init(_ calibration: MotionCalibration) { filter = MotionFilter(calibration) }

    /// Whether there is something that need not wait.
    var hasPending: Bool { earliest != nil }

    /// From now on these are reported, at least so often; nil: with each angular velocity.
    mutating func want(_ outputs: [Kind], every nanoseconds: Int64?) {
        (wanted, wantedNanoseconds) = (outputs, nanoseconds)
    }

    /// Begins anew with what is known of the sensors now.
    mutating func calibrate(_ calibration: MotionCalibration, _ corrections: [SensorCalibration?]) {
        filter = MotionFilter(calibration)
        assert(corrections.count == MotionInput.allCases.count, "each input has a calibration or none")
        self.corrections = corrections
        restart()
    }

    /// Another opening of the sensors, or another start: of the former one, only the gyroscope's bias is left.
    mutating func restart() {
        filter.interrupt()
        rates.empty()
        accelerations.empty()
        fields.empty()
        (latestRate, unreported, lastReported) = (nil, nil, nil)
        history = nil
        (isBroken, hasNewHeading) = (false, false)
    }

    /// Whether the receiver has reported a position, or that it has none.
    var hasPlace: Bool { declination.isAsked }
    /// Why true north is not known where north is; nil: it is.
    var placeAbsence: String? { declination.absence(at: latestRate ?? BootTime(nanoseconds: 0)) }

    /// Takes readings of an input, oldest first; the host's clock is needed for positions that have no time.
    mutating func take(
        _ readings: SampleList, of input: MotionInput, clockSeconds: @autoclosure () -> Double = 0
    ) {
        let correction = corrections[input.rawValue]
        for reading in readings {
            let time = reading.timestamp
            switch (input, reading.measurement) {
            case (.gyroscope, .values(let values)): rates.add(Self.vector(values, correction), at: time)
            case (.accelerometer, .values(let values)): accelerations.add(Self.vector(values, correction), at: time)
            case (.magnetometer, .values(let values)): fields.add(Self.vector(values, correction), at: time)
            case (.receiver, .location(let place)): declination.take(place, at: time, clockSeconds: clockSeconds())
            default: break
            }
        }
    }

    private static func vector(_ values: Values, _ correction: SensorCalibration?) -> Vector3 {
        correction?.correct(Vector3(values)) ?? Vector3(values)
    }

    /// Readings of an input are missing, for a reason; what follows from that the filter sees by their times.
    mutating func miss(_ gap: Gap, of input: MotionInput) { if input.isRequired { cause = gap.cause } }

    /// Merges what has come, and reports what follows.
    mutating func conclude(into intake: inout Intake) {
        while let (input, time) = earliest {
            if let unreported, time > unreported { report(at: unreported, into: &intake) }
            switch input {
            case .gyroscope: take(rate: rates.take())
            case .accelerometer:
                let item = accelerations.take()
                let (vector, axes) = seen(item)
                filter.take(acceleration: vector, at: item.time, along: axes)
            case .magnetometer:
                let item = fields.take()
                let (vector, axes) = seen(item)
                filter.take(field: vector, at: item.time, along: axes)
            case .receiver: assertionFailure("a position waits for nothing")
            }
        }
        if let unreported { report(at: unreported, into: &intake) }
        rates.tidy()
        accelerations.tidy()
        fields.tidy()
    }

    /// Of those of one time the rate comes first: what else was measured then is seen from the attitude of then.
    private var earliest: (input: MotionInput, time: BootTime)? {
        guard let newest = rates.newest ?? latestRate else { return nil }
        var earliest = rates.head.map { (input: MotionInput.gyroscope, time: $0) }
        if let time = accelerations.head, earliest.map({ time < $0.time }) ?? true { earliest = (.accelerometer, time) }
        if let time = fields.head, earliest.map({ time < $0.time }) ?? true { earliest = (.magnetometer, time) }
        return earliest.flatMap { $0.time <= newest ? $0 : nil }
    }

    /// What an item shows, along the axes of a time: of its own, or, if it came late, of the newest rate.
    private mutating func seen(_ item: MotionQueue.Item) -> (vector: Vector3, axes: BootTime) {
        guard let latestRate, item.time < latestRate else { return (item.vector, item.time) }
        guard let history else {
            history = RotationHistory()
            return (item.vector, item.time)
        }
        return history.vector(item.vector, since: item.time).map { ($0, latestRate) } ?? (item.vector, item.time)
    }

    private mutating func take(rate item: MotionQueue.Item) {
        switch filter.take(rate: item.vector, at: item.time) {
        case .refused: return
        case .taken: break
        case .restarted:
            (isBroken, hasNewHeading) = (true, true)
            history?.forget()
        }
        history?.add(filter.rotationSinceStart, at: item.time)
        if let latestRate { periodNanoseconds = item.time - latestRate }
        latestRate = item.time
        unreported = item.time
    }

    /// Reports what is known at the time of a rate, if it is known and due.
    private mutating func report(at time: BootTime, into intake: inout Intake) {
        unreported = nil
        guard filter.isSettled else {
            isBroken = isBroken || lastReported != nil
            return
        }
        guard isBroken || lastReported == nil ? endsTurn : isDue(time), !wanted.isEmpty else { return }
        if isBroken, let lastReported {
            intake.append(Gap(cause: cause, count: nil, from: lastReported, until: max(lastReported, time + -1)))
            if hasNewHeading { intake.appendOpening() }
        }
        (isBroken, hasNewHeading, cause) = (false, false, .deviceLost)
        lastReported = time
        scan.removeAll(keepingCapacity: true)
        for output in wanted {
            let measurement = output.measurement(filter, &bearing, declination: declination.degrees(at: time))
            if let measurement { scan.append(measurement) }
        }
        if !scan.isEmpty { intake.append(scan: scan, at: time) }
    }

    /// Whether what is due later will be the last rate of a turn like this one, so that it is new when it comes: a device that may
    /// hold samples back yields as many at once as lie between two readings.
    private var endsTurn: Bool {
        guard let wantedNanoseconds, periodNanoseconds > 0 else { return true }
        return rates.count % max(1, Int(clamping: wantedNanoseconds / periodNanoseconds)) == 0
    }

    /// Whether the next rate would be later than what is due: a device at this interval would have measured now.
    private func isDue(_ time: BootTime) -> Bool {
        guard let wantedNanoseconds, let lastReported else { return true }
        return time - lastReported + periodNanoseconds > wantedNanoseconds + periodNanoseconds / 8
    }
}
