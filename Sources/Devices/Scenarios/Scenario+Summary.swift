internal import Mock
internal import Readings

extension Scenario {
    /// A summary for people: the devices, their capabilities, and the time line.
    public var summary: String {
        var lines = [description.map { "# \($0)" }, "Seed=\(seed)"].compactMap { $0 }
        if let tempo { lines.append("Speed=\(tempo == .infinity ? "max" : "\(tempo)")") }
        for plan in plans {
            let rates = plan.script.offeredNanoseconds.reversed().map(Self.rate).joined(separator: " ")
            lines += ["", "[\(plan.name)]", "Description=\(plan.script.description)", "Rates=\(rates)"]
            lines.append(beginning(of: plan.script))
            for (name, script) in plan.further {
                lines += ["", "[\(name)]", "Description=\(script.description)", "PartOf=\(plan.name)"]
                lines.append(beginning(of: script))
            }
        }
        if !events.isEmpty { lines += ["", "[Events]"] + events.map(\.description) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func beginning(of script: MockScript) -> String {
        "# at the beginning: \(Self.text(script.measure(.init(beginning: utcNanoseconds))))"
    }

    private static func rate(_ nanoseconds: Int64) -> String {
        let hertz = 1e9 / Double(nanoseconds)
        let rounded = (hertz * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? "\(Int(clamping: rounded))Hz" : "\(rounded)Hz"
    }

    private static func text(_ measurement: Measurement) -> String {
        switch measurement {
        case .location(let location):
            guard let latitude = location.latitudeDegrees, let longitude = location.longitudeDegrees else {
                return "no position"
            }
            return "\(latitude), \(longitude), \(location.speedMetersPerSecond ?? 0) m/s"
        case .values(let values):
            return values.numbers.map(\.description).joined(separator: ", ") + " " + values.kind.row.unit.symbol
        case .orientation(let orientation): return orientation.rawValue
        }
    }
}
