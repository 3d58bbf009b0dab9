import Glibc

/// A directory that is removed after its test.
final class Folder {
    let path: String

    struct Missing: Error {}

    init() throws {
        var template = Array("/tmp/sensorbroker-fleet.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Missing() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unsafe system("rm -rf \(path)") }

    /// The text of a file; nil if there is none.
    func text(of name: String) -> String? {
        let file = unsafe open("\(path)/\(name)", O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func write(_ text: String, to name: String) {
        let file = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(file, bytes, bytes.count)
        close(file)
    }

    /// The names of all recordings.
    var recordings: Set<String> {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: Set<String> = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasSuffix(".ndjson") { names.insert(name) }
        }
        return names
    }
}
