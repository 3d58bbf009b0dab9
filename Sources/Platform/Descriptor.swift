internal import Glibc

/// A file descriptor that closes itself.
///
/// Noncopyable: exactly one owner, so that it is closed exactly once.
public struct Descriptor: ~Copyable, Sendable {
    /// The number; valid only while this value lives.
    public let number: Int32

    /// Takes ownership of an open descriptor.
    public init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    /// Gives up ownership: the caller closes it.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
