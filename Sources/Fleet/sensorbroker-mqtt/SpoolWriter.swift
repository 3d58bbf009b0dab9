internal import Configuration
internal import Fleet
internal import Platform
internal import Spool

/// Puts what is measured into the spool: one by one while there is a connection, else in compressed groups.
final class SpoolWriter {
    /// The messages on their way.
    var spool: PrioritySpool
    /// Whether messages leave at once.
    private(set) var isLive = false
    /// Whether the first messages are in the spool: nothing may come before them.
    private(set) var hasBegun = false
    /// What of each stream was not read before this program began; nil: nothing.
    let missing: [BridgeGap?]

    /// How many numbers were found lost when the spool was opened.
    let foundLost: UInt64
    var path: String { directory.path }

    private let directory: SpoolDirectory
    private let bootID: Identity
    private let beginning: BeginCause
    /// What of each stream was not read at the end of the boot before.
    private let formerGaps: [FormerGap?]
    private var gathering: Gathering
    private var clock: ClockWatch
    private let syncNanoseconds: Int64
    private var syncDue: Int64
    private var markDue: Int64
    private var trimDue: Int64

    private static let trimNanoseconds = 10 * Nanoseconds.second

    init(
        _ directory: SpoolDirectory, _ settings: FleetSettings, bootID: Identity, _ now: Moment
    ) throws(DiskFailure) {
        var random = SystemRandomNumberGenerator()
        let epoch = Identity(utcMicroseconds: now.utcMicroseconds, random: (random.next(), random.next()))
        self.directory = directory
        self.bootID = bootID
        // Of each lane, since a stream may have been in another one before.
        var known: [Int: KnownEnds] = [:]
        spool = try PrioritySpool(
            directory, streams: settings.readings.map(\.spooled), epoch: epoch, bootID: bootID,
            limits: SpoolLimits(
                maximumBytes: settings.maximumBytes, maximumAgeNanoseconds: settings.maximumAge.nanoseconds,
                acknowledgedNanoseconds: settings.keepAcknowledged.nanoseconds),
            visit: { known[$0, default: KnownEnds()].take($1, $2, $3) })
        foundLost = spool.lostNumbers
        beginning = BeginCause(spool.recovery, bootID: bootID)
        let gaps = settings.readings.map { [beginning, spool] reading -> (here: BridgeGap?, former: FormerGap?) in
            let ends = spool.recoveredLane(of: reading.resource).flatMap { known[$0] } ?? KnownEnds()
            return ends.gap(of: reading.resource, beginning, bootID, now)
        }
        missing = gaps.map(\.here)
        formerGaps = gaps.map(\.former)
        gathering = Gathering(intervalNanoseconds: settings.sync.nanoseconds)
        clock = ClockWatch(sent: now)
        syncNanoseconds = settings.sync.nanoseconds
        (syncDue, markDue, trimDue) = (now.bootNanoseconds, now.bootNanoseconds, now.bootNanoseconds)
        begin(now)
    }

    /// The first message of each stream, with what was before it; if the disk does not take it, it is asked again later.
    ///
    /// Streams that are left out now have one as well: after a crash, nothing has reported where they ended.
    private func begin(_ now: Moment) {
        let clock = reading(now)
        if beginning == .crash || beginning == .powerLoss { for stream in spool.leftOut { spool.add(stream) } }
        let ends = spool.streams.map { spool.recovery(of: $0).end(of: $0) }
        hasBegun = spool.begin(ends.count, at: now) { [beginning, formerGaps, missing] stream in
            let isRead = missing.indices.contains(stream)
            return Wire.began(
                beginning, after: ends[stream], isRead ? formerGaps[stream] : nil,
                known: isRead ? missing[stream]?.since : nil, clock)
        }
        if hasBegun { spool.reportLosses(now) }
    }

    /// Both clocks, and whether the second one follows a reference.
    func reading(_ now: Moment) -> ClockReading { ClockReading(bootID: bootID, moment: now) }

    /// Takes the members of an object of a stream.
    func take(_ members: [UInt8], of stream: Int, _ now: Moment) {
        if clock.isDue(now) {
            let members = Wire.clock(reading(now))
            for stream in missing.indices { put(members, stream, now) }
        }
        put(members, stream, now)
    }

    private func put(_ members: [UInt8], _ stream: Int, _ now: Moment) {
        assert(hasBegun, "nothing comes before the first messages")
        if isLive {
            _ = spool.append(.members, to: stream, at: now) { _ in members }
        } else if gathering.add(members, to: stream, now.bootNanoseconds), let group = gathering.take(stream) {
            write(group, now)
        }
    }

    /// Messages leave at once from now on, or wait, and are gathered meanwhile.
    func setLive(_ isLive: Bool, _ now: Moment) {
        if isLive { writeAll(now) }
        self.isLive = isLive
        spool.keepsNewest = isLive
    }

    /// Writes what was gathered.
    func writeAll(_ now: Moment) { for group in gathering.takeAll() { write(group, now) } }

    private func write(_ group: Gathering.Group, _ now: Moment) {
        assert(!group.objects.isEmpty, "a group has a number for each object")
        if group.objects.count > 1 {
            let epoch = spool.epoch
            var isCompressed = true
            _ = spool.append(.group, to: group.stream, count: UInt32(group.objects.count), at: now) { number in
                let frame = GroupFrame.compressed(group.lines(epoch: epoch, number: number))
                isCompressed = frame != nil
                return frame ?? []
            }
            if isCompressed { return }
        }
        for members in group.objects { _ = spool.append(.members, to: group.stream, at: now) { _ in members } }
    }

    /// Does what is due; when to be called again.
    func turn(_ now: Moment) -> Int64 {
        let boot = now.bootNanoseconds
        if !hasBegun {
            begin(now)
            return hasBegun ? boot : boot + Nanoseconds.second
        }
        if let deadline = gathering.deadline, deadline <= boot {
            writeAll(now)
            spool.sync()
            syncDue = boot + syncNanoseconds
        }
        if boot >= markDue {
            spool.mark(now)
            markDue = boot + Nanoseconds.second
        }
        if boot >= syncDue {
            spool.sync()
            syncDue = boot + syncNanoseconds
        }
        if boot >= trimDue {
            spool.trim(now)
            spool.reportLosses(now)
            trimDue = boot + Self.trimNanoseconds
        }
        // What is too old is a matter of hours: while nothing happens, it is looked for less often.
        let idleTrim = trimDue + 5 * Self.trimNanoseconds
        return min(gathering.deadline ?? .max, spool.isUnsynced ? min(syncDue, markDue) : .max, idleTrim)
    }

    /// Writes everything down.
    func close(_ now: Moment) {
        writeAll(now)
        spool.close(now)
        directory.syncNow()
    }

    /// Why something could not be written; nil if it could.
    func takeFailure() -> DiskFailure? { spool.failure ?? directory.takeSyncFailure() }

    /// What the status states of each stream.
    var streams: [StreamStatus] {
        spool.streams.enumerated().map { index, name in
            StreamStatus(name: name, last: spool.lastNumber(of: index), oldest: spool.oldestNumber(of: index))
        }
    }
}
