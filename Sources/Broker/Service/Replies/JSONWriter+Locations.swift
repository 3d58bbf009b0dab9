internal import Readings
internal import Varlink

/// Locations as the interface has them.
extension JSONWriter {
    /// A location, with the numbers of its satellites or with each of them.
    mutating func location(_ location: Location, withSatellites: Bool) {
        beginObject()
        member("fix", location.fix.rawValue)
        member("utcMicroseconds", location.utcMicroseconds)
        // By index in a span: a loop over the fields would retain the closures in each.
        let (table, encodedKeys) = (LocationField.all, Self.locationKeys)
        let (fields, keys) = (table.span, encodedKeys.span)
        for index in fields.indices {
            guard let value = fields[index].value(of: location) else { continue }
            key(keys[index])
            if fields[index].isWhole {
                integer(Int64(clamping: value))
            } else if fields[index].words.isEmpty {
                number(value)
            } else if let word = fields[index].word(of: value) {
                string(word)
            } else {
                number(value)
            }
        }
        if withSatellites, let satellites = location.satellites { self.satellites(satellites) }
        endObject()
    }

    private static let locationKeys = LocationField.all.map { JSONKey($0.key) }

    private mutating func satellites(_ satellites: [Satellite]) {
        beginArray("satellites")
        for satellite in satellites {
            beginObject()
            member("prn", Int64(satellite.prn))
            member("system", satellite.system?.rawValue)
            member("systemNumber", satellite.systemNumber.map { Int64($0) })
            member("elevationDegrees", satellite.elevationDegrees)
            member("azimuthDegrees", satellite.azimuthDegrees)
            member("signalDecibelHertz", satellite.signalDecibelHertz)
            member("used", satellite.isUsed)
            endObject()
        }
        endArray()
    }
}
