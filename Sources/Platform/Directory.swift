internal import Glibc

/// What a directory holds.
public enum Directory {
    /// The names in it, without `.` and `..`, sorted; empty where it cannot be read. `readdir(3)`
    public static func names(in path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
