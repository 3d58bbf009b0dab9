internal import Fuzzing

/// The program's `main`.
@_cdecl("fuzz_connection_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>) -> CInt {
    unsafe fuzz(count, arguments) { unsafe fuzzConnection($0, $1) }
}
