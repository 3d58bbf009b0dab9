internal import BrokerClient
internal import Readings
internal import Service
internal import Varlink

/// A program that is a sensor: it comes, sends samples, falls silent, lies, goes, and comes again.
final class SimulatedProvider: SimulatedSource {
    let names: [ResourceName]
    let kinds: [Kind]
    let log = SourceLog()
    /// What is wrong with what it received; nil: nothing.
    private(set) var fault: String?
    private let truth: HostTruth
    private let period: Int64
    private let connect: (Int64) -> Wire
    private var wire: Wire?
    /// What it received last; nil: nothing yet.
    private(set) var isWanted: Bool?
    private var nextStamp: Int64 = .max
    private var comesAt: Int64
    /// Until when it may be given up because it is silent.
    private(set) var silentUntil: Int64 = 0
    private var lies = 0
    private var wrongSamples: Int64 = 0
    private var refused: Int64 = 0

    init(_ kinds: [Kind], _ truth: HostTruth, period: Int64, comesAt: Int64, connect: @escaping (Int64) -> Wire) {
        (self.kinds, self.truth, self.period, self.comesAt) = (kinds, truth, period, comesAt)
        self.connect = connect
        names = kinds.map(\.row.firstResource)
        log.isPlugged = false
    }

    var nextAt: Int64 { min(comesAt, isWanted == true ? nextStamp : .max) }

    func act(_ now: Int64) -> Bool {
        if comesAt <= now {
            comesAt = .max
            come(now)
            return true
        }
        takeReplies(now)
        guard isWanted == true, nextStamp <= now else { return false }
        while nextStamp <= now { push(now) }
        return true
    }

    private func come(_ now: Int64) {
        let wire = connect(now)
        let offers = names.map { JSONValue.object(["name": .string($0.description)]) }
        wire.call("Feed.Provide", ["resources": .array(offers), "intervalNanoseconds": .integer(period)], .more)
        (self.wire, isWanted, log.isPlugged) = (wire, nil, true)
    }

    private func takeReplies(_ now: Int64) {
        for reply in wire?.replies() ?? [] {
            guard case .success(let parameters, _) = reply, let received = try? ProvideReply(parameters) else {
                fault = fault ?? "the program received \(reply)"
                continue
            }
            if received.isWanted, isWanted != true {
                log.open()
                nextStamp = now + period
            }
            isWanted = received.isWanted
            refused += received.refused?.count ?? 0
        }
        if refused > wrongSamples { fault = fault ?? "\(refused) samples were refused, \(wrongSamples) were wrong" }
    }

    private func push(_ now: Int64) {
        let stamp = nextStamp
        nextStamp += period
        if lies > 0 {
            lies -= 1
            wrongSamples += 1
            // Of the future, or of the past.
            return send(lies % 2 == 0 ? now + 1_000_000_000 : (log.entries.last?.stamp ?? -1))
        }
        send(stamp)
        log.add(stamp, at: now)
    }

    private func send(_ stamp: Int64) {
        var writer = JSONWriter()
        writer.push(names.map(\.description), times: [stamp], kinds.map { truth.measurement(of: $0, stamp) })
        wire?.send(writer.bytes)
    }

    func stall(until: Int64, _ now: Int64) {
        (nextStamp, silentUntil) = (max(nextStamp, until), max(silentUntil, until))
    }

    /// It sends so many samples with impossible times.
    func lie(_ count: Int) { lies = isWanted == true ? count : 0 }

    func vanish(until: Int64, _ now: Int64) {
        guard wire != nil else { return }
        (wire, isWanted, nextStamp, comesAt, lies) = (nil, nil, .max, until, 0)
        (wrongSamples, refused, log.isPlugged) = (0, 0, false)
    }

    /// Another program wants to provide the same.
    func rival(_ now: Int64) -> Wire? {
        guard self.wire != nil, log.isPlugged else { return nil }
        let wire = connect(now)
        let offers = names.map { JSONValue.object(["name": .string($0.description)]) }
        wire.call("Feed.Provide", ["resources": .array(offers)], .more)
        return wire
    }
}
