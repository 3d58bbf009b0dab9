import Readings

@testable import Delivery

/// Samples for tests: an acceleration whose x is its number, or a location.
enum Samples {
    static func acceleration(_ sequence: UInt64, at nanoseconds: Int64, x: Double? = nil) -> Sample {
        Sample(
            sequence: sequence, timestamp: BootTime(nanoseconds: nanoseconds),
            measurement: .values(Acceleration(x: x ?? Double(sequence), y: 0, z: 9.8)))
    }

    static func location(
        _ sequence: UInt64, at nanoseconds: Int64, latitude: Double, longitude: Double, track: Double? = nil
    ) -> Sample {
        var location = Location(fix: .threeDimensional)
        location.latitudeDegrees = latitude
        location.longitudeDegrees = longitude
        location.trackDegrees = track
        return Sample(
            sequence: sequence, timestamp: BootTime(nanoseconds: nanoseconds), measurement: .location(location))
    }
}

extension Sample {
    /// The x of an acceleration; NaN for anything else.
    var x: Double {
        guard let value = Acceleration(measurement) else { return .nan }
        return value.x
    }
}

extension Resource {
    /// The first resource of a kind, whose device is open and has a sample every 10 ns.
    static func open(_ kind: Kind) -> Resource {
        var resource = Resource(name: kind.row.firstResource, kind: kind)
        _ = resource.accept(
            DeviceProfile(
                offered: .fixed(shortestNanoseconds: 10), intervalNanoseconds: 10, description: nil, simulated: true))
        resource.deviceOpened()
        _ = resource.accept(.active)
        return resource
    }
}
