internal import Fuzzing

/// The program's `main`.
@_cdecl("fuzz_spool_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>) -> CInt {
    unsafe fuzz(count, arguments) { unsafe fuzzSpool($0, $1) }
}
