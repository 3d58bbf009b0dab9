/// The messages of all streams, some of which outlive others.
///
/// A segment goes as a whole, with the messages of all streams in it. To let location outlive debug data, one can rewrite
/// what has to stay, or not write it to the same segments. To rewrite costs a flash card its life, and a power cut in the
/// middle has to be thought of. So each priority has a chain of segments of its own, and so has each stream with a share:
/// a `Spool` each, which knows nothing of the others, so that all that is proved of one is true of each. They share the
/// directory and the limit; over the limit, first goes what has arrived, then the oldest of the lowest priority, and of
/// equals that of the one that takes most. Without priorities there is one chain, whose files are as they always were.
///
/// A stream is numbered by one chain in an epoch. What lies in a chain where the streams of today are not is only read:
/// if it is lost, the stream's own chain reports it.
public struct PrioritySpool {
    private struct Part {
        let chain: SpoolChain
        var spool: Spool
        var bytes = 0
    }

    /// The epoch of new messages.
    public let epoch: Identity
    /// What was found when it was opened.
    public let recovery: SpoolRecovery
    /// The priority of each lane.
    public let priorities: [Priority]

    private let configured: [String]
    private let maximumBytes: Int
    /// What leaves first comes first; the index is a part of each serial.
    private var parts: [Part] = []
    /// The chain and the index in it of each configured stream.
    private var owners: [(part: Int, index: Int)] = []
    /// The chain of streams that nobody configured: their losses are reported too.
    private let main: Int

    /// Opens what is on a disk, and begins a new epoch; each message that is there is visited with its lane, the oldest first.
    public init(
        _ disk: any SpoolDisk, streams: [SpoolStream], epoch: Identity, bootID: Identity, limits: SpoolLimits,
        visit: (_ lane: Int, _ message: SpooledMessage, _ bootID: Identity, _ utcMicroseconds: Int64) -> Void = {
            _, _, _, _ in
        }
    ) throws(DiskFailure) {
        self.epoch = epoch
        configured = streams.map(\.name)
        maximumBytes = limits.maximumBytes
        let chains = SpoolChain.all(of: streams, and: try disk.names())
        main = chains.firstIndex { $0.prefix.isEmpty } ?? 0
        priorities = chains.map(\.priority)
        for (index, chain) in chains.enumerated() {
            var own = limits
            own.chains = chains.count
            own.maximumBytes = limits.maximumBytes / 100 * (chain.percent ?? 100)
            let spool = try Spool(
                ChainDisk(disk, prefix: chain.prefix), streams: chain.streams, epoch: epoch, bootID: bootID,
                limits: own,
                reportsAllBut: index == main ? Set(configured).subtracting(chain.streams) : nil,
                visit: { visit(index, $0, $1, $2) })
            parts.append(Part(chain: chain, spool: spool, bytes: spool.bytes))
        }
        for name in configured {
            let part = chains.firstIndex { $0.streams.contains(name) } ?? main
            owners.append((part, chains[part].streams.firstIndex(of: name) ?? 0))
        }
        assert(parts.indices.contains(main) && owners.count == configured.count, "each stream has a chain")
        // So that the newest segment is also the one with the highest number.
        let newest = parts.map(\.spool.newestOrdinal).max() ?? 0
        for index in parts.indices { parts[index].spool.skipOrdinals(to: newest) }
        let all = parts.map(\.spool.recovery)
        let ordinals = parts.map(\.spool.recoveredOrdinal)
        var recovery = zip(ordinals, all).max { $0.0 < $1.0 }?.1 ?? SpoolRecovery()
        recovery.damagedBytes = all.reduce(0) { $0 + $1.damagedBytes }
        recovery.isLastUnreadable = all.contains { $0.isLastUnreadable }
        for other in all where other.epoch == recovery.epoch { recovery.unknownEnds.formUnion(other.unknownEnds) }
        self.recovery = recovery
    }

    /// What was found of a stream, which may have been in another chain.
    public func recovery(of stream: String) -> SpoolRecovery {
        recoveredLane(of: stream).map { parts[$0].spool.recovery } ?? recovery
    }

    /// The lane in which a stream was; nil if nothing was found of it.
    public func recoveredLane(of stream: String) -> Int? {
        func newest(_ has: (SpoolRecovery) -> Bool) -> Int? {
            parts.indices.filter { has(parts[$0].spool.recovery) }.max {
                parts[$0].spool.recoveredOrdinal < parts[$1].spool.recoveredOrdinal
            }
        }
        // Where its chain has lost the epoch before, the one in which it was earlier knows the epoch before that.
        let known = newest { $0.last[stream] != nil || $0.unknownEnds.contains(stream) }
        let earlier = newest { $0.earlier?.last[stream] != nil }
        guard let known, let earlier else { return known ?? earlier }
        // What lies where it was before it changed its chain is older than what the other one knows of it, if it was left out since.
        let (one, other) = (parts[known].spool, parts[earlier].spool)
        guard let last = one.recovery.epoch, let before = other.recovery.earlier?.epoch,
            one.recoveredOrdinal < other.recoveredOrdinal
        else { return known }
        return last < before ? earlier : known
    }

