public import Readings

/// Writes a location as NMEA 0183: what a receiver would have sent for it.
///
/// The form is that of NMEA 0183 4.10, since earlier ones give satellites of two systems the same number; only the
/// signal in GSV, which a location does not know, is left out, as in all earlier ones. What is unknown is an empty field.
public enum NMEAWriter {
    /// A type of sentence.
    public enum Sentence: CaseIterable, Sendable {
        /// Time, date, position, speed and track.
        case rmc
        /// Time, position, altitude, the quality of the fix, the number of satellites in use, the HDOP, and the age and
        /// the station of the corrections.
        case gga
        /// The kind of fix, each satellite in use, and the dilutions; one for each system of satellites.
        case gsa
        /// The satellites in view, four in a sentence; none if they are unknown.
        case gsv
        /// The heading, if it is known.
        case hdt
    }

    /// Bytes of a sentence without its end.
    private static let longest = 80

    /// The sentences of a location, without the carriage return and line feed with which each one ends on a line.
    ///
    /// `horizontalDilution` replaces that of the location: some readers derive the accuracy from it alone.
    public static func sentences(
        _ location: Location, _ types: [Sentence] = Sentence.allCases, horizontalDilution: Double? = nil
    ) -> [String] {
        var location = location
        location.horizontalDilution = horizontalDilution ?? location.horizontalDilution
        let constellations = Constellation.all(of: location.satellites ?? [])
        let talker = talker(of: constellations.filter { !$0.used.isEmpty })
        return types.flatMap { type in
            switch type {
            case .rmc: [sentence(talker + "RMC", rmc(location))]
            case .gga: [gga(location, talker + "GGA")]
            case .gsa: gsa(location, constellations, talker)
            case .gsv: constellations.flatMap { gsv($0) }
            case .hdt:
                location.headingDegrees.map { [sentence(talker + "HDT", [direction($0, 2), "T"])] } ?? []
            }
        }
    }

    /// That of the one system in use; `GP` if none is known, as from the receivers that every reader understands.
    private static func talker(of used: [Constellation]) -> String {
        used.count > 1 ? "GN" : used.first?.system.talker ?? Constellation.System.gps.talker
    }

    private static func rmc(_ location: Location) -> [String] {
        let isFix = isFix(location)
        let place = isFix ? place(location) : Array(repeating: "", count: 4)
        let knots = location.speedMetersPerSecond.map { $0 * 3_600 / 1_852 }
        return [time(location), isFix ? "A" : "V"] + place + [
            isFix ? fixed(knots, knots ?? 0 < 1_000 ? 3 : 1) : "", isFix ? direction(location.trackDegrees, 2) : "",
            date(location), "", "",
            isFix ? FixQuality(location).mode : "N",
        ]
    }

    /// Heights and the age of the corrections get as many decimals as the sentence's length permits, and the station and the
    /// age are left out if nothing else helps: readers may rely on 82 bytes with its end.
    private static func gga(_ location: Location, _ address: String) -> String {
        let isFix = isFix(location)
        let used = location.satellitesUsed ?? location.satellites.map { $0.count(where: \.isUsed) }
        let fields =
            [time(location)] + (isFix ? place(location) : Array(repeating: "", count: 4)) + [
                isFix ? FixQuality(location).quality : "0", used.map { $0.padded(to: 2) } ?? "",
                dilution(location.horizontalDilution),
            ]
        let height = isFix && location.fix == .threeDimensional ? location.altitudeMeters : nil
        let separation = isFix ? location.geoidSeparationMeters : nil
        let age = isFix ? location.correctionAgeSeconds.map { min($0, 9_999) } : nil
        let station = isFix ? location.correctionStation.map { $0.padded(to: 4) } : nil
        func sentence(_ decimals: Int, age: String?, station: String?) -> String {
            let heights = [fixed(height, decimals), "M", fixed(separation, decimals), "M"]
            return Self.sentence(address, fields + heights + [age ?? "", station ?? ""])
        }
        let (exact, rounded) = (age.map { fixed($0, 1) }, age.map { whole($0, 1) })
        let forms: [(decimals: Int, age: String?, station: String?)] = [
            (3, exact, station), (2, exact, station), (2, rounded, station), (1, rounded, station),
            (1, rounded, nil),
        ]
        return forms.lazy.map { sentence($0.decimals, age: $0.age, station: $0.station) }
            .first { $0.utf8.count <= longest } ?? sentence(1, age: nil, station: nil)
    }

