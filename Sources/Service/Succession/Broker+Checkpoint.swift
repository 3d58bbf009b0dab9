internal import Admission
internal import Delivery
internal import Platform
public import Readings
internal import Varlink

/// What is written down while the daemon runs, in case it dies without a word.
///
/// Of the streams only those that can go on from it without silence: what is being gathered for a batch, and what is known
/// of a call, dies with the process. A change of request is marked at once and written a little later; what happens with
/// every reading stands in the ledger. A stream with pending messages is written down as if they had been sent. It is taken
/// over only if the ledger says that they were, so nothing is told twice.
extension Broker {
    /// Begins to write down what a successor would need.
    public func begin(_ checkpoint: Checkpoint, now: BootTime) {
        self.checkpoint = checkpoint
        streams.begin(checkpoint, now: now)
    }

    /// Writes what has come up, when it is time.
    func writeCheckpoint(now: BootTime) {
        guard let checkpoint, let due = checkpoint.due, now >= due else { return }
        for resource in resources { rounds.writeDueTimes(of: resource.owned) }
        var handover = Handover(resources, releases.words)
        handover.generation = checkpoint.generation + 1
        handover.needsLedger = true
        var written: [Connection] = []
        var kept = server.connections.count(where: \.isKept)
        for connection in server.connections
        where isLasting(connection) && (connection.isKept || kept < checkpoint.capacity) {
            guard let handed = handed(connection)?.paid else { continue }
            handover.connections.append(handed)
            written.append(connection)
            if !connection.isKept { kept += 1 }
        }
        let sockets = written.filter { !$0.isKept }.map { $0.socket.number }
        let changed = written.filter(\.isOutOfDate)
        // First, so that the text holds as soon as it is in the store. Who finds only the former text leaves these out.
        for connection in changed { connection.setUpToDate(in: handover.generation) }
        let isKept = checkpoint.keep(handover.generation, handover.text, sockets)
        checkpoint.didTry(connections: written.count, isKept: isKept, now: now)
        guard isKept else { return changed.forEach { $0.setOutOfDate() } }
        for connection in written { connection.setKept() }
    }

    private func isLasting(_ connection: Connection) -> Bool {
        guard connection.phase == .busy else { return false }
        guard let subscription = streams[connection.token] else { return listWatchers.contains(connection.token) }
        return subscription.parts.allSatisfy { $0.grant.batchNanoseconds == 0 }
    }
}
