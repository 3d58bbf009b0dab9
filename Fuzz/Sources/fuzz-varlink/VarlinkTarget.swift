internal import Fuzzing
internal import Varlink

/// The way of a stranger's bytes to a call: framing, JSON, call, reply, interface definition.
///
/// The first byte is the size of the pieces in which the rest arrives, the second a bound of a message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVarlink(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = unsafe Input(start, count)
    let (piece, bound) = (Int(input.byte()) + 1, Int(input.byte()) * 16 + 1)
    let bytes = input.bytes(.max)
    let atOnce = Framing.messages(of: bytes, inPiecesOf: max(1, bytes.count), maximumBytes: bound)
    let inPieces = Framing.messages(of: bytes, inPiecesOf: piece, maximumBytes: bound)
    precondition(atOnce == inPieces, "messages depend on the pieces in which they arrive")
    for message in atOnce.messages {
        precondition(message.count <= bound, "a message beyond its bound")
        Message.check(message)
    }
    return 0
}
