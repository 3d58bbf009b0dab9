internal import Readings

/// The sentences of one instant, merged.
struct NMEAEpoch {
    /// Microseconds of the day; nil until a sentence has it.
    private(set) var timeOfDay: Int64?
    /// Days since 1970, if a sentence has the date.
    private(set) var day: Int64?
    private var read = Location(fix: .noPosition)
    private var isValid: Bool?
    private var dimensions: Int?
    /// Satellites in the solution and in view, with limits, since a log without positions is one epoch.
    ///
    /// The same satellite may be named for each of its signals, or by two sentences.
    private var used: Set<String> = []
    private var visible: [String: Sky] = [:]
    private var seen: Set<String> = []
    /// Which kind of sentence gave the position: others may have fewer digits.
    private var positionRank = 0
    /// The first sentence with a time.
    private var first: String?

    /// The satellites of one talker.
    private struct Sky {
        var numbers: Set<String> = []
        /// How many the sentences have, of one signal.
        var most = 0

        var count: Int { max(most, numbers.count) }
    }

    private static let stations =
        Double(PossibleValues.correctionStations.lowerBound)...Double(PossibleValues.correctionStations.upperBound)
    private static let mostSatellites = 200
    private static let mostTalkers = 20
    private static let metersPerSecondPerKnot = 1_852.0 / 3_600.0
    /// From a standard deviation to the 95 % interval.
    private static let confidence = 1.96

    /// The sentences that contain the time, and the index of its field.
    private static let timeFields = ["RMC": 0, "GGA": 0, "GNS": 0, "GLL": 4, "ZDA": 0, "GST": 0]

    /// Whether sentences of a type have the time.
    static func hasTime(_ type: String) -> Bool { timeFields[type] != nil }

    /// The time of day in a sentence.
    static func time(of sentence: NMEASentence) -> Int64? {
        timeFields[sentence.type].flatMap { sentence.timeOfDay($0) }
    }

    /// Whether a sentence belongs to another instant; `lead` is the type of sentence, without a time, that begins each cycle of this receiver.
    func isEnded(by sentence: NMEASentence, lead: String?) -> Bool {
        if sentence.type == lead { return timeOfDay != nil }
        guard let field = Self.timeFields[sentence.type] else { return false }
        if let time = sentence.timeOfDay(field) {
            guard let timeOfDay else { return seen.contains(sentence.type) }
            // Some receivers round the time differently in each sentence: 13.076, 13.08, and even 13.76.
            let isNear = abs(time - timeOfDay) < 15_000 || time / 1_000_000 == timeOfDay / 1_000_000
            // Faster than once a second, but with whole seconds: the first sentence comes again.
            if time == timeOfDay { return sentence.address == first }
            return !isNear || seen.contains(sentence.type)
        }
        // A receiver that does not know the time repeats the same sentences.
        return timeOfDay == nil && seen.contains(sentence.type)
    }

    /// Whether no sentence of the epoch has been seen.
    var isEmpty: Bool { seen.isDisjoint(with: ["RMC", "GGA", "GNS", "GLL"]) }

    mutating func take(_ sentence: NMEASentence) {
        seen.insert(sentence.type)
        if let field = Self.timeFields[sentence.type], timeOfDay == nil, let time = sentence.timeOfDay(field) {
            (timeOfDay, first) = (time, sentence.address)
        }
        switch sentence.type {
        case "RMC": takeRMC(sentence)
        case "GGA", "GNS": takeGGA(sentence)
        // Old receivers do not send whether it is valid.
        case "GLL":
            takePosition(sentence, at: 0, isFix: sentence.text(5).isEmpty ? nil : sentence.text(5) == "A", rank: 1)
        case "VTG":
            read.trackDegrees = read.trackDegrees ?? Self.track(sentence, 0)
            read.speedMetersPerSecond = read.speedMetersPerSecond ?? Self.speed(sentence, 4)
        case "GSA": takeGSA(sentence)
        case "GSV": takeGSV(sentence)
        case "GST": takeGST(sentence)
        case "ZDA": takeDate(sentence.text(1), sentence.text(2), sentence.text(3))
        default: break
        }
    }

    /// The location; the day is used if no sentence had a date.
    func location(onDay day: Int64?) -> Location {
        var location = read
        if let day, let timeOfDay { location.utcMicroseconds = day * 86_400_000_000 + timeOfDay }
        if !used.isEmpty { location.satellitesUsed = used.count }
        if !visible.isEmpty {
            location.satellitesVisible = visible.values.reduce(0) {
                min(PossibleValues.satelliteCounts.upperBound, $0 + $1.count)
            }
        }
        let isThere = isValid != false && dimensions != 1 && location.latitudeDegrees != nil
        guard isThere, location.longitudeDegrees != nil else {
            location.latitudeDegrees = nil
            location.longitudeDegrees = nil
            location.altitudeMeters = nil
            location.geoidSeparationMeters = nil
            // A receiver may repeat the last ones.
            (location.speedMetersPerSecond, location.trackDegrees) = (nil, nil)
            (location.status, location.correctionAgeSeconds, location.correctionStation) = (nil, nil, nil)
            return location
        }
        location.fix = dimensions == 2 || location.altitudeMeters == nil ? .twoDimensional : .threeDimensional
        if location.fix == .twoDimensional { location.altitudeMeters = nil }
        if let height = location.altitudeMeters, let separation = location.geoidSeparationMeters {
            location.ellipsoidHeightMeters = height + separation
        }
        return location
    }

