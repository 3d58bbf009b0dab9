package import Spool

/// The clocks of a host as its messages state them: gives UTC of what was measured, across steps and reboots.
///
/// A relation of the clocks belongs to its boot, so an epoch that ended before the clock was set is dated by what a
/// later one of the same boot states.
package struct HostClocks: Sendable {
    private var boots: [Identity: Identity] = [:]
    private var epochs: [Identity] = []
    private var relations: [Identity: [ClockReading]] = [:]

    private static let mostEpochs = 64
    private static let mostBoots = 8
    private static let mostRelations = 64
    /// Who sets a clock by hand puts it forward by more than this; what is less corrects one that was set.
    private static let leastSettingMicroseconds: Int64 = 60_000_000

    package init() {}

    /// A message, or the status, of an epoch states both clocks.
    package mutating func take(_ clock: ClockReading, of epoch: Identity) {
        if boots.updateValue(clock.bootID, forKey: epoch) == nil {
            epochs.append(epoch)
            if epochs.count > Self.mostEpochs { boots[epochs.removeFirst()] = nil }
        }
        if relations[clock.bootID] == nil, relations.count >= Self.mostBoots { forgetOldest() }
        var known = relations[clock.bootID] ?? []
        // What comes late belongs among the others.
        let index = known.firstIndex { $0.moment.bootNanoseconds >= clock.moment.bootNanoseconds } ?? known.count
        if index < known.count, known[index] == clock { return }
        assert(index == 0 || known[index - 1].moment.bootNanoseconds < clock.moment.bootNanoseconds, "in order")
        known.insert(clock, at: index)
        if known.count > Self.mostRelations { known.removeFirst() }
        relations[clock.bootID] = known
    }

    /// A backlog of many boots comes while the present one goes on, so it is the time that tells which is over.
    private mutating func forgetOldest() {
        func end(_ boot: Identity) -> Int64 { relations[boot]?.last?.moment.utcMicroseconds ?? .min }
        if let oldest = relations.keys.min(by: { end($0) < end($1) }) { relations[oldest] = nil }
    }

    /// The boot of an epoch; nil if that is unknown.
    package func boot(of epoch: Identity) -> Identity? { boots[epoch] }

    /// Both clocks as they were at an instant of an epoch: the newest relation before it, or else the first one after it.
    ///
    /// One of a clock that was not set yet is used only if there is no other. Without a reference it is unknown when it
    /// was set: a clock that nobody has set is behind, so it was when it jumped forward.
    package func relation(at bootNanoseconds: Int64, in epoch: Identity) -> ClockReading? {
        guard let boot = boots[epoch], let all = relations[boot] else { return nil }
        let right = all.filter { $0.moment.isSynchronized != false }
        let known = right.isEmpty ? all : right
        let usual = known.last { $0.moment.bootNanoseconds <= bootNanoseconds } ?? known.first
        guard right.isEmpty, let usual else { return usual }
        return all.filter { $0.moment.bootNanoseconds > usual.moment.bootNanoseconds }
            .reduce(usual) { $1.lead(of: $0) > Self.leastSettingMicroseconds ? $1 : $0 }
    }

    /// UTC of an instant of an epoch; nil if no relation is known.
    package func utcMicroseconds(of bootNanoseconds: Int64, in epoch: Identity) -> Int64? {
        relation(at: bootNanoseconds, in: epoch)?.utcMicroseconds(of: bootNanoseconds)
    }
}

extension ClockReading {
    /// UTC of an instant of CLOCK_BOOTTIME, if the clock was not set since.
    package func utcMicroseconds(of bootNanoseconds: Int64) -> Int64? {
        let (elapsed, overflow) = bootNanoseconds.subtractingReportingOverflow(moment.bootNanoseconds)
        let (utc, isTooLate) = moment.utcMicroseconds.addingReportingOverflow(elapsed / 1_000)
        return overflow || isTooLate ? nil : utc
    }

    /// Whether another relation is of the same boot, and no step of more than 100 ms apart.
    package func continues(_ other: ClockReading) -> Bool {
        bootID == other.bootID && lead(of: other).magnitude <= 100_000
    }

    /// By how many microseconds this relation is ahead of another one of the same boot.
    func lead(of other: ClockReading) -> Int64 {
        guard let expected = other.utcMicroseconds(of: moment.bootNanoseconds) else { return .max }
        return moment.utcMicroseconds.subtractingReportingOverflow(expected).partialValue
    }
}
