internal import Fuzzing
internal import Platform

/// Server, connections, calls and streams, by real sockets within the process: the bytes are what clients and devices do.
///
/// What a client receives must be replies, readings in order and finite. The clock is the real one, but nobody waits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzService(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Input(start, count)
    do throws(SystemError) {
        try Script(input).run()
    } catch {
        fatalError("\(error)")
    }
    return 0
}
