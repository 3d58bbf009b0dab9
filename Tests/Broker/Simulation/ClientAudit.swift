internal import Delivery
internal import Readings

/// What one client got and should have got.
///
/// The account continues as long as the client stays; what depends on the grant starts again with each grant.
final class ClientAudit {
    private(set) var grant: Grant
    /// A client that has joined gets nothing older than its interval.
    let earliest: Int64
    /// How many samples of this opening came before the grant.
    private(set) var firstIndex: Int

    // The account
    private(set) var handed = 0
    private(set) var received = 0
    private(set) var reportedLost = 0
    /// Stamps of the missed readings that have not been reported yet: first, last, and the one before the last.
    private(set) var missed: (first: Int64, last: Int64, beforeLast: Int64?)?
    private var lastMissed: Sample?

    // What was delivered or missed
    /// The last sample that went into a reading.
    private(set) var lastIndex: Int?
    private(set) var lastReading: Sample?
    /// The newest sample when it changed its request, if it had not received it; it may have, as part of a mean.
    private(set) var undelivered: Int?
    /// The last delivered reading, whatever the grant was then.
    private(set) var lastHanded: Sample?
    var lastStamp: Int64? { lastHanded?.timestamp.nanoseconds }
    /// No sample before this is due.
    private(set) var notBefore: Int64
    private(set) var slack: Int64 = 0
    /// The device's last hole: what was due in it was lost, including what the next sample would serve.
    private var served: (from: Int64, until: Int64)?
    /// Gaps to report unchanged, since the client takes every sample.
    private(set) var dueGaps: [Gap] = []
    /// From this sample on, the period is the present one.
    private(set) var pacedFrom = 0
    var rate = RateAudit()
    private var reportedGaps: [Gap] = []
    /// Readings since its due times started.
    private var beats = 0
    /// Nothing of this opening has been delivered.
    private(set) var isFirstOfOpening = false
    /// When the last reading was delivered after the source seemed silent; nil: it did not.
    private(set) var trailedAt: Int64?

    init(_ grant: Grant, _ truth: Truth, now: Int64) {
        self.grant = grant
        earliest = now - grant.intervalNanoseconds
        firstIndex = truth.arrivals.count
        notBefore = now + grant.intervalNanoseconds
        slack = truth.period / 2
    }

    func change(_ grant: Grant, _ truth: Truth, now: Int64) {
        let wasMean = self.grant.filter == .mean
        self.grant = grant
        firstIndex = truth.arrivals.count
        // The current mean or trailing reading includes earlier samples, so the first reading is the one after it.
        notBefore = now + grant.intervalNanoseconds
        slack = truth.period / 2
        let newest = truth.arrivals.count - 1
        let isDue = truth.isServing && !wasMean && grant.filter == .newest && hasMoved(truth)
        undelivered = isDue && hasNotSeen(truth.arrivals.last) ? newest : nil
        lastIndex = nil
        lastReading = nil
        dueGaps = []
        rate.restart()
        beats = 0
    }

    /// Whether a sample certainly differs from the last reading by the minimum change.
    private func hasMoved(_ truth: Truth) -> Bool {
        guard let arrival = truth.arrivals.last, let reference = reference(truth), let change = grant.minimumChange
        else { return true }
        return Distance.between(reference, arrival.sample) >= change + Distance.tolerance(of: change)
    }

    /// The reading from which its minimum change is measured.
    func reference(_ truth: Truth) -> Sample? {
        lastHanded.flatMap { $0.timestamp.nanoseconds < truth.outageEnd ? nil : $0 }
    }

    /// Whether a sample is for this client, and newer than everything delivered.
    func hasNotSeen(_ arrival: Truth.Arrival?) -> Bool {
        guard let arrival else { return false }
        return arrival.stamp >= earliest && arrival.stamp > lastStamp ?? .min
    }

    var isDecimated: Bool { grant.minimumChange == nil }

    /// Its due times are on the shared grid: the first reading of a lane comes as soon as there is one.
    func isInRhythm(_ period: Int64) -> Bool { isDecimated && !takesAll(period) && beats > 1 }

    func beat() { beats += 1 }

    /// Whether every sample must be delivered, at this period.
    func takesAll(_ period: Int64) -> Bool { grant.intervalNanoseconds <= period || grant.intervalNanoseconds == 0 }

