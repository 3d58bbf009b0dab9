internal import Readings
internal import Varlink

/// Locations as the interface has them.
extension JSONWriter {
    /// A location, of its satellites their numbers or each of them.
    mutating func location(_ location: Location, withSatellites: Bool) {
        beginObject()
        member("fix", location.fix.rawValue)
        member("utcMicroseconds", location.utcMicroseconds)
        for field in LocationField.all {
            guard let value = field.value(of: location) else { continue }
            key(field.key)
            if field.isWhole { integer(Int64(clamping: value)) } else { number(value) }
        }
        if withSatellites, let satellites = location.satellites { self.satellites(satellites) }
        endObject()
    }

    private mutating func satellites(_ satellites: [Satellite]) {
        key("satellites")
        beginArray()
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