    /// The streams of the epoch before that nobody configured: what they had numbered, and as far as they are known.
    public var leftOut: [String] {
        let newest = parts.map(\.spool.recovery).filter { $0.epoch == recovery.epoch }
        let names = newest.flatMap { $0.last.filter { $0.value > 0 }.keys + Array($0.unknownEnds) }
        return Set(names).subtracting(configured).sorted()
    }

    /// Adds a stream that nobody configured, so that losses of it can be reported.
    public mutating func add(_ stream: String) { _ = parts[main].spool.index(of: stream) }

    /// The streams, in the order in which they were given, and others of which losses were to be reported.
    public var streams: [String] {
        configured + parts[main].spool.streams.dropFirst(parts[main].chain.streams.count)
    }

    private func owner(of stream: Int) -> (part: Int, index: Int) {
        if stream < owners.count { return owners[stream] }
        return (main, stream - owners.count + parts[main].chain.streams.count)
    }

    /// Why the newest message could not be written; nil if it was.
    public var failure: DiskFailure? {
        // With a key path, which a generic type makes anew each time, this took as long as a message.
        for index in parts.indices { if let failure = parts[index].spool.failure { return failure } }
        return nil
    }

    /// How often the disk did not do what it was asked.
    public var failures: UInt64 { parts.reduce(0) { $0 + $1.spool.failures } }

    /// Whether new messages are about to be read, and are kept in memory for that.
    public var keepsNewest = false {
        didSet { for index in parts.indices { parts[index].spool.keepsNewest = keepsNewest } }
    }

    /// Whether there is anything that a power cut would lose.
    public var isUnsynced: Bool { parts.contains { $0.spool.isUnsynced } }

