internal import Glibc

/// Files of a few lines, as the kernel keeps them in /sys and /proc.
public enum SmallFile {
    /// The beginning of a file as text; nil where it cannot be read. `open(2)`, `read(2)`
    public static func text(at path: String, maximumBytes: Int = 4_096) -> String? {
        let file = Descriptor(owning: unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
        guard file.number >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: max(1, maximumBytes))
        var count = 0
        while count < bytes.count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(file.number, $0.baseAddress.map { unsafe $0 + count }, $0.count - count)
            }
            guard more >= 0 else { return nil }
            guard more > 0 else { break }
            count += more
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Its first line without the end of it; nil where it cannot be read.
    public static func line(at path: String) -> String? {
        text(at: path).map { String($0.prefix { $0 != "\n" && $0 != "\0" }) }
    }
}
