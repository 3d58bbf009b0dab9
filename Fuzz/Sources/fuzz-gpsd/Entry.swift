internal import Fuzzing

/// The program's `main`.
@_cdecl("fuzz_gpsd_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>) -> CInt {
    unsafe fuzz(count, arguments) { unsafe fuzzGpsd($0, $1) }
}
