internal import BrokerClient

/// The newest reading of each resource, for as long as it is valid.
///
/// A reading outlives its requesters. It becomes invalid when the device is lost, released or replaced.
struct NewestReadings {
    private struct Entry {
        var measured: Measured
        /// The newest with each set of companions, by their names: the newest of all may have come alone.
        var composed: [[ResourceName]: Measured] = [:]
        /// The device, if it is known.
        var device: String?
        var isSimulated: Bool?
    }

    private var entries: [ResourceName: Entry] = [:]

    /// The resources that have a newest reading.
    var resources: some Collection<ResourceName> { entries.keys }

    subscript(resource: ResourceName) -> Measured? { entries[resource]?.measured }

    /// The newest reading of a resource that came with these companions.
    subscript(resource: ResourceName, companions: [ResourceName]) -> Measured? {
        companions.isEmpty ? self[resource] : entries[resource]?.composed[companions]
    }

    /// Stores a reading unless there is a newer one.
    mutating func keep(_ measured: Measured, of resource: Resource?) {
        assert(resource.map { $0.name == measured.resource } ?? true, "a reading is kept with its own resource")
        let former = entries[measured.resource]
        var composed = former?.composed ?? [:]
        if !measured.companionNames.isEmpty {
            assert(measured.companionNames.count == measured.companions.count, "each companion has its name")
            // Those of another stream may come in batches, and be older.
            let known = composed[measured.companionNames]
            if known.map({ $0.timestamp <= measured.timestamp }) ?? true {
                composed[measured.companionNames] = measured
            }
        }
        // A reading waits for its companions, and one that came alone may have overtaken it.
        let isNewest = former.map { $0.measured.timestamp <= measured.timestamp } ?? true
        entries[measured.resource] = Entry(
            measured: isNewest ? measured : former?.measured ?? measured, composed: composed,
            device: resource?.device ?? former?.device, isSimulated: resource?.isSimulated)
    }

    /// Takes in a resource's state, which may invalidate its reading.
    mutating func learn(_ resource: Resource) {
        guard var entry = entries[resource.name] else { return }
        switch resource.state {
        case .unavailable, .released: entries[resource.name] = nil
        default:
            let isOther =
                isOther(entry.device, resource.device) || isOther(entry.isSimulated, resource.isSimulated)
            entry.device = resource.device ?? entry.device
            entry.isSimulated = resource.isSimulated
            entries[resource.name] = isOther ? nil : entry
        }
    }

    /// Invalidates the reading if the gap means that the device was lost or released.
    mutating func learn(_ gap: Gap) {
        guard gap.cause == .deviceLost || gap.cause == .released else { return }
        guard let entry = entries[gap.resource], entry.measured.timestamp <= gap.until else { return }
        entries[gap.resource] = nil
    }

    /// Forgets a resource that no longer exists.
    mutating func forget(_ resource: ResourceName) { entries[resource] = nil }

    /// Compares two values; an unknown one does not differ.
    private func isOther<Value: Equatable>(_ former: Value?, _ present: Value?) -> Bool {
        guard let former, let present else { return false }
        return former != present
    }
}

/// One measurement of a resource, whatever its kind.
struct Measured: Equatable, Sendable {
    var resource: ResourceName
    var sequence: Int64?
    var timestamp: BootTime
    var measurement: Measurement
    /// What the resources that are aligned to this one measured then, in the order of the request; nil: it is unknown.
    var companions: [Measurement?] = []
    /// Which resources those are.
    var companionNames: [ResourceName] = []

    /// The measurements in a reading, oldest first; none if the library does not know the kind.
    ///
    /// The broker sends the number of the first one. The others follow it if each sample comes; else they are not
    /// known.
    static func all(
        _ reading: BrokerClient.Reading, of resource: ResourceName, _ kind: Kind?, isEachSample: Bool
    ) -> [Self] {
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
                let sequence = reading.sequence.addingReportingOverflow(Int64(index))
                return Self(
                    resource: resource,
                    sequence: index == 0 || (isEachSample && !sequence.overflow) ? sequence.partialValue : nil,
                    timestamp: BootTime(nanoseconds: row.1), measurement: .values(row.0))
            }
        // Ignores an edge that the library does not know.
        case .orientation(let word): return Orientation(rawValue: word).map { one(.orientation($0)) } ?? []
        case .unknown: return []
        }
    }
}
