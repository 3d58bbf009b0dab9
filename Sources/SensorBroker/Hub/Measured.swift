internal import BrokerClient

/// One measurement of a resource, whatever its kind.
struct Measured: Equatable, Sendable {
    var resource: ResourceName
    var sequence: Int64?
    var timestamp: BootTime
    var measurement: Measurement

    /// The measurements of a reading, oldest first; none where the kind is newer than this library.
    static func all(_ reading: BrokerClient.Reading, of resource: ResourceName) -> [Self] {
        switch reading.content {
        case .location(let location, _):
            [
                Self(
                    resource: resource, sequence: reading.sequence,
                    timestamp: BootTime(nanoseconds: reading.timestampNanoseconds), measurement: .location(location))
            ]
        case .acceleration(let samples):
            samples.enumerated().map { index, sample in
                Self(
                    resource: resource, sequence: index == 0 ? reading.sequence : nil,
                    timestamp: BootTime(nanoseconds: sample.timestampNanoseconds),
                    measurement: .acceleration(sample.value))
            }
        case .orientation(let word):
            // An edge that is newer than this library is none.
            Orientation(rawValue: word).map { orientation in
                [
                    Self(
                        resource: resource, sequence: reading.sequence,
                        timestamp: BootTime(nanoseconds: reading.timestampNanoseconds),
                        measurement: .orientation(orientation))
                ]
            } ?? []
        case .unknown: []
        }
    }
}
