/// The name of a column as people give them: `Acceleration X (m/s²)`, `timestamp_ms`, `accZ [g]`.
struct ColumnName {
    /// Without its unit, blanks and case: `accelerationx`.
    let base: String
    private let unit: String

    init(_ name: String) {
        let name = name.lowercased()
        var (base, unit) = (name, "")
        if let bracket = name.firstIndex(where: { $0 == "(" || $0 == "[" }) {
            base = String(name[..<bracket])
            unit = name[bracket...].filter { !"()[] ".contains($0) }
        } else if let line = name.lastIndex(of: "_"), Self.times[String(name[name.index(after: line)...])] != nil {
            base = String(name[..<line])
            unit = String(name[name.index(after: line)...])
        }
        self.base = base.filter { !" _-.".contains($0) }
        self.unit = self.base.hasSuffix("nanoseconds") ? "ns" : unit
    }

    /// Nanoseconds in its unit, where that is one of time.
    var unitNanoseconds: Double? { Self.times[unit] }

    /// m/s² in its unit, where that is one of acceleration.
    var metersPerSecondSquared: Double? { Self.accelerations[unit] }

    private static let times: [String: Double] = [
        "s": 1e9, "sec": 1e9, "seconds": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1, "nanoseconds": 1,
    ]
    private static let accelerations: [String: Double] = [
        "m/s2": 1, "m/s^2": 1, "m/s²": 1, "g": 9.80665, "mg": 0.00980665,
    ]
}
