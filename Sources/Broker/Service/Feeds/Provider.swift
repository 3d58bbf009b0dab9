internal import Platform
internal import Readings
internal import Varlink

/// The program at the other end of a feed: what it sends is read here, at its own expense.
///
/// Its connection answers no further calls. It is read through a second descriptor of its socket, like a device, so that a sample
/// needs no turn among calls; a program that sends too much is not read for a while, and waits for itself.
final class Provider {
    let connection: Connection
    /// The settings for each of its resources.
    private(set) var rules: [ResourceName: FeedPolicy.Rule]
    /// Whether its connection ends with an error: what else it has sent does not count.
    private(set) var isRejected = false
    private let socket: UnixSocket
    private var framer = MessageFramer(maximumBytes: Limits.callBytes)
    private var received = [UInt8](repeating: 0, count: 16 * 1_024)
    private var hasEnded = false
    private var allowance: SampleAllowance

    /// A program that has called `Provide`; throws if the process is out of descriptors.
    init(_ connection: Connection, under rules: [ResourceName: FeedPolicy.Rule], now: BootTime) throws(SystemError) {
        self.connection = connection
        self.rules = rules
        socket = UnixSocket(try Descriptor(duplicating: connection.socket.number))
        allowance = SampleAllowance(perSecond: Self.rate(rules), now: now)
        framer.append(contentsOf: connection.input.rest)
    }

    /// The second descriptor of its socket, for epoll.
    var descriptor: Int32 { socket.number }

    var names: [ResourceName] { Array(rules.keys) }

    var samplesPerSecond: Int { Self.rate(rules) }

    private static func rate(_ rules: [ResourceName: FeedPolicy.Rule]) -> Int {
        rules.values.map(\.samplesPerSecond).min() ?? 1
    }

    /// The settings have changed, but what is provided stays as it is.
    func follow(_ rules: [ResourceName: FeedPolicy.Rule]) {
        self.rules = rules
        allowance.perSecond = samplesPerSecond
    }

    /// It has been allowed to gather samples for so long.
    func mayGather(nanoseconds: Int64) { allowance.gatheringNanoseconds = nanoseconds }

    func reject() { isRejected = true }

    /// Whether it has ended, although its connection may not have been removed yet.
    var hasGone: Bool { connection.phase == .closing || socket.hasBeenLeft }

    var userID: UInt32 { connection.peer.userID }

    var words: String { "process \(connection.peer.processID) of user \(userID)" }

    /// Reads what has arrived, as much as fits the buffer; returns whether the program may send more.
    func receive() -> Bool {
        switch socket.receive(into: &received) {
        case .received(let count): framer.append(contentsOf: received.span.extracting(..<count))
        case .nothing: break
        case .ended, .failed: hasEnded = true
        }
        return !hasEnded
    }

    func next() throws(FramingError) -> [UInt8]? { try framer.next() }

    /// Whether so many samples may be taken now; they are counted if they may.
    func mayTake(_ samples: Int, now: BootTime) -> Bool { allowance.take(samples, now: now) }

    func send(_ bytes: [UInt8], now: BootTime) { connection.reply(bytes, now: now) }
}

/// How many samples a second are taken; after a pause, those of a second at once, and those that were to be gathered.
struct SampleAllowance {
    var perSecond: Int { didSet { perSecond = max(1, perSecond) } }
    /// How long samples may be gathered.
    var gatheringNanoseconds: Int64 = 0
    /// When the samples taken so far are paid for.
    private var paidAt: BootTime

    init(perSecond: Int, now: BootTime) {
        self.perSecond = max(1, perSecond)
        paidAt = now + -Nanoseconds.second
    }

    /// Whether so many more may be taken now; they are counted if they may.
    mutating func take(_ samples: Int, now: BootTime) -> Bool {
        let burst = Nanoseconds.second + min(max(0, gatheringNanoseconds), 3_600 * Nanoseconds.second)
        let start = max(paidAt, now + -burst)
        let end = start + Int64(samples) * Nanoseconds.second / Int64(perSecond)
        guard end <= now else { return false }
        paidAt = end
        return true
    }
}
