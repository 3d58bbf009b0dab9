/// What a file looks like.
extension FileContent {
    /// The formats of other programs that are read.
    public enum Kind: String, CaseIterable, Sendable {
        case nmea
        case gpx
        case csv
    }

    /// XML begins with `<`, in whatever encoding, and a receiver's log has sentences with `$`; all else may be a table.
    public func kind() throws(FormatError) -> Kind {
        let pieces = try begin()
        var head: [UInt8] = []
        while head.count < 4_096 {
            let piece = try pieces()
            if piece.isEmpty { break }
            head += piece.prefix(4_096)
        }
        if head.first(where: { ![0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) && $0 > 32 }) == UInt8(ascii: "<") {
            return .gpx
        }
        let marks = ["$GP", "$GN", "$GL", "$GA", "$GB", "$BD"].map { Array($0.utf8) }
        let isLog = head.indices.contains { index in marks.contains { head[index...].starts(with: $0) } }
        return isLog ? .nmea : .csv
    }
}