    /// The bytes of all segments.
    public var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }

    /// How many numbers were lost since it was opened, or found lost then.
    public var lostNumbers: UInt64 { parts.reduce(0) { $0 + $1.spool.lostNumbers } }

    /// How many messages are not acknowledged.
    public var backlog: UInt64 { parts.reduce(0) { $0 + $1.spool.backlog } }

    /// The number of the next message of a stream.
    public func nextNumber(of stream: Int) -> UInt64 {
        let (part, index) = owner(of: stream)
        return parts[part].spool.nextNumber(of: index)
    }

    /// The newest number of a stream that the disk has; 0 if it has none.
    public func lastNumber(of stream: Int) -> UInt64 {
        let (part, index) = owner(of: stream)
        return parts[part].spool.lastNumber(of: index)
    }

    /// The oldest number of a stream in this epoch that is still there; nil if there is none.
    public func oldestNumber(of stream: Int) -> UInt64? {
        let (part, index) = owner(of: stream)
        return parts[part].spool.oldestNumber(of: index)
    }

    // MARK: Serials

    /// The serials of each chain, from its oldest message to the one after its newest; what leaves first comes first.
    public var lanes: [Range<UInt64>] {
        parts.indices.map {
            SerialLane.serial(parts[$0].spool.first, in: $0)..<SerialLane.serial(parts[$0].spool.end, in: $0)
        }
    }

    /// The chain of a serial, and the serial in it; nil if there is none.
    private func split(_ serial: UInt64) -> (part: Int, inner: UInt64)? {
        let (part, inner) = SerialLane.split(serial)
        return parts.indices.contains(part) ? (part, inner) : nil
    }

    /// Whether the message at a serial has arrived, or is gone.
    public func isAcknowledged(_ serial: UInt64) -> Bool {
        split(serial).map { parts[$0.part].spool.isAcknowledged($0.inner) } ?? true
    }

    /// The first serial of a lane from one on that is not acknowledged.
    public func firstUnacknowledged(from serial: UInt64) -> UInt64 {
        guard let (part, inner) = split(serial) else { return serial }
        return SerialLane.serial(parts[part].spool.firstUnacknowledged(from: inner), in: part)
    }

    /// The message at a serial; nil if it is not there.
    public mutating func message(at serial: UInt64) -> SpooledMessage? {
        guard let (part, inner) = split(serial), var found = parts[part].spool.message(at: inner) else { return nil }
        found.serial = serial
        return found
    }

    // MARK: Writing

    /// Appends the first message of the first streams, as far as the disk takes them; whether all are there.
    public mutating func begin(_ count: Int, at now: Moment, payload: (_ stream: Int) -> [UInt8]) -> Bool {
        var hasBegun = true
        for part in parts.indices {
            let streams = (0..<count).filter { owner(of: $0).part == part }
            let isWhole = parts[part].spool.begin(streams.count, at: now) { payload(streams[$0]) }
            hasBegun = hasBegun && isWhole
            settle(part, now)
        }
        return hasBegun
    }

    /// Appends a message with the next numbers of its stream; its serial, or nil if the disk does not take it.
    public mutating func append(
        _ form: Message.Form, to stream: Int, count: UInt32 = 1, at now: Moment, payload: (UInt64) -> [UInt8]
    ) -> UInt64? {
        let (part, index) = owner(of: stream)
        let inner = parts[part].spool.append(form, to: index, count: count, at: now, payload: payload)
        guard parts.count > 1 else { return inner }
        // What others report of a loss needs room too, so only what has arrived makes some.
        if inner == nil, parts[part].spool.failure?.isFull == true,
            let spent = victim(among: parts.indices.filter { parts[$0].spool.isOldestSpent })
        {
            _ = remove(from: spent)
        }
        settle(part, now)
        return inner.map { SerialLane.serial($0, in: part) }
    }

    /// Numbers of a stream will never come: a record will report it.
    public mutating func lose(_ loss: Loss, of stream: String) {
        let index = configured.firstIndex(of: stream)
        parts[index.map { owners[$0].part } ?? main].spool.lose(loss, of: stream)
    }

    /// Reports what is lost, if the disk takes it.
    public mutating func reportLosses(_ now: Moment) {
        for index in parts.indices {
            parts[index].spool.reportLosses(now)
            for (stream, loss) in parts[index].spool.takeOthers() { lose(loss, of: stream) }
        }
        // What others were given.
        for index in parts.indices { parts[index].spool.reportLosses(now) }
    }

    /// The message at a serial has arrived.
    public mutating func acknowledge(_ serial: UInt64) {
        guard let (part, inner) = split(serial) else { return }
        parts[part].spool.acknowledge(inner)
    }

    /// Writes down what is acknowledged, so that the next process does not send it again.
    public mutating func mark(_ now: Moment) { for index in parts.indices { parts[index].spool.mark(now) } }

    /// Begins to write everything down for good.
    public mutating func sync() {
        // What goes from one chain may be reported in another one.
        let mayRemove = parts.allSatisfy { $0.spool.hasReportedLosses }
        for index in parts.indices { parts[index].spool.sync(mayRemove: mayRemove) }
    }

    /// Writes down that the program ends in order.
    public mutating func close(_ now: Moment) {
        reportLosses(now)
        for index in parts.indices where !parts[index].spool.streams.isEmpty { parts[index].spool.close(now) }
        sync()
    }

    // MARK: Removing

    /// Removes what is too old, or has arrived and was kept long enough.
    public mutating func trim(_ now: Moment) {
        for index in parts.indices {
            parts[index].spool.trim(now)
            settle(index, now)
        }
    }

    /// Brings all chains together below the limit, after one has changed.
    private mutating func settle(_ changed: Int, _ now: Moment) {
        parts[changed].bytes = parts[changed].spool.bytes
        guard parts.count > 1 else { return }
        while bytes > maximumBytes, let victim = victim(among: parts.indices), remove(from: victim) {}
        reportLosses(now)
    }

    private mutating func remove(from part: Int) -> Bool {
        let isRemoved = parts[part].spool.removeOldest()
        parts[part].bytes = parts[part].spool.bytes
        return isRemoved
    }

    /// Whose oldest segment goes next.
    private func victim(among candidates: some Sequence<Int>) -> Int? {
        candidates.filter { parts[$0].spool.hasRemovable }.min { one, other in
            let (one, other) = (parts[one], parts[other])
            if one.spool.isOldestSpent != other.spool.isOldestSpent { return one.spool.isOldestSpent }
            if one.chain.priority != other.chain.priority { return one.chain.priority < other.chain.priority }
            return one.bytes > other.bytes
        }
    }

    // MARK: Looking for numbers

    /// Whether anything is there of an epoch of a stream.
    public func holds(_ stream: String, of epoch: Identity) -> Bool {
        parts.contains { $0.spool.holds(stream, of: epoch) }
    }

    /// Looks for numbers of a stream, at most so many messages.
    public func find(_ wanted: ClosedRange<UInt64>, of stream: String, epoch: Identity, most: Int) -> FoundNumbers {
        guard let part = parts.firstIndex(where: { $0.spool.holds(stream, of: epoch) }) else {
            return parts[main].spool.find(wanted, of: stream, epoch: epoch, most: most)
        }
        var found = parts[part].spool.find(wanted, of: stream, epoch: epoch, most: most)
        found.serials = found.serials.map { SerialLane.serial($0, in: part) }
        return found
    }
}

/// The lane of a serial, which is in its highest bits: messages of one priority, or of one stream, follow each other in it.
public enum SerialLane {
    private static let shift: UInt64 = 56

    /// Which lane a serial is in.
    public static func index(of serial: UInt64) -> Int { Int(serial >> shift) }

    static func serial(_ inner: UInt64, in lane: Int) -> UInt64 {
        assert(inner >> shift == 0 && lane >> (64 - shift) == 0, "a serial and its lane share no bits")
        return UInt64(lane) << shift | inner
    }

    static func split(_ serial: UInt64) -> (lane: Int, inner: UInt64) { (index(of: serial), serial & (1 << shift - 1)) }
}
