/// The format of a file, as its content shows it; its name does not count.
public enum FileFormat: Equatable, Sendable {
    /// A table, read by `TableImport`.
    case csv
    /// Tracks, routes and waypoints in XML.
    case gpx
    /// The log of a receiver, read by `NMEAReader`.
    case nmea
    /// A format that gpsbabel reads, by its name there.
    case foreign(String)

    /// A format by the name that users give it: our own ones, and those of gpsbabel; nil if it cannot be a name.
    public init?(named name: String) {
        guard !name.isEmpty, name.utf8.count <= 40, name.utf8.allSatisfy(Self.isPartOfName) else { return nil }
        switch name {
        case "csv": self = .csv
        case "gpx": self = .gpx
        case "nmea": self = .nmea
        default: self = .foreign(name)
        }
    }

    /// Names for users: ours, and those of gpsbabel that are met most often.
    public static let commonNames = ["csv", "gpx", "nmea", "kml", "garmin_fit", "gtrnctr", "igc", "geojson", "unicsv"]

    // Without a comma, which would begin options of the format: some of them name other files.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}

extension FileContent {
    private static let headLength = 4_096

    /// The format; an error states what the file is, and what to do, if it is none that can be read.
    public func format() throws(FormatError) -> FileFormat {
        let pieces = try begin()
        var bytes: [UInt8] = []
        while bytes.count < Self.headLength {
            let piece = try pieces()
            if piece.isEmpty { break }
            bytes += piece.prefix(Self.headLength)
        }
        guard !bytes.isEmpty else { throw FormatError("it is empty") }
        return try FileHead(bytes).format()
    }
}

/// The beginning of a file.
private struct FileHead {
    /// What a kind of file begins with, and what to do with it.
    private struct Signature {
        enum Answer {
            case format(FileFormat)
            case advice(String)
        }

        let bytes: [UInt8]
        var offset = 0
        let answer: Answer

        init(_ text: String, at offset: Int = 0, _ answer: Answer) {
            (bytes, self.offset, self.answer) = (Array(text.utf8), offset, answer)
        }

        init(_ bytes: [UInt8], _ answer: Answer) { (self.bytes, self.answer) = (bytes, answer) }
    }

    private static let pipe = "| sensorctl import - RECORDING"

    private static let signatures = [
        Signature(".FIT", at: 8, .format(.foreign("garmin_fit"))),
        Signature([0x1F, 0x8B], .advice("it is compressed with gzip: gzip -dc FILE \(pipe)")),
        Signature("BZh", .advice("it is compressed with bzip2: bzip2 -dc FILE \(pipe)")),
        Signature([0xFD] + Array("7zXZ".utf8), .advice("it is compressed with xz: xz -dc FILE \(pipe)")),
        Signature([0x50, 0x4B, 3, 4], .advice("it is a zip archive, as .kmz files are: unzip -p FILE NAME \(pipe)")),
        Signature(
            "SQLite format 3",
            .advice("it is an SQLite database: sqlite3 -header -csv FILE 'select * from TABLE' \(pipe)")),
        Signature(
            [0xB5, 0x62],
            .advice(
                "it is UBX, a log of u-blox receivers: gpsfake -1 FILE plays it through gpsd, whose location can be recorded"
            )
        ),
        Signature(
            [0x89] + Array("MCAP".utf8), .advice("it is MCAP, which is written by sensorctl export and never read")),
        Signature([0x89] + Array("HDF".utf8), .advice("it is HDF5: make a table (CSV) of it")),
        Signature("PAR1", .advice("it is Parquet: make a table (CSV) of it, with DuckDB or pandas")),
        Signature("#ROSBAG", .advice("it is a bag of ROS 1: make a table (CSV) of it, with rostopic echo -p")),
        Signature(
            "{\"recording\"",
            .advice("it is a recording already: sensorctl export and plot read it, and sensorbrokerd --replay")),
    ]

    private static let roots: [String: String] = [
        "kml": "kml", "TrainingCenterDatabase": "gtrnctr", "osm": "osm", "loc": "geo",
    ]

    private let bytes: [UInt8]
    private let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let decoded = WideText.isWide(bytes) ? WideText.head(bytes) : bytes
        text = String(decoding: decoded, as: UTF8.self)
    }

