internal import Admission
internal import Platform
internal import Readings
internal import Varlink

/// The bytes that a client has sent and that have not been handled yet; they are cut into calls.
///
/// A call that has not come as a whole is kept, at its user's expense, for a bounded time.
struct CallInput: ~Copyable {
    private var framer = MessageFramer(maximumBytes: Limits.callBytes)
    /// epoll said that there is something to read.
    private var isReadable = false
    /// The client writes no more.
    private(set) var hasEnded = false
    /// When the first byte came of a call that is not whole yet; nil: there is none.
    private(set) var unfinishedSince: BootTime?
    /// For the bytes of that call, beyond those that are free.
    private var charge: Charge?

    /// There is something to read.
    mutating func setReadable() { isReadable = true }

    /// Reads what is there, if there is something; false: the connection has failed.
    mutating func receive(from socket: borrowing UnixSocket, through buffer: inout [UInt8]) -> Bool {
        guard isReadable else { return true }
        isReadable = false
        switch socket.receive(into: &buffer) {
        case .received(let count): framer.append(contentsOf: buffer[..<count])
        case .nothing: break
        case .ended: hasEnded = true
        case .failed: return false
        }
        return true
    }

    /// The next call that has come as a whole, and its size; nil: there is none.
    mutating func next() throws(MalformedInput) -> (call: Call, bytes: Int)? {
        let message: [UInt8]?
        do { message = try framer.next() } catch { throw .framing(error) }
        guard let message else { return nil }
        do {
            return (try Call(parsing: message, limits: Limits.callStructure), message.count)
        } catch {
            throw .call(error)
        }
    }

    /// The calls that have come as a whole are answered; returns since when an unfinished one has been under way, if there is one.
    mutating func awaitRest(isNew: Bool, now: BootTime) -> BootTime? {
        guard framer.hasUnfinishedMessage else {
            didFinish()
            charge = nil
            return nil
        }
        let since = isNew ? now : unfinishedSince ?? now
        unfinishedSince = since
        return since
    }

    /// No call is unfinished as far as is known: whole ones wait to be answered.
    mutating func didFinish() { unfinishedSince = nil }

    /// Pays for the bytes of the unfinished call; false: the user may not have that many.
    mutating func pay(_ take: (Int) -> Charge?) -> Bool {
        let bytes = framer.bufferedBytes - Limits.leastCallBytes
        guard bytes > charge?.amount ?? 0 else { return true }
        charge = nil
        // In steps, not byte by byte.
        let steps = (bytes + Limits.leastCallBytes - 1) / Limits.leastCallBytes
        charge = take(steps * Limits.leastCallBytes)
        return charge != nil
    }

    /// Bytes that have not been handed out as calls.
    var rest: [UInt8] { framer.rest }

    /// Goes on with bytes that another process had read.
    mutating func resume(_ bytes: [UInt8]) { framer.append(contentsOf: bytes) }
}

/// Why the connection of a client that sent this is closed.
enum MalformedInput: Error, CustomStringConvertible {
    case framing(FramingError)
    case call(MalformedCall)

    /// For people.
    var description: String {
        switch self {
        case .framing(let error): "\(error)"
        case .call(.json(let error)): "\(error)"
        case .call(let error): "\(error)"
        }
    }
}