    private mutating func takeRMC(_ sentence: NMEASentence) {
        takePosition(sentence, at: 2, isFix: sentence.text(1).isEmpty ? nil : sentence.text(1) == "A", rank: 2)
        read.speedMetersPerSecond = Self.speed(sentence, 6) ?? read.speedMetersPerSecond
        read.trackDegrees = Self.track(sentence, 7) ?? read.trackDegrees
        let date = Array(sentence.text(8))
        guard date.count == 6, let year = Int64(String(date[4...])) else { return }
        // The year has two digits, and no receiver is from before 1980.
        takeDate(String(date[..<2]), String(date[2..<4]), "\(year < 80 ? 2000 + year : 1900 + year)")
    }

    private mutating func takeGGA(_ sentence: NMEASentence) {
        let quality = sentence.text(5)
        // GGA has a digit, GNS a letter for each system.
        let isFix = sentence.type == "GGA" ? quality != "0" : quality.contains { $0 != "N" }
        takePosition(sentence, at: 1, isFix: quality.isEmpty ? nil : isFix, rank: 3)
        read.satellitesUsed = sentence.number(6, 0...200).flatMap { Int(exactly: $0) }
        read.horizontalDilution = sentence.number(7, 0.001...99) ?? read.horizontalDilution
        let separation = sentence.type == "GGA" ? 10 : 9
        read.altitudeMeters = sentence.number(8, -20_000...100_000)
        read.geoidSeparationMeters = sentence.number(separation, -200...200)
        if sentence.type == "GGA" { read.status = FixQuality.status(quality: quality) }
        // Between them, GGA has the unit of the separation.
        let age = separation + (sentence.type == "GGA" ? 2 : 1)
        read.correctionAgeSeconds = sentence.number(age, PossibleValues.correctionAges) ?? read.correctionAgeSeconds
        read.correctionStation =
            sentence.number(age + 1, Self.stations).flatMap { Int(exactly: $0) } ?? read.correctionStation
    }

    /// Takes a position; `isFix` is nil if the sentence does not have whether it is one.
    private mutating func takePosition(_ sentence: NMEASentence, at index: Int, isFix: Bool?, rank: Int) {
        // One invalid sentence is decisive: the others may repeat the last position.
        if let isFix { isValid = isFix && isValid != false }
        guard isFix != false, rank > positionRank, let latitude = sentence.degrees(index, most: 90),
            let longitude = sentence.degrees(index + 2, most: 180)
        else { return }
        (read.latitudeDegrees, read.longitudeDegrees, positionRank) = (latitude, longitude, rank)
    }

    private mutating func takeGSA(_ sentence: NMEASentence) {
        if let mode = sentence.number(1, 1...3).flatMap({ Int(exactly: $0) }) {
            dimensions = max(mode, dimensions ?? 1)
        }
        // Since NMEA 4.1 the system has a field of its own.
        let system = sentence.text(17).utf8.count == 1 ? sentence.text(17) : sentence.talker
        for index in 2..<14 where used.count < Self.mostSatellites {
            sentence.satellite(index).map { _ = used.insert(system + " " + $0) }
        }
        read.positionDilution = sentence.number(14, 0.001...99) ?? read.positionDilution
        read.horizontalDilution = sentence.number(15, 0.001...99) ?? read.horizontalDilution
        read.verticalDilution = sentence.number(16, 0.001...99) ?? read.verticalDilution
    }

    private mutating func takeGSV(_ sentence: NMEASentence) {
        guard visible.count < Self.mostTalkers || visible[sentence.talker] != nil else { return }
        var sky = visible[sentence.talker] ?? Sky()
        sky.most = max(sky.most, sentence.number(2, 0...200).flatMap { Int(exactly: $0) } ?? 0)
        for index in stride(from: 3, to: sentence.fields.count - 3, by: 4) where sky.numbers.count < Self.mostSatellites
        {
            sentence.satellite(index).map { _ = sky.numbers.insert($0) }
        }
        visible[sentence.talker] = sky
    }

    private mutating func takeGST(_ sentence: NMEASentence) {
        if let north = sentence.number(5, 0...1e6), let east = sentence.number(6, 0...1e6) {
            read.horizontalErrorMeters = Self.confidence * (north * north + east * east).squareRoot()
        }
        read.verticalErrorMeters = sentence.number(7, 0...1e6).map { $0 * Self.confidence }
    }

    private mutating func takeDate(_ day: String, _ month: String, _ year: String) {
        guard let day = Int64(day), let month = Int64(month), let year = Int64(year) else { return }
        let days = CalendarTime.days(year: year, month: month, day: day)
        if let days, CalendarTime.possible(days * 86_400_000_000) != nil { self.day = days }
    }

    private static func speed(_ sentence: NMEASentence, _ index: Int) -> Double? {
        sentence.number(index, 0...19_000).map { $0 * metersPerSecondPerKnot }
    }

    private static func track(_ sentence: NMEASentence, _ index: Int) -> Double? {
        sentence.number(index, 0...360).map { $0 == 360 ? 0 : $0 }
    }
}
