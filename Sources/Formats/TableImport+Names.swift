/// What the name of a column says.
extension TableImport {
    /// `Acceleration x (m/s^2)` is `accelerationx`.
    static func plain(_ name: String) -> String {
        let bare = unitBehindLine(name) == nil ? name[...] : name[..<(name.lastIndex(of: "_") ?? name.endIndex)]
        let front = bare.prefix { $0 != "(" && $0 != "[" }
        return String(
            front.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }

    /// `ms` of `timestamp_ms`.
    private static func unitBehindLine(_ name: String) -> String? {
        guard let line = name.lastIndex(of: "_") else { return nil }
        let unit = name[name.index(after: line)...].lowercased()
        return ["s", "sec", "ms", "us", "µs", "ns"].contains(unit) ? unit : nil
    }

    /// `m/s^2` of `Acceleration x (m/s^2)`.
    static func unit(_ name: String) -> String? {
        if let unit = unitBehindLine(name) { return unit }
        guard let open = name.lastIndex(where: { $0 == "(" || $0 == "[" }), let last = name.last, ")]".contains(last)
        else {
            return nil
        }
        return String(name[name.index(after: open)...].dropLast())
    }

    /// `nanoseconds` of `timestampNanoseconds`.
    static func unitInName(_ name: String) -> String? {
        ["nanoseconds", "microseconds", "milliseconds", "seconds"].first {
            plain(name).hasSuffix($0) || plain(name) == $0 + "elapsed"
        }
    }
}
