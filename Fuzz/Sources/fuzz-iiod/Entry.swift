internal import Fuzzing

/// The program's `main`.
@_cdecl("fuzz_iiod_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>) -> CInt {
    unsafe fuzz(count, arguments) { unsafe fuzzIIOD($0, $1) }
}
