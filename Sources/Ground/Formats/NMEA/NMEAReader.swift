internal import Readings

/// Reads a receiver's log: NMEA 0183, one location per epoch.
///
/// gpsbabel reads such logs as well, and reads all other formats of receivers for `import`. Of this one it leaves out too much: epochs
/// without a fix, so that nobody sees where reception was lost; satellites in view and errors; the altitude of the first fix; sentences
/// that follow another one on a line; and everything, if no sentence has the date. It is what every receiver writes, and what gpsd's users
/// log. `gpsdecode`, of gpsd, omits reports that a running gpsd would send, and its package depends on a desktop.
///
/// Nine kinds of sentences are read, of any talker. Damaged ones are skipped and counted, other lines are skipped, and so is text before a
/// `$`, as in timestamped logs. A log is read twice, since its first date may come late.
public enum NMEAReader {
    private static let dayMicroseconds: Int64 = 86_400_000_000
    /// Epochs of one second that are held back.
    private static let mostEqual = 1_000

    private struct Timed {
        let epoch: NMEAEpoch
        let day: Int64?
        let line: Int
    }

    /// Reads the locations of a log, one second apart if it has no times; returns what was left out.
    ///
    /// The times are those of a receiver's clock: if it goes back, or jumps by more than a day, it sets the time of day
    /// of the samples, but not the distance between them. Epochs of equal times are spread over the time until the next one.
    public static func read(_ content: FileContent, _ take: ImportedSample.Taker) throws(FormatError) -> ConversionNotes
    {
        let content = try WideText.decoded(content)
        let survey = try NMEASurvey(content)
        var (day, midnights) = (survey.firstDay, Midnights())
        var reader = try EpochReader(content, survey)
        var (step, offset): (Int64, Int64) = (1_000_000_000, 0)
        var equal: [Timed] = []
        func give(_ epochs: [Timed], over span: Int64) throws(FormatError) {
            for (place, timed) in epochs.enumerated() {
                let location = timed.epoch.location(onDay: timed.day)
                try take(
                    ImportedSample(
                        offsetNanoseconds: offset + span / Int64(epochs.count) * Int64(place),
                        measurement: .location(location), utcMicroseconds: location.utcMicroseconds), timed.line)
            }
            offset += span
        }
        while let (epoch, line) = try reader.next() {
            let isNextDay = epoch.timeOfDay.map { midnights.pass(to: $0) } ?? false
            day = epoch.day ?? day.map { isNextDay ? $0 + 1 : $0 }
            let next = Timed(epoch: epoch, day: day, line: line)
            if let first = equal.first {
                let isEqual =
                    first.epoch.timeOfDay != nil && first.epoch.timeOfDay == epoch.timeOfDay && first.day == day
                if !isEqual || equal.count == mostEqual {
                    step = distance(first, next) ?? step
                    try give(equal, over: step)
                    equal = []
                }
            }
            equal.append(next)
        }
        guard !equal.isEmpty else {
            throw FormatError("it has no sentence with a position ($..RMC, $..GGA, $..GNS or $..GLL)")
        }
        try give(equal, over: step)
        var notes = ConversionNotes()
        notes.leaveOut("damaged sentence", "", line: reader.firstDamaged, count: reader.damaged)
        return notes
    }

    /// Nanoseconds from one epoch to the next; nil if the receiver does not report the time, or if it cannot be right.
    private static func distance(_ first: Timed, _ next: Timed) -> Int64? {
        guard let start = first.epoch.timeOfDay, let end = next.epoch.timeOfDay else { return nil }
        let days = first.day.flatMap { firstDay in next.day.map { $0 - firstDay } } ?? (end < start ? 1 : 0)
        guard (0...1).contains(days) else { return nil }
        let microseconds = end - start + days * dayMicroseconds
        return (1...dayMicroseconds).contains(microseconds) ? microseconds * 1_000 : nil
    }
}

/// The epochs of a log, one by one.
struct EpochReader {
    /// The number of damaged sentences so far, and the line of the first.
    private(set) var damaged = 0
    private(set) var firstDamaged: Int?
    private var sentences: SentenceReader
    private let lead: String?
    private var epoch = NMEAEpoch()
    private var line = 0

    init(_ content: FileContent, _ survey: NMEASurvey) throws(FormatError) {
        sentences = try SentenceReader(content)
        lead = survey.lead
        needsSums = survey.hasSums
    }

    private let needsSums: Bool

    /// The next epoch and its last line.
    mutating func next() throws(FormatError) -> (NMEAEpoch, Int)? {
        while let (parsed, number) = try sentences.next() {
            guard case .sentence(let sentence, let hasSum) = parsed, hasSum || !needsSums else {
                if case .other = parsed { continue }
                damaged += 1
                firstDamaged = firstDamaged ?? number
                continue
            }
            // A copy for each sentence would copy its satellites.
            let ended = epoch.isEnded(by: sentence, lead: lead) ? (epoch, line) : nil
            if ended != nil { epoch = NMEAEpoch() }
            epoch.take(sentence)
            line = number
            if let ended, !ended.0.isEmpty { return ended }
        }
        defer { epoch = NMEAEpoch() }
        return epoch.isEmpty ? nil : (epoch, line)
    }
}

/// The sentences of a log, one by one, with their lines.
///
/// A very long line is cut.
struct SentenceReader {
    private static let longestLine = 1 << 16

    private let pieces: FileContent.Pieces
    private var bytes: [UInt8] = []
    private var position = 0
    private var isWhole = false
    private var nextLine = 1
    /// The sentences of a line that were not returned yet, and its number.
    private var waiting: ArraySlice<NMEASentence.Parsed> = []
    private var line = 0

    init(_ content: FileContent) throws(FormatError) { pieces = try content.begin() }

    mutating func next() throws(FormatError) -> (NMEASentence.Parsed, Int)? {
        while true {
            if let parsed = waiting.popFirst() { return (parsed, line) }
            line = nextLine
            if let end = bytes[position...].firstIndex(where: { $0 == 10 || $0 == 13 }) {
                waiting = NMEASentence.all(in: bytes[position..<end])[...]
                position = end + 1
                if bytes[end] == 10 { nextLine += 1 }
            } else if isWhole {
                guard position < bytes.count else { return nil }
                waiting = NMEASentence.all(in: bytes[position...])[...]
                position = bytes.count
            } else {
                let piece = try pieces()
                isWhole = piece.isEmpty
                bytes = Array(bytes[position...].prefix(Self.longestLine)) + piece
                position = 0
            }
        }
    }
}
