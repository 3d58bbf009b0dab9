internal import Glibc
internal import Platform
internal import Readings
internal import Service

/// How clients go over from one daemon to the next: through the service manager's store of descriptors.
///
/// The daemon that ends puts the clients' sockets there, and beside them a sealed memory file that says what each is in the
/// middle of; the next one finds them among its passed sockets. To a client it is one and the same connection. While it runs
/// it does the same now and then, with a ledger that tells what has happened since, in case it dies without a word. Where
/// there is no store, or it fails, streams end in words, and clients come again by themselves.
struct Succession {
    private static let client = "client"
    private static let ledger = "ledger"
    /// One is in the store until the next one is.
    private static let texts = ["handover-0", "handover-1"]
    /// How long the service manager has to say what is to become of this service.
    private static let answerNanoseconds: Int64 = 1_000_000_000
    /// InstancePaths in the store for what is no client.
    private static let reserve = 4

    private let store = DescriptorStore()
    private let journal: Journal
    private let passed: [String: [Int32]]
    /// What else was passed.
    let others: [(name: String, number: Int32)]

    /// Takes out of what was passed to this process what the one before it left.
    init(_ passed: [(name: String, number: Int32)], _ journal: Journal) {
        self.journal = journal
        let names = [Self.client, Self.ledger] + Self.texts
        self.passed = Dictionary(grouping: passed.filter { names.contains($0.name) }, by: \.name)
            .mapValues { $0.map(\.number) }
        others = passed.filter { !names.contains($0.name) }
    }

    /// Serves the clients of the process before, and begins to take precautions for those that this one will have.
    ///
    /// The store is emptied first: if what is in it should be the end of this process, it is not to be that of the next.
    func begin(
        on server: Server, _ broker: Broker, _ calls: BrokerCalls, _ administration: AdminCalls, now: BootTime
    ) {
        do throws(SystemError) { try empty() } catch { journal.write(.warning, "\(error)") }
        let ledger = store.flatMap { makeLedger(in: $0) }
        server.ledger = ledger
        if !passed.isEmpty { takeOver(broker, calls, administration, now) }
        guard let store, ledger != nil else { return }
        // Those of clients that have just gone may still be in the store.
        let checkpoint = Checkpoint(capacity: (store.capacity - Self.reserve) * 3 / 4) { generation, text, sockets in
            do throws(SystemError) {
                try keep(text, generation, sockets, in: store, waits: false)
                return true
            } catch {
                // The service manager is busy: it is tried again.
                return false
            }
        }
        broker.begin(checkpoint, now: now)
    }

    /// The daemon ends: leaves its clients to the next one, or tells them.
    ///
    /// Whether there will be a next one is asked last, since the answer may be long in coming: if the service manager loses
    /// its patience meanwhile, all is in the store. It is emptied by the service manager where nothing follows.
    func leave(_ broker: Broker, now: BootTime) {
        guard let store, leave(broker, to: store, now) else { return broker.shutDown(now: now) }
        if ServiceJob.current(waitingNanoseconds: Self.answerNanoseconds) == .other { broker.shutDown(now: now) }
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

    /// The text last: without it the sockets are nothing, and with it they are there.
    private func keep(
        _ text: [UInt8], _ generation: Int64, _ sockets: [Int32], in store: DescriptorStore, waits: Bool
    ) throws(SystemError) {
        let file = try MemoryFile(text, name: "sensorbroker-handover")
        if !sockets.isEmpty { try store.add(sockets, name: Self.client, waits: waits) }
        let place = Int(generation % 2)
        try store.add([file.number], name: Self.texts[place], waits: waits)
        try store.remove(Self.texts[1 - place], waits: waits)
    }

    private func makeLedger(in store: DescriptorStore) -> Ledger? {
        do throws(SystemError) {
            let ledger = try Ledger(count: LedgerPlaces.count, name: "sensorbroker-ledger")
            try store.add([ledger.number], name: Self.ledger, waits: true)
            return ledger
        } catch {
            journal.write(.warning, "clients are not kept in case of a crash: \(error)")
            return nil
        }
    }

    private func takeOver(_ broker: Broker, _ calls: BrokerCalls, _ administration: AdminCalls, _ now: BootTime) {
        let texts = Self.texts.flatMap { passed[$0] ?? [] }
        let ledgers = passed[Self.ledger] ?? []
        broker.takeOver(
            // One that cannot be read is no text.
            texts.map { MemoryFile.read($0, maximumBytes: Broker.handoverBytes) ?? [] },
            ledger: ledgers.last.flatMap { Ledger.read($0, count: LedgerPlaces.count) }, passed[Self.client] ?? [],
            calls: calls, administration: administration, now: now)
        for number in texts + ledgers { close(number) }
    }

    private func empty() throws(SystemError) {
        for name in [Self.client, Self.ledger] + Self.texts { try store?.remove(name, waits: true) }
    }
}
