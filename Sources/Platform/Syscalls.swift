internal import CLinux
internal import Glibc

/// The system calls of the serving path, one function each: the seam at which tests make calls fail.
///
/// A result of -1 comes back as the negated errno, so that the caller needs no second look at a thread-local variable.
enum Syscalls {
    static func send(_ descriptor: Int32, _ bytes: Span<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            retrying { unsafe clinux_send(descriptor, buffer.baseAddress, buffer.count) }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        retrying { unsafe clinux_receive(descriptor, buffer.baseAddress, buffer.count) }
    }

    static func accept(_ listener: Int32) -> Int { retrying { Int(clinux_accept(listener)) } }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            let code = clinux_errno()
            if code != EINTR { return -Int(code) }
        }
    }
}
