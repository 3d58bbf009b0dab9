package import Spool
package import Varlink

/// The newest reading in the words of other programs, which know neither numbers nor gaps.
package enum Newest {
    /// For Home Assistant: `{"x":…,"y":…,"z":…}`, or `{"latitude":…,"longitude":…}`; nil if the reading has no such values.
    package static func values(of reading: JSONObject) -> [UInt8]? {
        var object = JSONObject()
        if let location = reading.object("location") {
            for (name, field) in locationNames {
                object.member(name, location[field])
            }
            guard object["latitude"] != nil, object["longitude"] != nil else { return nil }
        } else if let columns = reading.object("values")?.object("columns") {
            for member in columns.members {
                guard case .array(let numbers) = member.value, let newest = numbers.last else { return nil }
                object.member(member.key, newest)
            }
        } else if let orientation = reading["orientation"] {
            object.member("value", orientation)
        } else {
            return nil
        }
        return object.bytes
    }

    private static let locationNames = [
        ("latitude", "latitudeDegrees"), ("longitude", "longitudeDegrees"), ("gps_accuracy", "horizontalErrorMeters"),
        ("altitude", "altitudeMeters"), ("speed", "speedMetersPerSecond"), ("course", "trackDegrees"),
    ]

    /// For OwnTracks: `{"_type":"location",…}`; nil if the reading has no position.
    ///
    /// `tid` is what its map shows of the host.
    package static func ownTracks(_ reading: JSONObject, host: String, now: Moment) -> [UInt8]? {
        guard let location = reading.object("location"), let latitude = number(location["latitudeDegrees"]),
            let longitude = number(location["longitudeDegrees"])
        else { return nil }
        var utcMicroseconds = now.utcMicroseconds
        if let utc = location.integer("utcMicroseconds") {
            utcMicroseconds = utc
        } else if let boot = reading.integer("timestampNanoseconds") {
            let age = now.bootNanoseconds.subtractingReportingOverflow(boot).partialValue / 1_000
            utcMicroseconds = now.utcMicroseconds.subtractingReportingOverflow(age).partialValue
        }
        var object: JSONObject = [
            "_type": "location", "lat": .number(latitude), "lon": .number(longitude),
            "tst": .integer(utcMicroseconds / 1_000_000), "tid": .string(String(host.suffix(2))),
        ]
        func put(_ name: String, _ field: String, factor: Double = 1, in range: ClosedRange<Double>) {
            guard let value = number(location[field]), range.contains(value * factor),
                let whole = Int64(exactly: (value * factor).rounded())
            else { return }
            object.member(name, whole)
        }
        put("acc", "horizontalErrorMeters", in: 0...1e9)
        put("alt", "altitudeMeters", in: -1e9...1e9)
        put("vac", "verticalErrorMeters", in: 0...1e9)
        put("vel", "speedMetersPerSecond", factor: 3.6, in: 0...1e9)
        put("cog", "trackDegrees", in: 0...360)
        return object.bytes
    }

    private static func number(_ value: JSONValue?) -> Double? {
        switch value {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}
