/// Cuts a byte stream into messages: each ends with one NUL byte, which cannot occur inside of it.
///
/// Bytes go in as they arrive, split anywhere. Every byte is searched once and moved at most once, so a peer that sends a
/// byte at a time, or thousands of messages at once, costs no more than its bytes. Take all messages out after each
/// `append`: only `next` holds the stream to its limit. After an error the stream stays in error.
public struct MessageFramer: Sendable {
    /// A buffer that grew past this is given back once it is empty: most clients send small calls and then none.
    private static let keptCapacity = 4096

    private let maximumBytes: Int
    private var buffer: [UInt8] = []
    /// Where the message that `next` looks for begins; what is before it has been handed out.
    private var start = 0
    /// There is no NUL from `start` up to here.
    private var searched = 0

    /// A framer for messages of at most so many bytes, the NUL not counted.
    public init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Whether bytes of a message have arrived and its end has not.
    public var hasUnfinishedMessage: Bool { start < buffer.count && buffer.last != 0 }

    /// What has arrived and has not been handed out.
    public var rest: [UInt8] { Array(buffer[start...]) }

    /// Bytes that are kept of messages that have not been handed out.
    public var bufferedBytes: Int { buffer.count - start }

    /// Bytes arrived.
    public mutating func append(contentsOf bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// Bytes arrived.
    public mutating func append(contentsOf bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next whole message without its NUL; nil where its end has not arrived yet.
    public mutating func next() throws(FramingError) -> [UInt8]? {
        let end = nextTerminator()
        guard (end ?? buffer.count) - start <= maximumBytes else {
            throw .messageTooLarge(maximumBytes: maximumBytes)
        }
        guard let end else {
            compact()
            return nil
        }
        let message = Array(buffer[start..<end])
        start = end + 1
        searched = start
        return message
    }

    private mutating func nextTerminator() -> Int? {
        searched = Self.terminator(in: buffer.span, from: searched)
        return searched < buffer.count ? searched : nil
    }

    private static func terminator(in bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != 0 { index += 1 }
        return index
    }

    /// Runs only when no whole message is left, so that what it moves, the unfinished one, is moved once.
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

/// Why a byte stream cannot be cut into messages any further.
public enum FramingError: Error, Equatable {
    /// A message, finished or not, is longer than its reader takes.
    case messageTooLarge(maximumBytes: Int)
}
