internal import Admission
internal import Delivery
internal import Platform
internal import Readings
internal import Varlink

/// The program at the other end of a feed: what it sends is read here, at its own expense.
///
/// Its connection answers no further calls. It is read through a second descriptor of its socket, like a device, so that a sample
/// needs no turn among calls; a program that sends too much is not read for a while, and waits for itself.
final class Provider {
    let connection: Connection
    let names: [ResourceName]
    private let socket: UnixSocket
    private var framer = MessageFramer(maximumBytes: Limits.callBytes)
    private var received = [UInt8](repeating: 0, count: 16 * 1_024)
    private var hasEnded = false
    private var share = TimeShare(percent: Limits.feedPercent, burstNanoseconds: Limits.burstNanoseconds)
    private var allowance: SampleAllowance

    /// A program that has called `Provide`; throws if the process is out of descriptors.
    init(_ connection: Connection, of names: [ResourceName], samplesPerSecond: Int, now: BootTime) throws(SystemError) {
        self.connection = connection
        self.names = names
        socket = UnixSocket(try Descriptor(duplicating: connection.socket.number))
        allowance = SampleAllowance(perSecond: samplesPerSecond, now: now)
        framer.append(contentsOf: connection.input.rest)
    }

    /// The second descriptor of its socket, for epoll.
    var descriptor: Int32 { socket.number }

    /// Who it is, for people.
    var words: String { "process \(connection.peer.processID) of user \(connection.peer.userID)" }

    /// Reads what has arrived, as much as fits the buffer; returns whether the program may send more.
    func receive() -> Bool {
        switch socket.receive(into: &received) {
        case .received(let count): framer.append(contentsOf: received.span.extracting(..<count))
        case .nothing: break
        case .ended, .failed: hasEnded = true
        }
        return !hasEnded
    }

    /// The next whole message; nil: there is none.
    func next() throws(FramingError) -> [UInt8]? { try framer.next() }

    /// Whether so many samples may be taken now; they are counted if they may.
    func mayTake(_ samples: Int, now: BootTime) -> Bool { allowance.take(samples, now: now) }

    /// Records how long its messages took; returns until when it must not be read, nil: it may be at once.
    func didTake(_ nanoseconds: Int64, now: BootTime) -> BootTime? {
        share.take(nanoseconds, now: now)
        return share.opensAt > now ? share.opensAt : nil
    }

    func send(_ bytes: [UInt8], now: BootTime) { connection.reply(bytes, now: now) }
}

/// How many samples a second are taken; after a pause, those of a second at once.
struct SampleAllowance {
    private let perSecond: Int
    /// When the samples taken so far are paid for.
    private var paidAt: BootTime

    init(perSecond: Int, now: BootTime) {
        self.perSecond = max(1, perSecond)
        paidAt = now + -Self.burstNanoseconds
    }

    private static let burstNanoseconds = Nanoseconds.second

    /// Whether so many more may be taken now; a call with more than those of a second is never too much by itself.
    mutating func take(_ samples: Int, now: BootTime) -> Bool {
        let start = max(paidAt, now + -Self.burstNanoseconds)
        guard start <= now else { return false }
        paidAt = start + Int64(samples) * Nanoseconds.second / Int64(perSecond)
        return true
    }
}
