internal import CLinux
internal import Glibc

/// Looks up host names on threads of its own, because the system's resolver has no timeout.
///
/// A name server that does not answer can block such a thread for long, while devices ask again and again. So there is
/// one look-up of a name at a time, and all who ask for that name meanwhile wait for the same answer.
final class Resolver: Sendable {
    /// The resolver's answer for a host.
    enum Answer: Sendable {
        /// The name's addresses in the kernel's form; their port is 0.
        case found([[UInt8]])
        case failed(Int32)
    }

    /// The resolver that this process shares.
    static let shared = Resolver { ask($0, flags: 0) }

    private final class LookUp: Sendable {
        let answer = Locked<Answer?>(nil)
        /// Never cleared, so that all waiters see it.
        let isDone: WakeEvent

        init() throws(SystemError) { isDone = try WakeEvent() }
    }

    private let pending = Locked<[String: LookUp]>([:])
    private let lookUp: @Sendable (String) -> Answer

    /// Creates a resolver whose threads call a function that may block.
    init(_ lookUp: @escaping @Sendable (String) -> Answer) { self.lookUp = lookUp }

    /// The addresses of a host; throws ETIMEDOUT if there is no answer in time.
    ///
    /// Without a limit, this thread looks it up.
    func addresses(of host: String, withinNanoseconds: Int64?) throws(SystemError) -> [[UInt8]] {
        guard let withinNanoseconds else { return try Self.addresses(lookUp(host), of: host) }
        let shared = try pending.withLock { (pending) throws(SystemError) in
            if let one = pending[host] { return one }
            let one = try begin(host)
            pending[host] = one
            return one
        }
        let deadline = Clock.monotonicNanoseconds() + withinNanoseconds
        while true {
            let left = deadline - Clock.monotonicNanoseconds()
            let isDone = Wait.untilReadable(shared.isDone.descriptor, nanoseconds: max(0, left)).first
            if let answer = shared.answer.withLock({ $0 }) { return try Self.addresses(answer, of: host) }
            if left <= 0, !isDone { throw SystemError("look up \(host)", code: ETIMEDOUT) }
        }
    }

    private static func addresses(_ answer: Answer, of host: String) throws(SystemError) -> [[UInt8]] {
        switch answer {
        case .found(let addresses): return addresses
        case .failed(let code): throw SystemError("look up \(host)", code: code)
        }
    }

    private func begin(_ host: String) throws(SystemError) -> LookUp {
        let one = try LookUp()
        try Thread.start(name: "resolver") { [self] in
            let answer = lookUp(host)
            // Later callers need a newer answer.
            pending.withLock { $0[host] = nil }
            one.answer.withLock { $0 = answer }
            one.isDone.signal()
        }
        return one
    }

    /// Asks the system. `getaddrinfo(3)`
    static func ask(_ host: String, flags: Int32) -> Answer {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failed(code == EAI_SYSTEM ? clinux_errno() : Self.code(of: code)) }
        defer { unsafe freeaddrinfo(list) }
        var found: [[UInt8]] = []
        var next = unsafe list
        while let entry = unsafe next {
            found.append(
                unsafe Array(UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen)))
            )
            unsafe next = entry.pointee.ai_next
        }
        return .found(found)
    }

    private static func code(of code: Int32) -> Int32 {
        switch code {
        // A name server that does not answer, or answers that it cannot.
        case EAI_AGAIN, EAI_FAIL: ETIMEDOUT
        case EAI_MEMORY: ENOMEM
        default: ENXIO
        }
    }
}
