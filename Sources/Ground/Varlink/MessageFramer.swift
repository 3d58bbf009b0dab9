/// Splits a byte stream into messages, each ended by a NUL byte, which cannot occur inside a message.
///
/// Bytes are appended as they arrive, split anywhere. Every byte is searched once and moved at most once, so a peer
/// that sends single bytes, or thousands of messages at once, costs no more than any other. Take all messages after
/// each `append`: only `next` enforces the limit. After an error the stream remains in error.
public struct MessageFramer: Sendable {
    /// A buffer that grew beyond this is freed once it is empty.
    private static let keptCapacity = 4096

    private let maximumBytes: Int
    private var buffer: [UInt8] = []
    /// The offset of the next message; earlier bytes have been returned.
    private var start = 0
    /// The search for a NUL, from `start`, has come to this offset.
    private var searched = 0

    /// Creates a framer for messages of at most so many bytes, without the NUL.
    public init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Whether an incomplete message has arrived.
    public var hasUnfinishedMessage: Bool { start < buffer.count && buffer.last != 0 }

    /// The bytes that have arrived and have not been returned.
    public var rest: [UInt8] { Array(buffer[start...]) }

    /// The size of the buffer for messages that have not been returned.
    public var bufferedBytes: Int { buffer.count - start }

    /// Bytes arrived.
    public mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Bytes arrived.
    public mutating func append(contentsOf bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// Returns the next whole message without its NUL; nil if its end has not arrived yet.
    public mutating func next() throws(FramingError) -> [UInt8]? {
        let end = nextTerminator()
        guard (end ?? buffer.count) - start <= maximumBytes else {
            throw .messageTooLarge(maximumBytes: maximumBytes)
        }
        guard let end else {
            compact()
            return nil
        }
        if start == 0, end + 1 == buffer.count { return takeBuffer() }
        let message = Array(buffer[start..<end])
        start = end + 1
        searched = start
        assert(start <= buffer.count)
        return message
    }

    /// The buffer is one message, as it nearly always is: most clients send one call and then none, so nothing of it is kept.
    private mutating func takeBuffer() -> [UInt8] {
        var message: [UInt8] = []
        swap(&message, &buffer)
        message.removeLast()
        searched = 0
        return message
    }

    private mutating func nextTerminator() -> Int? {
        assert(start <= searched && searched <= buffer.count, "The search never goes back.")
        searched = Self.terminator(in: buffer.span, from: searched)
        return searched < buffer.count ? searched : nil
    }

    private static func terminator(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        // Eight at a time: a byte of a word is zero if the subtraction borrows into its highest bit, which was not set.
        let (ones, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        while index + 8 <= bytes.count {
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            if (word &- ones) & ~word & highest != 0 { break }
            index += 8
        }
        while index < bytes.count, bytes[index] != 0 { index += 1 }
        return index
    }

    /// Runs only when no whole message is left, so that the incomplete message is moved only once.
    private mutating func compact() {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
        } else if start > 0 {
            buffer.removeSubrange(..<start)
        }
        start = 0
        searched = buffer.count
    }
}

/// Why a byte stream cannot be split into messages any further.
public enum FramingError: Error, Equatable {
    /// A message, complete or not, exceeds the reader's limit.
    case messageTooLarge(maximumBytes: Int)
}
