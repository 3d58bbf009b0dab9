internal import Platform

/// A connection to the system bus, made again whenever it ends, with the name on it.
final class BusConnection {
    /// Messages that are handled in a turn, before it is the broker's.
    private static let mostMessages = 64

    /// When to connect; nil while there is a connection.
    private(set) var retryNanoseconds: Int64? = 0
    /// The bus on which the name is ours; nil: on none.
    private(set) var identity: String?

    private let journal: Journal
    private let token: UInt64
    private var bus: SystemBus?
    private var interest = EventLoop.Interest.read
    private var backoff = Backoff(
        firstNanoseconds: Nanoseconds.second / 10, longestNanoseconds: 5 * Nanoseconds.second)
    /// Whether it was logged that the bus is lost.
    private var isMissed = false
    private var hasAskedForName = false
    private var mayHoldMore = false

    /// No connection yet; `token` is that of its socket in the loop.
    init(_ journal: Journal, token: UInt64) { (self.journal, self.token) = (journal, token) }

    /// Whether there is a connection.
    var isOpen: Bool { bus != nil }

    /// Whether there are messages that were not handled.
    var hasMoreMessages: Bool { isOpen && mayHoldMore }

    /// The socket has become readable or writable.
    func noteReadiness() { mayHoldMore = true }

    /// Connects; `property` answers what the value of a property is.
    func open(_ loop: borrowing EventLoop, property: @escaping (String) -> Property.Value?) throws {
        let opened = try SystemBus(inbox: SystemBus.Inbox(property: property))
        try loop.add(opened.number, .read, token: token)
        bus = consume opened
        (interest, retryNanoseconds, hasAskedForName, mayHoldMore) = (.read, nil, false, true)
    }

    /// Ends the connection, which is of no use, and logs why: the first time of several in a row.
    func close(_ reason: String, _ now: Int64) {
        if !isMissed { journal.write(.warning, "\(reason); trying again") }
        isMissed = true
        bus = nil
        identity = nil
        retryNanoseconds = now + backoff.next()
    }

    /// Asks for the name, once on each connection.
    func requestName() throws(BusFault) {
        guard isOpen, !hasAskedForName else { return }
        hasAskedForName = true
        try bus?.requestName()
    }

    /// The name is ours.
    func didGetName() {
        backoff.reset()
        isMissed = false
        journal.write(.notice, "serving \(SystemBus.name)")
        identity = bus?.identity
    }

    /// Handles messages, if there are some or it is time; what happened.
    func process() throws(BusFault) -> [SystemBus.Inbox.Event] {
        guard hasMoreMessages || waitNanoseconds == 0 else { return [] }
        mayHoldMore = try bus?.process(most: Self.mostMessages) ?? false
        defer { bus?.inbox.events = [] }
        return bus?.inbox.events ?? []
    }

    /// Asks whose program this is, and has it reported when it leaves.
    func follow(_ sender: String) throws(BusFault) { try bus?.follow(sender) }

    /// The answer about a program has come.
    func didIdentify(_ sender: String) { bus?.didIdentify(sender) }

    /// Ends following, of all programs.
    func unfollowAll() { bus?.unfollowAll() }

    /// Announces that properties of an object changed: to some programs; nil: to all that listen.
    func announce(_ object: BusObject, _ properties: [Property], to receivers: [String]?) {
        // Before the name is ours, nobody listens.
        guard let receivers else {
            bus?.announce(object, properties, to: nil)
            return
        }
        for receiver in receivers { bus?.announce(object, properties, to: receiver) }
    }

    /// Has the loop wait for what the connection needs now.
    func updateInterest(_ loop: borrowing EventLoop) {
        guard let number = bus?.number else { return }
        let wanted: EventLoop.Interest = bus?.wantsToWrite == true ? [.read, .write] : .read
        if wanted != interest, (try? loop.change(number, wanted, token: token)) != nil { interest = wanted }
    }

    /// How long the connection may be left alone if nothing comes; nil: for ever.
    var waitNanoseconds: Int64? {
        guard let due = bus?.deadlineMicroseconds else { return nil }
        let (instant, overflow) = Int64(clamping: due).multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : max(0, instant - Clock.monotonicNanoseconds())
    }
}
