internal import CLinux
internal import Glibc

/// The kinds of calls of the serving path.
package enum SystemCall: String, CaseIterable, Sendable {
    case accept, send, receive, control, peer
}

/// The system calls of the serving path as functions, so that tests can make them fail.
///
/// A result of -1 is returned as the negated errno, so that the caller need not read a thread-local variable.
enum Syscalls {
    @inline(__always)
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            retrying(.send) { unsafe clinux_send(descriptor, buffer.baseAddress, buffer.count) }
        }
    }

    /// The same; the kernel records in words that outlive the process how many bytes it took.
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>, note: UnsafeMutablePointer<Int64>, tag: Int64) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            retrying(.send) { unsafe clinux_send_noted(descriptor, buffer.baseAddress, buffer.count, note, tag) }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        retrying(.receive) { unsafe clinux_receive(descriptor, buffer.baseAddress, buffer.count) }
    }

    static func accept(_ listener: Int32) -> Int {
        retrying(.accept) { Int(clinux_accept(listener)) }
    }

    static func control(_ epoll: Int32, _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ token: UInt64)
        -> Int
    {
        retrying(.control) { Int(clinux_epoll_control(epoll, operation, descriptor, events, token)) }
    }

    static func peer(_ descriptor: Int32, _ peer: inout Peer) -> Int {
        retrying(.peer) { Int(unsafe clinux_peer(descriptor, &peer.processID, &peer.userID, &peer.groupID)) }
    }

    /// Makes a call again as long as a signal interrupts it.
    private static func retrying(_ kind: SystemCall, _ call: () -> Int) -> Int {
        #if DEBUG
            if let failure = FaultScript.failure(of: kind) { return failure }
        #endif
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = clinux_errno()
            if code != EINTR { return -Int(code) }
        }
    }
}
