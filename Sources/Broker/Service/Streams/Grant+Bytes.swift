internal import Delivery
internal import Readings

/// What a batch may take of memory.
extension Grant {
    /// Satellites of a location that counts as a long one.
    private static let satellites = 64

    /// Bytes of the readings that are kept until the batch is over.
    func batchBytes(of kind: Kind) -> Int {
        batchReadings * kind.keptBytes(satellites: hasSatellites ? Self.satellites : 0)
    }

    /// Bytes that have to be reserved for the batch and its message, beyond those that every batch may have.
    func reservedBytes(of kind: Kind) -> Int {
        batchBytes(of: kind) + batchReplyBytes(of: kind) - Limits.leastBatchBytes
    }

    /// Bytes of the message that carries the batch: what the socket does not take waits for the client.
    func batchReplyBytes(of kind: Kind) -> Int {
        guard batchReadings > 0 else { return 0 }
        return 2 * kind.typicalReplyBytes(readings: batchReadings, filter: filter, satellites: hasSatellites)
    }
}

extension Kind {
    /// Bytes of a reading that is kept in an array, with so many satellites.
    func keptBytes(satellites: Int = 0) -> Int {
        // Arrays grow by doubling; a location is in a box of its own.
        let box = row.form == .location ? MemoryLayout<Location>.size + 32 : 0
        return 2 * MemoryLayout<Sample>.stride + box + satellites * MemoryLayout<Satellite>.stride
    }
}

extension Kind {
    /// About how long a reply with so many readings is; a mean has all the digits of a number.
    func typicalReplyBytes(readings: Int, filter: Filter, satellites: Bool) -> Int {
        switch row.form {
        case .location: 60 + (satellites ? 5_000 : 540) * readings
        case .values: 160 + (filter == .mean ? 20 : 9) * row.channels.count * readings
        case .orientation: 180 * readings
        }
    }
}
