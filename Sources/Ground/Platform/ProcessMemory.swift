internal import CLinux
internal import Glibc

/// The memory of this process.
public enum ProcessMemory {
    /// How much of it is in RAM; nil if the kernel does not report it. `proc(5)` statm
    public static func residentBytes() -> Int? { bytes(1) }

    /// Gives what was freed back to the kernel; the allocator keeps most of it otherwise. `malloc_trim(3)`
    public static func returnFreed() { _ = malloc_trim(0) }

    /// How much of it can be written; nil if the kernel does not report it. `proc(5)` statm
    static func dataBytes() -> Int? { bytes(5) }

    private static func bytes(_ field: Int) -> Int? {
        guard let line = SmallFile.line(at: "/proc/self/statm") else { return nil }
        let fields = line.split(separator: " ")
        guard fields.count > field, let pages = Int(fields[field]) else { return nil }
        return pages.multipliedReportingOverflow(by: Int(getpagesize())).partialValue
    }
}
