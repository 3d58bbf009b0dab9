/// Which locations are accurate enough.
///
/// An impossible accuracy is kept as it was set, and refused: what was applied before goes on, and new streams end with the error.
package struct AccuracyFilter: Sendable {
    /// As it was set; nil: any location will do.
    package private(set) var meters: Double?
    private var applied: Double?

    /// Accepts everything.
    package init() {}

    /// Sets the largest acceptable error; returns why it is refused.
    package mutating func set(_ meters: Double?) -> SensorError? {
        self.meters = meters
        if let fault { return fault }
        applied = meters
        return nil
    }

    /// Whether there are locations that it does not accept.
    package var isApplied: Bool { applied != nil }

    /// Why no location can be accurate enough; nil if one can.
    package var fault: SensorError? {
        guard let meters, !(meters > 0) else { return nil }
        return .invalidRequest("an accuracy of \(meters) m is impossible; use nil for any")
    }

    /// Whether a value is accurate enough; only locations can fail to be.
    package func accepts(_ value: some Sendable) -> Bool {
        guard let applied, let location = value as? Location else { return true }
        return location.isWithin(meters: applied)
    }
}

extension Location {
    /// Whether there is a position whose known error is at most this.
    package func isWithin(meters: Double) -> Bool {
        guard coordinate != nil, let error = horizontalErrorMeters else { return false }
        return error <= meters
    }

    /// How inaccurate it is, for a comparison: its error, more if that is unknown, and even more if there is no position.
    package var inaccuracy: Double {
        coordinate == nil ? .infinity : horizontalErrorMeters ?? .greatestFiniteMagnitude
    }
}

/// Which locations are far enough from the one before, as the broker decides it.
package struct DistanceFilter: Sendable {
    private var last: Location?

    /// Has seen no location.
    package init() {}

    /// Whether a value is to be passed on, if changes of less than so many metres do not matter.
    package mutating func accepts(_ value: some Sendable, meters: Double?) -> Bool {
        guard let location = value as? Location else { return true }
        if let meters, let last, last.distance(to: location) < meters { return false }
        last = location
        return true
    }
}
