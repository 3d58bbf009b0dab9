internal import BrokerClient

/// One measurement of a resource, whatever its kind.
struct Measured: Equatable, Sendable {
    var resource: ResourceName
    var sequence: Int64?
    var timestamp: BootTime
    var measurement: Measurement

    /// The measurements of a reading of a kind, oldest first; none where that is newer than this library.
    static func all(_ reading: BrokerClient.Reading, of resource: ResourceName, _ kind: Kind?) -> [Self] {
        func one(_ measurement: Measurement) -> [Self] {
            let timestamp = BootTime(nanoseconds: reading.timestampNanoseconds)
            return [
                Self(resource: resource, sequence: reading.sequence, timestamp: timestamp, measurement: measurement)
            ]
        }
        switch reading.content {
        case .location(let location, _): return one(.location(location))
        case .values(let columns):
            guard let kind, let rows = columns.values(of: kind) else { return [] }
            return zip(rows, columns.timestampsNanoseconds).enumerated().map { index, row in
                Self(
                    resource: resource, sequence: index == 0 ? reading.sequence : nil,
                    timestamp: BootTime(nanoseconds: row.1), measurement: .values(row.0))
            }
        // An edge that is newer than this library is none.
        case .orientation(let word): return Orientation(rawValue: word).map { one(.orientation($0)) } ?? []
        case .unknown: return []
        }
    }
}
