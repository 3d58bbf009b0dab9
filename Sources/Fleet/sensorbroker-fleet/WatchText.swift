internal import BrokerClient
internal import Fleet
internal import Formats
internal import Printable
internal import Readings
internal import Spool
internal import Varlink

/// What `watch` prints: a line for each sample, or an object for each reading.
enum WatchText {
    /// What is no reading.
    enum Event {
        case state(HostState)
        case gap(String, JSONObject)
        case lost(String, FleetMessage.Lost)
        case unreadable
    }

    private static let timeWidth = 28
    private static let nameWidth = 18

    /// The lines of a reading; `utc` gives the time of an instant of the host, in microseconds.
    static func rows(_ host: String, _ reading: Reading, isJSON: Bool, utc: (Int64) -> Int64?) -> [String] {
        if isJSON {
            var object: JSONObject = ["host": .string(host)]
            object.member("utcMicroseconds", utc(reading.timestampNanoseconds))
            for member in reading.object.members where member.key != "utcMicroseconds" {
                object.member(member.key, member.value)
            }
            return [text(object)]
        }
        func row(_ stamp: Int64, _ values: String) -> String {
            let time = utc(stamp).map { CalendarTime.text(microseconds: $0) } ?? "time unknown"
            return time.padded(timeWidth) + host.printable.padded(nameWidth)
                + reading.resource.printable.padded(nameWidth) + values
        }
        switch reading.content {
        case .location(let location, _): return [row(reading.timestampNanoseconds, self.location(location))]
        case .values(let columns):
            return columns.timestampsNanoseconds.indices.map { index in
                row(columns.timestampsNanoseconds[index], values(columns, index, of: reading.resource))
            }
        case .orientation(let name): return [row(reading.timestampNanoseconds, name.printable)]
        case .unknown: return [row(reading.timestampNanoseconds, "of a kind that this program does not know")]
        }
    }

    /// The newest sample of a reading in a few words.
    static func newest(_ reading: Reading) -> String {
        switch reading.content {
        case .location(let location, _): self.location(location)
        case .values(let columns):
            "\(reading.resource.printable) "
                + (columns.count > 0 ? values(columns, columns.count - 1, of: reading.resource) : "")
        case .orientation(let name): "\(reading.resource.printable) \(name.printable)"
        case .unknown: reading.resource.printable
        }
    }

    private static func values(_ columns: Columns, _ row: Int, of resource: String) -> String {
        let unit = Kind(resource: resource.prefix { $0 != ":" })?.row.unit
        return zip(columns.names, columns.numbers(row)).map { name, number in
            "\(name.printable) \(DecimalNumber.text(number, decimals: unit?.decimals ?? 3))"
        }.joined(separator: "  ") + (unit.map { " \($0.symbol)" } ?? "")
    }

    private static func location(_ location: Location) -> String {
        let parts: [(Double?, Int, String)] = [
            (location.latitudeDegrees, 6, "°N"), (location.longitudeDegrees, 6, "°E"),
            (location.altitudeMeters, 1, " m"),
            (location.speedMetersPerSecond, 1, " m/s"), (location.trackDegrees, 0, "°"),
        ]
        let texts = parts.map { number, decimals, unit in
            number.map { DecimalNumber.text($0, decimals: decimals) + unit } ?? "-"
        }
        return texts.joined(separator: "  ") + "  \(location.fix.rawValue)"
    }

    static func line(_ host: String, _ event: Event) -> String {
        let words =
            switch event {
            case .state(let state): "is \(state.rawValue)"
            case .gap(let resource, let gap):
                "\(resource): gap: \(self.word(gap["cause"])), \(word(gap["count"])) readings missing"
            case .lost(let resource, let lost):
                "\(resource): messages \(lost.numbers.lowerBound)-\(lost.numbers.upperBound) are lost (\(lost.cause))"
            case .unreadable: "sent something that cannot be read"
            }
        return "".padded(timeWidth) + host.printable.padded(nameWidth) + words.printable
    }

    static func object(_ host: String, _ event: Event) -> String {
        var object: JSONObject = ["host": .string(host)]
        switch event {
        case .state(let state): object.member("state", state.rawValue)
        case .gap(_, let gap): object.member("gap", .object(gap))
        case .lost(let resource, let lost):
            object.member(
                "lost",
                [
                    "resource": .string(resource), "epoch": .string(lost.epoch.description),
                    "from": .integer(Int64(clamping: lost.numbers.lowerBound)),
                    "to": .integer(Int64(clamping: lost.numbers.upperBound)), "cause": .string(lost.cause),
                ])
        case .unreadable: object.member("unreadable", true)
        }
        return text(object)
    }

    private static func word(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        default: "some"
        }
    }

    private static func text(_ object: JSONObject) -> String { String(decoding: object.bytes, as: UTF8.self) }
}
