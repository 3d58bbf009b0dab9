/// The newest reading of each resource, for as long as it may be believed.
///
/// It outlives those who asked for it. What ends it is that the device is gone, was given up, or is another one.
struct NewestReadings {
    private struct Entry {
        var measured: Measured
        /// Which device it was, as far as it is known.
        var device: String?
        var isSimulated: Bool?
    }

    private var entries: [ResourceName: Entry] = [:]

    /// Of which resources there is one.
    var resources: some Collection<ResourceName> { entries.keys }

    subscript(resource: ResourceName) -> Measured? { entries[resource]?.measured }

    /// Keeps a reading, unless a newer one is there.
    mutating func keep(_ measured: Measured, of resource: Resource?) {
        if let former = entries[measured.resource], former.measured.timestamp > measured.timestamp { return }
        entries[measured.resource] = Entry(
            measured: measured, device: resource?.description ?? entries[measured.resource]?.device,
            isSimulated: resource?.isSimulated)
    }

    /// How a resource is doing may end what is known of it.
    mutating func learn(_ resource: Resource) {
        guard var entry = entries[resource.name] else { return }
        switch resource.state {
        case .unavailable, .released: entries[resource.name] = nil
        default:
            let isOther =
                isOther(entry.device, resource.description) || isOther(entry.isSimulated, resource.isSimulated)
            entry.device = resource.description ?? entry.device
            entry.isSimulated = resource.isSimulated
            entries[resource.name] = isOther ? nil : entry
        }
    }

    /// Between two readings the device was lost or given up.
    mutating func learn(_ gap: Gap) {
        guard gap.cause == .deviceLost || gap.cause == .released else { return }
        guard let entry = entries[gap.resource], entry.measured.timestamp <= gap.until else { return }
        entries[gap.resource] = nil
    }

    /// The resource is no more.
    mutating func forget(_ resource: ResourceName) { entries[resource] = nil }

    /// What is not known yet does not differ.
    private func isOther<Value: Equatable>(_ former: Value?, _ present: Value?) -> Bool {
        guard let former, let present else { return false }
        return former != present
    }
}