    private static func gsa(_ location: Location, _ all: [Constellation], _ talker: String) -> [String] {
        let mode = !isFix(location) ? "1" : location.fix == .threeDimensional ? "3" : "2"
        let dilutions = [location.positionDilution, location.horizontalDilution, location.verticalDilution]
            .map { dilution($0) }
        let used = all.filter { !$0.used.isEmpty }
        guard !used.isEmpty else {
            return [sentence(talker + "GSA", ["A", mode] + Array(repeating: "", count: 12) + dilutions)]
        }
        return used.flatMap { constellation in
            groups(of: constellation.used, 12).map { group in
                let numbers = group.map { $0.number.padded(to: 2) }
                let empty = Array(repeating: "", count: 12 - numbers.count)
                // Not GN: gpsd 3.22 takes the satellites of other systems than GPS and GLONASS from their own talkers only.
                return sentence(
                    constellation.system.talker + "GSA",
                    ["A", mode] + numbers + empty + dilutions + ["\(constellation.system.identifier)"])
            }
        }
    }

    /// At most nine sentences, since their number has one digit.
    private static func gsv(_ constellation: Constellation) -> [String] {
        let seen = constellation.satellites.prefix(36)
        let groups = groups(of: Array(seen), 4)
        return groups.enumerated().map { index, group in
            let head = ["\(groups.count)", "\(index + 1)", seen.count.padded(to: 2)]
            return sentence(
                constellation.system.talker + "GSV", head + group.flatMap { fields($0.number, $0.satellite) })
        }
    }

    private static func fields(_ number: Int, _ satellite: Satellite) -> [String] {
        // There is no sign: NMEA 0183 ends at the horizon.
        let elevation = satellite.elevationDegrees.flatMap { $0 < 0 ? nil : whole($0, 2) }
        let azimuth = satellite.azimuthDegrees.map { whole($0 >= 359.5 ? 0 : $0, 3) }
        let signal = satellite.signalDecibelHertz.map { whole(min($0, 99), 2) }
        return [number.padded(to: 2), elevation ?? "", azimuth ?? "", signal ?? ""]
    }

    private static func groups<Element>(of all: [Element], _ size: Int) -> [[Element]] {
        stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
    }

    private static func isFix(_ location: Location) -> Bool {
        location.fix != .noPosition && location.latitudeDegrees != nil && location.longitudeDegrees != nil
    }

    /// Latitude and longitude as `ddmm.mmmmmm,N,dddmm.mmmmmm,E`: to two millimetres.
    private static func place(_ location: Location) -> [String] {
        func angle(_ degrees: Double?, _ digits: Int, _ positive: String, _ negative: String) -> [String] {
            guard let degrees, let millionths = Int64(exactly: (abs(degrees) * 60e6).rounded()) else {
                return ["", ""]
            }
            let (whole, minutes) = millionths.quotientAndRemainder(dividingBy: 60_000_000)
            let fraction = (minutes % 1_000_000).padded(to: 6)
            let text = "\(whole.padded(to: digits))\((minutes / 1_000_000).padded(to: 2)).\(fraction)"
            return [text, degrees < 0 ? negative : positive]
        }
        return angle(location.latitudeDegrees, 2, "N", "S") + angle(location.longitudeDegrees, 3, "E", "W")
    }

    /// Time of day as `hhmmss.ss`, with a third decimal if there is one.
    private static func time(_ location: Location) -> String {
        guard let instant = location.utcMicroseconds.map({ CalendarTime.split($0) }) else { return "" }
        let seconds = instant.microseconds / 1_000_000
        let milliseconds = instant.microseconds / 1_000 % 1_000
        let fraction = milliseconds % 10 == 0 ? (milliseconds / 10).padded(to: 2) : milliseconds.padded(to: 3)
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined() + ".\(fraction)"
    }

