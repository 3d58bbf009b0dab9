internal import Readings

/// Reads a receiver's log: NMEA 0183, one location per epoch.
///
/// It does not use gpsd's decoder: `gpsdecode` omits reports that a running gpsd would send, and its package depends on
/// a desktop, while a log needs only eight kinds of sentences. Other sentences, sentences with a wrong checksum and
/// other lines are skipped, and so is text before a `$`, as in timestamped logs. A log is read twice, since its first
/// date may come late.
public enum NMEAReader {
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// Reads the locations of a log, one second apart if it has no times; returns a message for each thing that was
    /// skipped.
    ///
    /// The times are those of a receiver's clock: if it goes back, or jumps by more than a day, it sets the time of day
    /// of the samples, but not the distance between them.
    public static func read(_ content: FileContent, _ take: ImportedSample.Taker) throws(FormatError) -> [String] {
        var day = try firstDay(content)
        var reader = try EpochReader(content)
        var (step, offset): (Int64, Int64?) = (1_000_000_000, nil)
        var former: (epoch: NMEAEpoch, day: Int64?)?
        while let (epoch, line) = try reader.next() {
            if let said = epoch.day {
                day = said
            } else if let time = epoch.timeOfDay, let last = former?.epoch.timeOfDay, last - time > dayMicroseconds / 2
            {
                day = day.map { $0 + 1 }
            }
            if let former, let said = distance(former.epoch, former.day, epoch, day) { step = said }
            let next = offset.map { $0 + step } ?? 0
            let location = epoch.location(onDay: day)
            try take(
                ImportedSample(
                    offsetNanoseconds: next, measurement: .location(location),
                    utcMicroseconds: location.utcMicroseconds), line)
            offset = next
            former = (epoch, day)
        }
        guard offset != nil else {
            throw FormatError("it has no sentence with a position ($..RMC, $..GGA, $..GNS or $..GLL)")
        }
        guard reader.passed > 0 else { return [] }
        return ["\(reader.passed) sentences were skipped, because they are proprietary or their checksums are wrong"]
    }

    /// Nanoseconds from one epoch to the next; nil if the receiver does not report the time, or if it cannot be right.
    private static func distance(_ first: NMEAEpoch, _ firstDay: Int64?, _ next: NMEAEpoch, _ nextDay: Int64?) -> Int64?
    {
        guard let start = first.timeOfDay, let end = next.timeOfDay else { return nil }
        let days = firstDay.flatMap { firstDay in nextDay.map { $0 - firstDay } } ?? (end < start ? 1 : 0)
        guard (0...1).contains(days) else { return nil }
        let microseconds = end - start + days * dayMicroseconds
        return (1...dayMicroseconds).contains(microseconds) ? microseconds * 1_000 : nil
    }

    /// Before the first date, the day is counted backwards across midnights.
    private static func firstDay(_ content: FileContent) throws(FormatError) -> Int64? {
        var reader = try EpochReader(content)
        var midnights: Int64 = 0
        var last: Int64?
        while let (epoch, _) = try reader.next() {
            if let time = epoch.timeOfDay {
                if let last, last - time > dayMicroseconds / 2 { midnights += 1 }
                last = time
            }
            if let day = epoch.day { return day - midnights }
        }
        return nil
    }
}

/// The epochs of a log, one by one.
private struct EpochReader {
    /// The number of invalid sentences so far.
    private(set) var passed = 0
    private var lines: LineReader
    private var epoch = NMEAEpoch()
    private var line = 0

    init(_ content: FileContent) throws(FormatError) { lines = try LineReader(content) }

    /// The next epoch and its last line.
    mutating func next() throws(FormatError) -> (NMEAEpoch, Int)? {
        while let (bytes, number) = try lines.next() {
            guard bytes.contains(UInt8(ascii: "$")) else { continue }
            guard let sentence = NMEASentence(bytes) else {
                passed += 1
                continue
            }
            let (ended, last) = (epoch, line)
            let isEnded = epoch.isEnded(by: sentence)
            if isEnded { epoch = NMEAEpoch() }
            epoch.take(sentence)
            line = number
            if isEnded, !ended.isEmpty { return (ended, last) }
        }
        defer { epoch = NMEAEpoch() }
        return epoch.isEmpty ? nil : (epoch, line)
    }
}
