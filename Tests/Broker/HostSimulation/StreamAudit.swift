internal import BrokerClient
internal import Readings

/// Judges what one client gets of one resource by what the sources of that really did.
///
/// It knows nothing of how the broker decides.
final class StreamAudit {
    let resource: ResourceName
    let kind: Kind
    /// 0: it wants every sample.
    let interval: Int64
    /// What it follows from: one source, or for what is derived all that it cannot do without.
    ///
    /// Readings have the times of the first.
    private let sources: [any SimulatedSource]
    private let truth: HostTruth
    private let since: Int64
    private(set) var readings = 0
    private(set) var checks = 0
    private(set) var fault: String?
    private(set) var state = ""
    private var last: (stamp: Int64, number: UInt64)?
    /// Whether a gap came since the last reading.
    private var hasGap = false
    private var servedCheckAt: Int64 = 0

    init(
        _ resource: ResourceName, _ kind: Kind, every interval: Int64, from sources: [any SimulatedSource],
        _ truth: HostTruth, _ now: Int64
    ) {
        (self.resource, self.kind, self.interval, since) = (resource, kind, interval, now)
        (self.sources, self.truth) = (sources, truth)
    }

    private var isDerived: Bool { !sources[0].names.contains(resource) }
    /// Derived by the filter of motions, and not by a look at one acceleration.
    private var isMotion: Bool { sources.count > 1 }
    private var log: SourceLog { sources[0].log }

    private func expect(_ holds: Bool, _ words: @autoclosure () -> String) {
        checks += 1
        if !holds, fault == nil { fault = "\(resource) every \(interval) ns: \(words())" }
    }

    func take(_ update: Update, _ now: Int64) {
        for one in update.resources where one.name == resource.description { state = one.state }
        for gap in update.gaps { take(gap) }
        for reading in update.readings { take(reading, now) }
        expect(update.ended == nil, "the stream ended")
    }

    private func take(_ gap: BrokerClient.Gap) {
        expect(gap.fromNanoseconds <= gap.untilNanoseconds, "\(gap)")
        expect(gap.untilNanoseconds >= last?.stamp ?? .min, "a gap before what was delivered: \(gap)")
        hasGap = true
    }

    private func take(_ reading: Reading, _ now: Int64) {
        readings += 1
        let (stamp, number) = (reading.timestampNanoseconds, UInt64(clamping: reading.sequence))
        guard let entry = log.entry(stamp) else { return expect(false, "\(reading) has the time of no sample") }
        expect(stamp > last?.stamp ?? .min, "\(stamp) after \(last?.stamp ?? 0)")
        // What was measured before may be due later.
        expect(entry.at < now || state == "active" || state == "warm", "a reading while it is \(state)")
        expect(
            stamp >= since - max(interval, 100_000_000) || kind.row.reporting == .onChange,
            "\(stamp) from before it came")
        if interval == 0 {
            // What holds until it changes is sent at once to whoever comes.
            let isFirst = last == nil && kind.row.reporting == .onChange
            expect(entry.at == now || isFirst, "\(stamp) came late, by \(now - entry.at) ns")
            checkNumber(entry, number)
        }
        checkValue(reading, stamp)
        last = (stamp, number)
        hasGap = false
    }

    private func checkNumber(_ entry: SourceLog.Entry, _ number: UInt64) {
        if !isDerived { expect(number == entry.number, "number \(number) of sample \(entry)") }
        guard let last, let former = log.entry(last.stamp) else { return }
        let isNext = number == last.number + 1 && (isDerived || former.opening == entry.opening)
        expect(isNext || hasGap, "number \(number) after \(last.number), and no gap came")
        guard isMotion, !hasGap else { return }
        let hole = sources[0].log.longestHole(from: last.stamp, to: entry.stamp)
        expect(hole ?? .max <= 110_000_000, "\(entry.stamp) after \(last.stamp) bridges \(hole ?? -1) ns without rates")
    }

    private func checkValue(_ reading: Reading, _ stamp: Int64) {
        guard case .values(let columns) = reading.content, let values = columns.values(of: kind)?.first else { return }
        switch kind {
        case .gravity:
            expect(truth.cosine(ofGravity: values, stamp) > 0.97, "gravity is off: \(values)")
        case .acceleration, .angularVelocity, .magneticField:
            if case .values(let measured) = truth.measurement(of: kind, stamp) {
                expect(abs(measured[0] - values[0]) < 1e-6, "\(values) at \(stamp) was \(measured)")
            }
        default: break
        }
    }

    /// Everything that follows from this instant has been done.
    func endInstant(_ now: Int64) {
        checkState()
        guard interval == 0, !isDerived, let newest = log.entries.last, newest.at == now, newest.stamp > since else {
            return
        }
        expect(last?.stamp == newest.stamp, "\(newest) was not delivered")
    }

    private func checkState() {
        let states = sources.map(\.log.state)
        if states.contains(.unplugged) {
            expect(state == "unavailable", "it is \(state) without its source")
        } else if states.contains(.released) {
            expect(["released", "unavailable"].contains(state), "it is \(state), and its source is released")
        } else {
            expect(state != "released", "it is released, and its source is not")
        }
    }

    /// Whether all sources have sent samples without a break for so long that this must have readings.
    func checkIsServed(_ now: Int64) {
        guard now >= servedCheckAt else { return }
        servedCheckAt = now + 500_000_000
        let isSteady = sources.allSatisfy { source in
            let log = source.log
            guard log.state == .present, let newest = log.entries.last, newest.opening == log.opening,
                now - newest.at < 900_000_000
            else {
                return false
            }
            let hole = log.longestHole(from: max(since, now - 12_000_000_000), to: newest.stamp) ?? .max
            return since < now - 13_000_000_000 && hole < 90_000_000
        }
        guard isSteady else { return }
        expect(state == "active", "it is \(state), and its sources have been steady")
        guard kind.row.reporting == .continuous else { return }
        let age = now - (last?.stamp ?? .min / 2)
        expect(age < 2 * max(interval, 1_000_000_000) + 100_000_000, "nothing came for \(age) ns")
    }
}