    /// `ddmmyy`.
    private static func date(_ location: Location) -> String {
        guard let instant = location.utcMicroseconds.map({ CalendarTime.split($0) }) else { return "" }
        return [instant.day, instant.month, instant.year % 100].map { $0.padded(to: 2) }.joined()
    }

    /// A number with exactly so many decimals; empty if it is unknown.
    private static func fixed(_ value: Double?, _ decimals: Int) -> String {
        let scale = (0..<decimals).reduce(Int64(1)) { power, _ in power * 10 }
        guard let value, let scaled = Int64(exactly: (value * Double(scale)).rounded()) else { return "" }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: scale.magnitude)
        return "\(scaled < 0 ? "-" : "")\(whole).\(fraction.padded(to: decimals))"
    }

    private static func dilution(_ value: Double?) -> String { fixed(value, value ?? 0 < 10 ? 2 : 1) }

    /// A direction, which is 0 rather than 360 after rounding.
    private static func direction(_ degrees: Double?, _ decimals: Int) -> String {
        let text = fixed(degrees, decimals)
        return text.hasPrefix("360") ? fixed(0, decimals) : text
    }

    private static func whole(_ value: Double, _ digits: Int) -> String {
        Int64(exactly: value.rounded()).map { $0.padded(to: digits) } ?? ""
    }

    private static func sentence(_ address: String, _ fields: [String]) -> String {
        let body = ([address] + fields).joined(separator: ",")
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)"
    }
}

/// The satellites in view of one system, by its own numbers.
private struct Constellation {
    /// A system, as NMEA 0183 names and numbers it; SBAS counts as GPS.
    enum System: Int, CaseIterable {
        case gps = 1
        case glonass, galileo, beidou, qzss, navic

        /// The system's number in GSA.
        var identifier: Int { rawValue }

        var talker: String { ["GP", "GL", "GA", "GB", "GQ", "GI"][rawValue - 1] }
    }

    let system: System
    private(set) var satellites: [(number: Int, satellite: Satellite)] = []

    var used: [(number: Int, satellite: Satellite)] { satellites.filter(\.satellite.isUsed) }

    /// Satellites by their systems; those whose number has no place in NMEA 0183 are left out.
    static func all(of satellites: [Satellite]) -> [Constellation] {
        System.allCases.map { system in
            let own = satellites.compactMap { satellite in
                place(of: satellite).flatMap { $0.system == system ? ($0.number, satellite) : nil }
            }
            return Constellation(system: system, satellites: own)
        }.filter { !$0.satellites.isEmpty }
    }

    /// The number as NMEA 0183 2.x to 4.0 has it: where the numbers of each system begin, and what they become.
    private static let ranges: [(numbers: ClosedRange<Int>, system: System, own: Int)] = [
        (1...64, .gps, 1), (65...99, .glonass, 65), (120...158, .gps, 33), (193...202, .qzss, 1),
        (201...263, .beidou, 1), (301...336, .galileo, 1), (401...463, .beidou, 1),
    ]

    private static func place(of satellite: Satellite) -> (system: System, number: Int)? {
        guard let system = satellite.system, let number = satellite.systemNumber else {
            return ranges.first { $0.numbers.contains(satellite.prn) }.map { range in
                (range.system, satellite.prn - range.numbers.lowerBound + range.own)
            }
        }
        return switch (system, number) {
        case (.gps, 1...32): (.gps, number)
        case (.sbas, 33...64): (.gps, number)
        case (.sbas, 120...151): (.gps, number - 87)
        case (.glonass, 1...35): (.glonass, number + 64)
        case (.glonass, 65...99): (.glonass, number)
        case (.galileo, 1...36): (.galileo, number)
        case (.beidou, 1...63): (.beidou, number)
        case (.qzss, 1...10): (.qzss, number)
        case (.qzss, 193...202): (.qzss, number - 192)
        case (.navic, 1...15): (.navic, number)
        default: nil
        }
    }
}
