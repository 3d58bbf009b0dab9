@testable import Gpsd

/// The way of gpsd's bytes, from the socket to readings: framing, libgps, epochs of the best receiver and of one.
///
/// What leaves must be possible, whatever comes in. The first byte of the input is the size of the pieces in which the rest
/// arrives; a line that starts with a digit also lets time pass.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGpsd(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe UnsafeBufferPointer(start: start, count: count)
    guard let size = unsafe input.first, var session = try? GpsdSession() else { return 0 }
    var way = Way()
    var rest = unsafe Array(input.dropFirst())[...]
    while !rest.isEmpty {
        let piece = rest.prefix(Int(size) + 1)
        rest = rest.dropFirst(piece.count)
        guard way.take(piece, &session) else { return 0 }
    }
    way.finish()
    return 0
}
