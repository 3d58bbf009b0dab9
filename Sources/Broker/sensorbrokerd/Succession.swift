internal import Glibc
internal import Platform
internal import Readings
internal import Service

/// Passes clients from one daemon to the next, through the service manager's store of descriptors.
///
/// The ending daemon stores the clients' sockets and a sealed memory file with the state of each; the next one finds
/// them among its passed sockets. Clients keep their connections. A running daemon also stores them from time to time,
/// with a ledger of what has happened since, in case it crashes. Without a store, or if it fails, streams end with a
/// message and clients reconnect.
struct Succession {
    private static let client = "client"
    private static let ledger = "ledger"
    /// Two names, so that one text is always in the store while the other is replaced.
    private static let texts = ["handover-0", "handover-1"]
    /// How long to wait for the service manager to report its job.
    private static let answerNanoseconds: Int64 = 1_000_000_000
    /// Places in the store for other descriptors than clients.
    private static let reserve = 4

    private let store = DescriptorStore()
    private let journal: Journal
    private let passed: [String: [Int32]]
    let others: [(name: String, number: Int32)]

    /// Separates what the previous process left from the other passed sockets.
    init(_ passed: [(name: String, number: Int32)], _ journal: Journal) {
        self.journal = journal
        let names = [Self.client, Self.ledger] + Self.texts
        self.passed = Dictionary(grouping: passed.filter { names.contains($0.name) }, by: \.name)
            .mapValues { $0.map(\.number) }
        others = passed.filter { !names.contains($0.name) }
    }

    /// Serves the clients of the previous process, and starts to prepare for a crash of this one.
    ///
    /// The store is emptied first: if its contents make this process crash, the next one must not crash too.
    func begin(
        on server: Server, _ broker: Broker, _ calls: BrokerCalls, _ administration: AdminCalls, now: BootTime
    ) {
        do throws(SystemError) { try empty() } catch { journal.write(.warning, "\(error)") }
        let ledger = store.flatMap { makeLedger(in: $0) }
        server.clients.observer.begin(in: ledger)
        if !passed.isEmpty { takeOver(broker, calls, administration, now) }
        guard let store, ledger != nil else { return }
        // Sockets of clients that have just left may still be in the store.
        let checkpoints = CheckpointStore(capacity: (store.capacity - Self.reserve) * 3 / 4) {
            generation, text, sockets in
            do throws(SystemError) {
                try keep(text, generation, sockets, in: store, waits: false)
                return true
            } catch {
                // The service manager is busy: try again later.
                return false
            }
        }
        broker.begin(checkpoints, now: now)
    }

    /// Leaves the clients to the next daemon, or ends their streams.
    ///
    /// Whether there will be a next daemon is asked last, since the answer may take long: if the service manager kills
    /// this process meanwhile, everything is in the store. It empties the store itself if no process follows.
    func leave(_ broker: Broker, now: BootTime) {
        guard let store, leave(broker, to: store, now) else { return broker.shutDown(now: now) }
        if ServiceJob.isLast(waitingNanoseconds: Self.answerNanoseconds) { broker.shutDown(now: now) }
    }

    private func leave(_ broker: Broker, to store: DescriptorStore, _ now: BootTime) -> Bool {
        let (generation, text, sockets) = broker.handOver(atMost: store.capacity - Self.reserve, now: now)
        do throws(SystemError) {
            try keep(text, generation, sockets, in: store, waits: true)
            try store.wait()
            return true
        } catch {
            journal.write(.warning, "clients cannot be handed over: \(error)")
            try? empty()
            return false
        }
    }

    /// The text comes last: without it the sockets are of no use.
    private func keep(
        _ text: [UInt8], _ generation: Int64, _ sockets: [Int32], in store: DescriptorStore, waits: Bool
    ) throws(SystemError) {
        let file = try MemoryFile(text, name: "sensorbroker-handover")
        if !sockets.isEmpty { try store.add(sockets, name: Self.client, waits: waits) }
        let current = Int(generation % 2)
        try store.add([file.number], name: Self.texts[current], waits: waits)
        try store.remove(Self.texts[1 - current], waits: waits)
    }

    private func makeLedger(in store: DescriptorStore) -> Ledger? {
        do throws(SystemError) {
            let ledger = try Ledger(count: LedgerLayout.count, name: "sensorbroker-ledger")
            try store.add([ledger.number], name: Self.ledger, waits: true)
            return ledger
        } catch {
            journal.write(.warning, "clients would not survive a crash: \(error)")
            return nil
        }
    }

    private func takeOver(_ broker: Broker, _ calls: BrokerCalls, _ administration: AdminCalls, _ now: BootTime) {
        let texts = Self.texts.flatMap { passed[$0] ?? [] }
        let ledgers = passed[Self.ledger] ?? []
        broker.takeOver(
            // A file that cannot be read does not count.
            texts.compactMap { MemoryFile.read($0, maximumBytes: Broker.handoverBytes) },
            ledger: ledgers.last.flatMap { Ledger.read($0, count: LedgerLayout.count) }, passed[Self.client] ?? [],
            calls: calls, administration: administration, now: now)
        for number in texts + ledgers { close(number) }
    }

    private func empty() throws(SystemError) {
        for name in [Self.client, Self.ledger] + Self.texts { try store?.remove(name, waits: true) }
    }
}
