internal import BrokerClient
internal import Formats
internal import Platform
internal import Readings
internal import Varlink

/// What becomes of a feed's lines, as its clients want them; time and input are arguments.
struct Feed {
    let offer: FeedOffer
    private var splitter = LineSplitter()
    private var lines: FeedLines
    private var stamps: FeedStamps
    /// What the broker wants; nil: there is no connection.
    private var demand: ProvideReply?
    private var pending: [FedSample] = []
    /// How many samples before those were dropped.
    private var missing = 0
    /// When the oldest of those is to be sent at the latest.
    private var dueNanoseconds: Int64?
    private var badLines = RationedReports(of: "lines")
    private var refusals = RationedReports(of: "samples")
    private var losses = RationedReports(of: "samples")
    private var notes: [String] = []
    private var hasNotedClock = false
    /// Lines that were understood although nobody wants them, so that its user learns at once if they cannot be.
    private var checked = 0
    /// Whether the next line may have lost its beginning.
    private var isCut: Bool
    private var hasLines = false
    private var hasSent = false

    private static let mostChecked = 10
    /// As many fit one call with room to spare.
    private static let mostSamples = 200
    /// More are not kept for a broker that takes none.
    private static let mostPending = 4_096

    /// A feed; `startsAnywhere`: its first line may have lost its beginning, as that of a serial line.
    init(_ offer: FeedOffer, startsAnywhere: Bool = false) {
        self.offer = offer
        lines = FeedLines(kind: offer.kind)
        stamps = FeedStamps(stepNanoseconds: offer.intervalNanoseconds)
        isCut = startsAnywhere
    }

    /// Whether somebody wants samples.
    var isWanted: Bool { demand?.isWanted == true }

    /// When samples are to be sent; nil: there are none.
    var deadline: Int64? { dueNanoseconds }

    /// What its user is to know, since the last call.
    mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    // MARK: the broker

    /// The broker has replied.
    mutating func take(_ demand: ProvideReply, _ now: Int64) {
        self.demand = demand
        if let refused = demand.refused {
            let what = refused.count == 1 ? "a sample" : "\(refused.count) samples"
            note(
                refusals.add("the broker refused \(what): \(refused.reason)", times: Int(clamping: refused.count), now))
        }
        if !demand.isWanted { forget() }
    }

    /// The connection has ended.
    mutating func lose() {
        demand = nil
        noteUnsent()
        forget()
    }

    private mutating func noteUnsent() {
        guard !pending.isEmpty else { return }
        note(pending.count == 1 ? "the last sample was not sent" : "the last \(pending.count) samples were not sent")
    }

    private mutating func forget() {
        pending = []
        missing = 0
        dueNanoseconds = nil
    }

    /// The next samples that are due, as a call; nil: none are.
    mutating func push(_ now: Int64) -> [UInt8]? {
        guard let due = dueNanoseconds, now >= due else { return nil }
        let count = min(pending.count, offer.kind == .location ? 1 : Self.mostSamples)
        let samples = pending.prefix(count)
        var writer = JSONWriter()
        writer.push(
            [offer.name], times: samples.map(\.timestampNanoseconds), samples.map(\.measurement),
            missing: demand?.takesMissing == true ? missing : 0)
        missing = 0
        hasSent = true
        pending.removeFirst(count)
        if pending.isEmpty { dueNanoseconds = nil }
        return writer.bytes
    }

    // MARK: lines

    /// The lines begin anew, from another run of a program.
    mutating func restart() {
        splitter = LineSplitter()
        lines = FeedLines(kind: offer.kind)
        checked = 0
    }

    /// Bytes were read.
    mutating func take(_ bytes: [UInt8], _ now: ClockPair) { take(splitter.take(bytes), now) }

    /// No more bytes will come: what is gathered is due.
    mutating func finish(_ now: ClockPair) {
        take([splitter.finish()].compactMap { $0 }, now)
        hurry()
        if hasLines, !hasSent, demand?.isWanted == false { note("nobody wanted readings, so no line was sent") }
    }

    /// What is gathered is due.
    mutating func hurry() { if dueNanoseconds != nil { dueNanoseconds = .min } }

    /// Makes the reports that were held back, at the end, and tells what was not sent.
    mutating func report() {
        for text in [badLines.summary(), refusals.summary(), losses.summary()] { note(text) }
        noteUnsent()
    }

    private mutating func take(_ found: [LineSplitter.Line], _ now: ClockPair) {
        var read: [(line: Int, sample: LineSample)] = []
        for line in found {
            hasLines = true
            let mayBeCut = isCut
            isCut = false
            guard let bytes = line.bytes else {
                complain(line.number, "it is longer than \(LineSplitter.longest >> 20) MiB", now)
                continue
            }
            guard isWanted && !mayBeCut || checked < Self.mostChecked || FeedLines.mayBeNames(bytes) else { continue }
            do throws(FormatError) {
                let samples = try lines.samples(in: bytes)
                if !samples.isEmpty { checked += 1 }
                if !mayBeCut { read += samples.map { (line.number, $0) } }
            } catch { if !mayBeCut { complain(line.number, error.words, now) } }
        }
        guard isWanted else { return stamps.pass(now) }
        for (line, result) in zip(read.map(\.line), stamps.stamp(read.map(\.sample), now)) {
            switch result {
            case .success(let sample): keep(sample, now.bootNanoseconds)
            case .failure(let error): complain(line, error.words, now)
            }
        }
        if stamps.hasForeignTimes, !hasNotedClock {
            hasNotedClock = true
            note("the times in the lines are of another clock: samples are stamped when they arrive")
        }
    }

    private mutating func keep(_ sample: FedSample, _ now: Int64) {
        if pending.count >= Self.mostPending {
            pending.removeFirst()
            missing += 1
            note(losses.add("a sample was dropped, since the broker takes them too slowly", now))
        }
        pending.append(sample)
        dueNanoseconds = dueNanoseconds ?? now + (demand?.latencyNanoseconds ?? 0)
        // What fills a call is not held back.
        if pending.count >= Self.mostSamples { dueNanoseconds = .min }
    }

    private mutating func complain(_ line: Int, _ words: String, _ now: ClockPair) {
        note(badLines.add("line \(line): \(words)", now.bootNanoseconds))
    }

    private mutating func note(_ text: String?) { if let text { notes.append(text) } }
}
