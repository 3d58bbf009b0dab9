import Glibc

/// A directory that is removed after its test.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws {
        var template = Array("/tmp/sensorbroker-test.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw MissingDirectory() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { unsafe system("rm -rf \(path)") }

    struct MissingDirectory: Error {}

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// The permission bits of a file in it; nil if it does not exist.
    func mode(of name: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path(of: name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    func write(_ text: String, to name: String) {
        let file = unsafe open(path(of: name), O_WRONLY | O_CREAT, 0o600)
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(file, bytes, bytes.count)
        close(file)
    }
}