    func format() throws(FormatError) -> FileFormat {
        for signature in Self.signatures where bytes.dropFirst(signature.offset).starts(with: signature.bytes) {
            switch signature.answer {
            case .format(let format): return format
            case .advice(let words): throw FormatError(words)
            }
        }
        let front = text.drop { $0.isBlank || $0 == "\u{FEFF}" || $0 == "\0" }
        if front.first == "<" { return try xml(front) }
        if front.first == "{" || front.first == "[" { return try json(front) }
        let lines = front.split(omittingEmptySubsequences: true) { $0.isNewline }
        if lines.contains(where: { Self.isSentence($0) }) { return .nmea }
        if Self.isFlight(lines) { return .foreign("igc") }
        guard !isBinary else {
            throw FormatError(
                "it is a binary file of an unknown format; if gpsbabel reads it (gpsbabel -h lists formats), say which it is: "
                    + "--from NAME")
        }
        return .csv
    }

    /// By the name of the first element.
    private func xml(_ front: Substring) throws(FormatError) -> FileFormat {
        var rest = front
        while let begin = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: begin)...]
            if rest.hasPrefix("!--") {
                guard let end = rest.end(ofFirst: "-->") else { break }
                rest = rest[end...]
                continue
            }
            guard rest.first?.isLetter == true else { continue }
            let name =
                rest.prefix { $0.isLetter || $0.isNumber || "_-.:".contains($0) }.split(separator: ":").last ?? ""
            if name == "gpx" { return .gpx }
            if let known = Self.roots[String(name)] { return .foreign(known) }
            throw FormatError(
                "it is XML of an unknown format, which begins with <\(String(name).excerpt)>; if gpsbabel reads it, say which it is: "
                    + "--from NAME")
        }
        return .gpx
    }

    private func json(_ front: Substring) throws(FormatError) -> FileFormat {
        if front.hasPrefix("{\"class\":") {
            throw FormatError(
                "it is gpsd's JSON (gpspipe -w); make a table of it: jq -rn '[\"time\",\"lat\",\"lon\",\"alt\",\"speed\",\"track\"],"
                    + "(inputs|select(.lat)|[.time,.lat,.lon,.altMSL,.speed,.track])|@csv' FILE \(Self.pipe)")
        }
        let words = ["\"FeatureCollection\"", "\"Feature\"", "\"LineString\""]
        if words.contains(where: { front.end(ofFirst: $0) != nil }) { return .foreign("geojson") }
        // A table may begin with a bracket, but not like this.
        guard front.dropFirst().first(where: { !$0.isBlank }).map({ "\"{[".contains($0) }) ?? false else { return .csv }
        throw FormatError("it is JSON; make a table (CSV) of it, such as with jq -r and @csv")
    }

    /// A sentence of NMEA 0183, perhaps behind a time that the logger wrote.
    private static func isSentence(_ line: Substring) -> Bool {
        guard let begin = line.firstIndex(of: "$") else { return false }
        let address = line[line.index(after: begin)...].prefix(6)
        guard address.utf8.count == 6, address.last == "," else { return false }
        return NMEASentence.types.contains(String(address.dropFirst(2).prefix(3)))
            && address.prefix(2).allSatisfy { $0.isUppercase && $0.isASCII }
    }

    /// A flight recorder's log: a line with its maker, and headers or positions.
    private static func isFlight(_ lines: [Substring]) -> Bool {
        guard let first = lines.first, first.hasPrefix("A"), first.utf8.count >= 4, !first.contains(",") else {
            return false
        }
        return lines.dropFirst().contains { line in
            line.hasPrefix("HFDTE")
                || (line.hasPrefix("B") && line.utf8.count >= 35 && line.dropFirst().prefix(6).allSatisfy(\.isNumber))
        }
    }

    /// Whether there are many bytes that no text has; zeros at the end are those of a file that was not written to its end.
    private var isBinary: Bool {
        guard !WideText.isWide(bytes) else { return false }
        let written = bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)]
        let strange = written.count { $0 < 9 || (14..<32).contains($0) && $0 != 26 && $0 != 27 }
        return written.isEmpty || strange * 20 > written.count
    }
}

extension Substring {
    /// The end of the first occurrence of a text.
    fileprivate func end(ofFirst text: String) -> Index? {
        var rest = self
        while let begin = rest.firstIndex(of: text.first ?? " ") {
            rest = rest[begin...]
            if rest.hasPrefix(text) { return rest.index(begin, offsetBy: text.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
