internal import Varlink

/// What a framer makes of bytes.
struct Framing: Equatable {
    var messages: [[UInt8]] = []
    /// A message was longer than allowed, and ended the connection.
    var isTooLong = false

    static func messages(of bytes: [UInt8], inPiecesOf size: Int, maximumBytes: Int) -> Framing {
        var framer = MessageFramer(maximumBytes: maximumBytes)
        var framing = Framing()
        var rest = bytes[...]
        repeat {
            framer.append(contentsOf: rest.prefix(size))
            rest = rest.dropFirst(size)
            do {
                while let message = try framer.next() { framing.messages.append(message) }
            } catch {
                framing.isTooLong = true
                return framing
            }
        } while !rest.isEmpty
        return framing
    }
}
