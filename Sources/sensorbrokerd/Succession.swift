internal import Glibc
internal import Platform
internal import Readings
internal import Service
internal import ServiceManagement

/// How clients go over from one daemon to the next: through the service manager's store of descriptors.
///
/// The daemon that ends puts the clients' sockets there, and beside them a sealed memory file that says what each is in the
/// middle of; the next one finds them among its passed sockets. To a client it is one and the same connection. Where there is
/// no store, or it fails, streams end in words, and clients come again by themselves.
struct Succession {
    private static let client = "client"
    private static let state = "handover"

    private let store = DescriptorStore()
    private let journal: Journal
    private let sockets: [Int32]
    private let states: [Int32]
    /// What else was passed.
    let others: [(name: String, number: Int32)]

    /// Takes out of what was passed to this process what the one before it left.
    init(_ passed: [(name: String, number: Int32)], _ journal: Journal) {
        self.journal = journal
        sockets = passed.filter { $0.name == Self.client }.map(\.number)
        states = passed.filter { $0.name == Self.state }.map(\.number)
        others = passed.filter { $0.name != Self.client && $0.name != Self.state }
    }

    /// Serves the clients of the process before, and empties the store: from now on a connection ends when it is closed here.
    func takeOver(_ broker: Broker, _ calls: BrokerCalls, _ administration: AdminCalls, now: BootTime) {
        guard !sockets.isEmpty || !states.isEmpty else { return }
        // Of several, which only a process that ended in the middle leaves, none is to be trusted.
        let text = states.count == 1 ? MemoryFile.read(states[0], maximumBytes: Broker.handoverBytes) : nil
        broker.takeOver(text ?? [], sockets, calls: calls, administration: administration, now: now)
        for number in states { close(number) }
        do throws(SystemError) { try empty() } catch { journal.write(.warning, "\(error)") }
    }

    /// The daemon ends: leaves its clients to the next one, or tells them.
    ///
    /// Whether there will be a next one is asked last, since the answer may be long in coming: if the service manager loses
    /// its patience meanwhile, all is in the store. It is emptied by the service manager where nothing follows.
    func leave(_ broker: Broker, now: BootTime) {
        guard let store, leave(broker, to: store, now) else { return broker.shutDown(now: now) }
        if ServiceJob.current() == .other { broker.shutDown(now: now) }
    }

    private func leave(_ broker: Broker, to store: DescriptorStore, _ now: BootTime) -> Bool {
        let (text, sockets) = broker.handOver(atMost: store.capacity - 1, now: now)
        guard !sockets.isEmpty else { return false }
        do throws(SystemError) {
            let file = try MemoryFile(text, name: "sensorbroker-handover")
            try store.add(sockets, name: Self.client)
            try store.add([file.number], name: Self.state)
            try store.wait()
            return true
        } catch {
            journal.write(.warning, "clients cannot be handed over: \(error)")
            try? empty()
            return false
        }
    }

    private func empty() throws(SystemError) {
        try store?.remove(Self.client)
        try store?.remove(Self.state)
    }
}
