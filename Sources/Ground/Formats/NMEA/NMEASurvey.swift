/// What has to be known of a log before its epochs are read.
struct NMEASurvey {
    /// Sentences from which the order of a receiver's cycle is learnt.
    private static let mostSentences = 400

    /// Whether sentences have checksums: one without is damaged then.
    private(set) var hasSums = false
    /// The type of sentence, without a time, that begins each cycle of the receiver; nil if one with a time does.
    private(set) var lead: String?
    /// The day of the first epoch since 1970; counted backwards across midnights from the first date.
    private(set) var firstDay: Int64?

    init(_ content: FileContent) throws(FormatError) {
        var reader = try SentenceReader(content)
        var sentences: [NMEASentence] = []
        while sentences.count < Self.mostSentences, let (parsed, _) = try reader.next() {
            guard case .sentence(let sentence, let hasSum) = parsed else { continue }
            hasSums = hasSums || hasSum
            sentences.append(sentence)
        }
        lead = Self.lead(of: sentences)
        firstDay = try Self.firstDay(content, self)
    }

    /// A receiver pauses between two cycles, so a log begins with the first sentence of one; not if cycles that begin there would have two
    /// times.
    private static func lead(of sentences: [NMEASentence]) -> String? {
        guard let first = sentences.first, NMEAEpoch.time(of: first) == nil, !NMEAEpoch.hasTime(first.type) else {
            return nil
        }
        // The log began within a group of sentences about satellites.
        guard first.type != "GSV" || first.text(1) == "1" else { return nil }
        var time: Int64?
        for sentence in sentences {
            if sentence.type == first.type { time = nil }
            guard let next = NMEAEpoch.time(of: sentence) else { continue }
            // Some receivers round the time differently in each sentence.
            if let time, abs(next - time) >= 1_000_000 { return nil }
            time = time ?? next
        }
        return first.type
    }

    private static func firstDay(_ content: FileContent, _ survey: Self) throws(FormatError) -> Int64? {
        var reader = try EpochReader(content, survey)
        var midnights = Midnights()
        while let (epoch, _) = try reader.next() {
            if let time = epoch.timeOfDay { midnights.pass(to: time) }
            if let day = epoch.day { return day - midnights.count }
        }
        return nil
    }
}
