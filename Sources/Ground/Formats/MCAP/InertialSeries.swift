internal import Readings

/// What an IMU's sensors measured at the same times: each angular velocity with the acceleration, and with the orientation where
/// that is known.
///
/// Resources come one after the other, and some in batches; so an angular velocity waits until the others have come to its time.
struct InertialSeries {
    /// All of one time.
    struct Moment {
        var nanoseconds: Int64
        var rate: Values
        var acceleration: Values
        var orientation: Values?
        /// Of the vertical and of north, in degrees; nil: unknown.
        var error: Values?
    }

    /// What one resource has measured, oldest first.
    private struct Track {
        private(set) var samples: [(nanoseconds: Int64, values: Values)] = []
        var newest: Int64? { samples.last?.nanoseconds }

        mutating func add(_ values: Values, at nanoseconds: Int64) {
            guard newest.map({ nanoseconds > $0 }) ?? true else { return }
            samples.append((nanoseconds, values))
            // Without a gyroscope nobody takes them.
            if samples.count > 16 * InertialSeries.most { samples.removeFirst(8 * InertialSeries.most) }
        }

        /// Forgets what is of no more use for times from this one on.
        mutating func forget(before nanoseconds: Int64) {
            let first = samples.lastIndex { $0.nanoseconds <= nanoseconds } ?? 0
            if first >= InertialSeries.most / 4 { samples.removeFirst(first) }
        }

        /// The newest one up to a time, and the next one.
        private func around(_ nanoseconds: Int64) -> (before: Int?, after: Int) {
            var (low, high) = (0, samples.count)
            while low < high {
                let middle = (low + high) / 2
                if samples[middle].nanoseconds <= nanoseconds { low = middle + 1 } else { high = middle }
            }
            return (low > 0 ? low - 1 : nil, low)
        }

        /// What holds until it changes.
        func held(at nanoseconds: Int64) -> Values? { around(nanoseconds).before.map { samples[$0].values } }

        /// Whether something was measured within a second.
        func isNear(_ nanoseconds: Int64) -> Bool {
            let (before, after) = around(nanoseconds)
            return [before, after < samples.count ? after : nil].contains { index in
                index.map { abs(samples[$0].nanoseconds - nanoseconds) < 1_000_000_000 } ?? false
            }
        }

        /// What was measured then, or lies between its neighbours if they are close; nil: neither.
        func value(at nanoseconds: Int64) -> Values? {
            let (before, after) = around(nanoseconds)
            guard let before else { return nil }
            let first = samples[before]
            if first.nanoseconds == nanoseconds { return first.values }
            guard after < samples.count else { return nil }
            let span = samples[after].nanoseconds - first.nanoseconds
            guard span <= InertialSeries.longestNanoseconds else { return nil }
            let between = Measurement.values(first.values).interpolated(
                to: .values(samples[after].values), at: Double(nanoseconds - first.nanoseconds) / Double(span))
            if case .values(let values) = between { return values }
            return nil
        }
    }

    /// A longer pause is a gap, after which a heading may have begun anew.
    private static let longestNanoseconds: Int64 = 150_000_000
    /// An orientation that has not come for so long is not waited for: longer than a batch is.
    private static let withheldNanoseconds: Int64 = 15_000_000_000
    /// So many angular velocities wait at most.
    private static let most = 4_096

    private var rates: [(nanoseconds: Int64, values: Values)] = []
    private var next = 0
    private var accelerations = Track()
    private var rotations = Track()
    private var attitudes = Track()
    private var errors = Track()
    private var isOver = false

    /// Takes what the host's first sensor of its kind measured; others, and times that go back, do not matter.
    mutating func take(_ values: Values, of resource: ResourceName, atNanoseconds nanoseconds: Int64) {
        guard resource == values.kind.row.firstResource else { return }
        switch values.kind {
        case .angularVelocity:
            if rates.last.map({ nanoseconds > $0.nanoseconds }) ?? true { rates.append((nanoseconds, values)) }
        case .acceleration: accelerations.add(values, at: nanoseconds)
        case .rotation: rotations.add(values, at: nanoseconds)
        case .attitude: attitudes.add(values, at: nanoseconds)
        case .attitudeError: errors.add(values, at: nanoseconds)
        default: break
        }
    }

    /// Nothing more comes.
    mutating func end() { isOver = true }

    /// The next moment of which all is there; nil: none is, yet.
    ///
    /// One without an acceleration is left out: zeros would be taken for free fall.
    mutating func takeMoment() -> Moment? {
        while next < rates.count, isComplete(at: rates[next].nanoseconds) || rates.count - next > Self.most || isOver {
            tidy()
            let rate = rates[next]
            next += 1
            guard let acceleration = accelerations.value(at: rate.nanoseconds) else { continue }
            return Moment(
                nanoseconds: rate.nanoseconds, rate: rate.values, acceleration: acceleration,
                orientation: orientation(at: rate.nanoseconds),
                error: errors.held(at: rate.nanoseconds))
        }
        return nil
    }

    /// That to magnetic north, or else to where the heading of `attitude` began: never one among the other.
    private func orientation(at nanoseconds: Int64) -> Values? {
        rotations.isNear(nanoseconds) ? rotations.value(at: nanoseconds) : attitudes.value(at: nanoseconds)
    }

    private func isComplete(at nanoseconds: Int64) -> Bool {
        guard let acceleration = accelerations.newest, acceleration >= nanoseconds else { return false }
        return [rotations, attitudes].allSatisfy { track in
            track.newest.map { $0 >= nanoseconds || nanoseconds - $0 > Self.withheldNanoseconds } ?? true
        }
    }

    private mutating func tidy() {
        guard next >= Self.most / 4 else { return }
        rates.removeFirst(next)
        next = 0
        guard let first = rates.first?.nanoseconds else { return }
        accelerations.forget(before: first)
        rotations.forget(before: first)
        attitudes.forget(before: first)
        errors.forget(before: first)
    }
}