    /// The first sample that has not gone into a reading and may.
    var nextIndex: Int { max(firstIndex, lastIndex.map { $0 + 1 } ?? 0) }

    // MARK: events

    func deviceOpened() {
        isFirstOfOpening = true
        (firstIndex, pacedFrom) = (0, 0)
        undelivered = nil
        (lastIndex, dueGaps, served) = (nil, [], nil)
        notBefore = .min / 2
        slack = 0
        rate.restart()
        beats = 0
    }

    /// A sample from before the client came has arrived after it.
    func passOver(_ arrival: Truth.Arrival, at index: Int, period: Int64) {
        if arrival.stamp < earliest, grant.filter == .newest || takesAll(period) {
            firstIndex = max(firstIndex, index + 1)
        }
    }

    func periodChanges(from former: Int64, _ truth: Truth) {
        pacedFrom = truth.arrivals.count
        slack = max(slack, former)
        rate.restart()
        beats = 0
    }

    func deviceLost(_ gap: Gap, _ period: Int64) {
        guard earliest < gap.until.nanoseconds else { return }
        served = (gap.from.nanoseconds, gap.until.nanoseconds + period)
        notBefore = max(notBefore, gap.until.nanoseconds + period)
        guard takesAll(period) else { return }
        dueGaps.append(gap)
        // Nobody knows how many of them would have changed enough.
        if grant.minimumChange != nil { dueGaps[dueGaps.count - 1].count = nil }
    }

    /// The device continued without the kind meanwhile.
    func kindReturns(_ gap: Gap, _ period: Int64) {
        served = (gap.from.nanoseconds, gap.until.nanoseconds + period)
        notBefore = max(notBefore, gap.until.nanoseconds + period)
        rate.restart()
        beats = 0
    }

    func reported(_ gap: Gap) {
        guard gap.cause == .deviceOverflow else { return }
        reportedGaps.append(gap)
        if !dueGaps.isEmpty { dueGaps.removeFirst() }
    }

    /// Reported losses count before the first reading after them.
    func passOver(before stamp: Int64) {
        for gap in reportedGaps where gap.from.nanoseconds < stamp { rate.lose(gap.count ?? 0) }
        reportedGaps.removeAll { $0.from.nanoseconds < stamp }
    }

    func take(_ reading: Sample, upTo index: Int, dueFrom instant: Int64, trailedAt: Int64?, isTaken: Bool) {
        self.trailedAt = trailedAt
        lastIndex = index
        isFirstOfOpening = false
        lastReading = reading
        notBefore = instant
        if let served, instant < served.from { notBefore = max(instant, served.until) }
        // A batch may bring readings that were chosen at another pace.
        if index >= pacedFrom { slack = 0 }
        count(reading, isTaken: isTaken)
    }

    func takeAlone(_ reading: Sample, isTaken: Bool) {
        if grant.minimumChange != nil {
            lastReading = reading
            notBefore = reading.timestamp.nanoseconds
        }
        undelivered = nil
        count(reading, isTaken: isTaken)
    }

    private func count(_ reading: Sample, isTaken: Bool) {
        handed += 1
        lastHanded = reading
        guard !isTaken else {
            received += 1
            return
        }
        let stamp = reading.timestamp.nanoseconds
        missed = (missed?.first ?? stamp, stamp, missed?.last)
        lastMissed = reading
    }

    // MARK: catching up

    /// The socket has drained; returns what is wrong with the report.
    func catchUp(_ gaps: [Gap], _ reading: Sample?) -> String? {
        defer { (missed, lastMissed) = (nil, nil) }
        if let reading, reading != lastMissed { return "\(reading) is not the newest that was missed" }
        let reported = gaps.filter { $0.cause == .slowClient }
        reportedLost += reported.compactMap(\.count).reduce(0, +)
        if reading != nil { received += 1 }
        let last = reading == nil ? missed?.last : missed?.beforeLast
        guard let missed, let last else { return reported.isEmpty ? nil : "nothing was missed, reported \(reported)" }
        guard reported.count == 1 else { return "reported \(reported)" }
        return reported[0].from.nanoseconds == missed.first && reported[0].until.nanoseconds == last
            ? nil : "reported \(reported[0]), missed \(missed)"
    }
}
