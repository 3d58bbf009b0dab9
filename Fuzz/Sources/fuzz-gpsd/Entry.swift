/// libFuzzer's own loop.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>,
    _ target: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The package manager gives a program's `main` this name, and does not let libFuzzer bring one.
@_cdecl("fuzz_gpsd_main")
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>) -> CInt {
    var (count, arguments) = unsafe (count, arguments)
    return unsafe runDriver(&count, &arguments) { bytes, size in unsafe fuzzGpsd(bytes, size) }
}
