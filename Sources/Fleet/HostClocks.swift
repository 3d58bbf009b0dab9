public import Spool

/// The clocks of a host as its messages told them: gives UTC of what was measured, across steps and reboots.
public struct HostClocks: Sendable {
    private var relations: [Identity: [ClockReading]] = [:]
    private var order: [Identity] = []

    private static let mostEpochs = 8
    private static let mostRelations = 64

    /// Nothing is known yet.
    public init() {}

    /// A message, or the status, of an epoch told both clocks.
    public mutating func take(_ clock: ClockReading, of epoch: Identity) {
        if relations[epoch] == nil {
            order.append(epoch)
            if order.count > Self.mostEpochs { relations[order.removeFirst()] = nil }
        }
        var known = relations[epoch] ?? []
        // What comes late belongs among the others.
        let place = known.firstIndex { $0.moment.bootNanoseconds >= clock.moment.bootNanoseconds } ?? known.count
        if place < known.count, known[place] == clock { return }
        known.insert(clock, at: place)
        if known.count > Self.mostRelations { known.removeFirst() }
        relations[epoch] = known
    }

    /// Both clocks as they were at an instant of an epoch: the newest relation before it, or else the first one after it.
    ///
    /// One of a clock that was not set yet is used only if there is no other.
    public func relation(at bootNanoseconds: Int64, in epoch: Identity) -> ClockReading? {
        guard let all = relations[epoch] else { return nil }
        let right = all.filter { $0.isSynchronized != false }
        let known = right.isEmpty ? all : right
        return known.last { $0.moment.bootNanoseconds <= bootNanoseconds } ?? known.first
    }

    /// UTC of an instant of an epoch; nil if no relation is known.
    public func utcMicroseconds(of bootNanoseconds: Int64, in epoch: Identity) -> Int64? {
        relation(at: bootNanoseconds, in: epoch)?.utcMicroseconds(of: bootNanoseconds)
    }
}

extension ClockReading {
    /// UTC of an instant of CLOCK_BOOTTIME, if the clock was not set since.
    public func utcMicroseconds(of bootNanoseconds: Int64) -> Int64? {
        let (elapsed, overflow) = bootNanoseconds.subtractingReportingOverflow(moment.bootNanoseconds)
        let (utc, isTooLate) = moment.utcMicroseconds.addingReportingOverflow(elapsed / 1_000)
        return overflow || isTooLate ? nil : utc
    }

    /// Whether another relation is of the same boot, and no step of more than 100 ms apart.
    public func continues(_ other: ClockReading) -> Bool {
        guard bootID == other.bootID, let expected = other.utcMicroseconds(of: moment.bootNanoseconds) else {
            return false
        }
        return moment.utcMicroseconds.subtractingReportingOverflow(expected).partialValue.magnitude <= 100_000
    }
}
