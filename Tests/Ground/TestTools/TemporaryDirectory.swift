import Foundation
import Glibc

/// A directory that is removed after its test.
public final class TemporaryDirectory {
    /// Its path.
    public let path: String

    private struct MissingDirectory: Error {}

    /// Makes one. `mkdtemp(3)`
    public init() throws {
        var template = Array("/tmp/sensorbroker-test.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw MissingDirectory() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // Without a child, which would have all open files of other tests until it executes its program.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// The permission bits of a file in it; nil if it does not exist.
    public func mode(of name: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path(of: name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Writes a file, and makes the directory that it is in; its path.
    @discardableResult
    public func write(_ text: String, to name: String) -> String {
        if let slash = name.lastIndex(of: "/") { unsafe mkdir(path(of: String(name[..<slash])), 0o700) }
        let file = unsafe open(path(of: name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(file, bytes, bytes.count)
        close(file)
        return path(of: name)
    }

    /// The text of a file; nil if there is none.
    public func text(of name: String) -> String? {
        let file = unsafe open(path(of: name), O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The names of what is in it.
    public var names: Set<String> {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: Set<String> = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }
}
