internal import Platform

/// A file of another program, read whole.
enum InputFile {
    /// The longest that is read: it is kept in memory.
    private static let maximumBytes = 256 << 20

    static func read(_ path: String) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]?
        do { bytes = try WholeFile.read(path, maximumBytes: maximumBytes) } catch {
            throw Failure(.noInput, "cannot read a file: \(error)")
        }
        guard let bytes else { throw Failure(.noInput, "there is no file \(path)") }
        return bytes
    }
}
