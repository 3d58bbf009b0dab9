internal import Admission
internal import Platform
internal import Readings
internal import Varlink

/// The bytes that a client has sent and that have not been handled yet; they are cut into calls.
///
/// An incomplete call is kept for a bounded time, at its user's expense.
struct CallInput: ~Copyable {
    private var framer = MessageFramer(maximumBytes: Limits.callBytes)
    /// When the first byte of an incomplete call arrived; nil: there is none.
    private(set) var unfinishedSince: BootTime?
    /// epoll reported that there is something to read.
    private var isReadable = false
    /// The client has closed its writing side.
    private(set) var hasEnded = false
    /// The charge for the bytes of that call beyond the free ones.
    private var charge: Charge?

    mutating func setReadable() { isReadable = true }

    /// Reads what is there, if anything; false: the connection has failed.
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

    /// The next complete call, and its size; nil: there is none.
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

    /// All complete calls are answered; returns since when an incomplete one has been under way, nil: there is none.
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

    /// No call is known to be incomplete: complete ones wait to be answered.
    mutating func didFinish() { unfinishedSince = nil }

    /// Pays for the bytes of the incomplete call; false: the user may not have that many.
    mutating func pay(_ take: (Int) -> Charge?) -> Bool {
        let bytes = framer.bufferedBytes - Limits.leastCallBytes
        guard bytes > charge?.amount ?? 0 else { return true }
        charge = nil
        // In steps, not byte by byte.
        let steps = (bytes + Limits.leastCallBytes - 1) / Limits.leastCallBytes
        charge = take(steps * Limits.leastCallBytes)
        return charge != nil
    }

    var rest: [UInt8] { framer.rest }

    mutating func resume(_ bytes: [UInt8]) { framer.append(contentsOf: bytes) }
}

/// Why the connection of a client is closed for what it sent.
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
