internal import Configuration
internal import Varlink

/// How often a stream has readings, and how long they are gathered.
package struct Cadence: Equatable, Sendable {
    /// The interval of readings; 0: every sample.
    package var intervalNanoseconds: Int64
    /// How long readings are gathered into one message; nil: not at all.
    package var batchNanoseconds: Int64?

    /// The longest interval that a broker grants.
    private static let longestNanoseconds: Int64 = 86_400_000_000_000

    package init(intervalNanoseconds: Int64, batchNanoseconds: Int64?) {
        self.intervalNanoseconds = intervalNanoseconds
        self.batchNanoseconds = batchNanoseconds
    }

    /// The cadence of the configuration.
    package init(_ reading: WantedReading) {
        self.init(
            intervalNanoseconds: reading.interval.nanoseconds, batchNanoseconds: reading.batch?.nanoseconds)
    }

    /// Parses `{"intervalNanoseconds":…,"batchNanoseconds":…}`, of which the second may be absent.
    ///
    /// Whoever may publish may send anything: what is not exactly this is refused, with words for whoever sent it.
    init(parsing payload: [UInt8]) throws(SettingRefusal) {
        guard payload.count <= Self.mostBytes else { throw SettingRefusal("it is longer than \(Self.mostBytes) bytes") }
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(payload) } catch { throw SettingRefusal("it is no JSON") }
        guard case .object(let object) = value else { throw SettingRefusal("it is no JSON object") }
        let names = ["intervalNanoseconds", "batchNanoseconds"]
        for member in object.members where !names.contains(member.key) {
            throw SettingRefusal("it has members other than \(names.joined(separator: " and "))")
        }
        func number(_ name: String) throws(SettingRefusal) -> Int64? {
            guard let value = object[name] else { return nil }
            guard case .integer(let number) = value, (0...Self.longestNanoseconds).contains(number) else {
                throw SettingRefusal("\(name) is no whole number from 0 to \(Self.longestNanoseconds)")
            }
            return number
        }
        guard let interval = try number(names[0]) else { throw SettingRefusal("it has no intervalNanoseconds") }
        self.init(intervalNanoseconds: interval, batchNanoseconds: try number(names[1]))
    }

    static let mostBytes = 1_024

    var json: JSONValue {
        var object: JSONObject = ["intervalNanoseconds": .integer(intervalNanoseconds)]
        object.member("batchNanoseconds", batchNanoseconds)
        return .object(object)
    }
}
