/// libFuzzer's own loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>,
    _ target: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// Runs libFuzzer on a target, which stops by a trap where something does not hold.
///
/// The package manager gives a program's `main` a name of its own, and does not let libFuzzer bring one.
public func fuzz(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>,
    _ target: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt {
    var (count, arguments) = unsafe (count, arguments)
    return unsafe runDriver(&count, &arguments, target)
}
