/// Sizes of files as people write and read them: `500kB`, `100MB`, `2GiB`.
enum SizeText {
    private static let units: [(name: String, bytes: Double)] = [
        ("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1), ("GiB", 1_073_741_824), ("MiB", 1_048_576), ("KiB", 1_024),
    ]

    /// The size in bytes; at least one.
    static func bytes(_ text: String) throws(UsageError) -> Int64 {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let value = Double(digits),
            let factor = units.first(where: { $0.name.lowercased() == unit.lowercased() }),
            let bytes = Int64(exactly: (value * factor.bytes).rounded()), bytes > 0
        else { throw UsageError("'\(text)' is no size: write it like 500kB, 100MB or 2GiB") }
        return bytes
    }

    /// A size in the unit that suits it, with one decimal: `1.2 MB`.
    static func text(bytes: Int64) -> String {
        let unit = units.prefix(4).first { Double(bytes) >= $0.bytes } ?? ("B", 1)
        return "\(DecimalText.short(Double(bytes) / unit.bytes, decimals: 1)) \(unit.name)"
    }
}
