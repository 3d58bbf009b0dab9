internal import Glibc

/// The memory of this process.
public enum ProcessMemory {
    /// How much of it is in RAM; nil if the kernel does not tell. `proc(5)` statm
    public static func residentBytes() -> Int? {
        guard let line = SmallFile.line(at: "/proc/self/statm") else { return nil }
        let fields = line.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE)))).partialValue
    }
}
