internal import Glibc
internal import Platform

/// A file of the project that follows from tables of a program: `make generated` writes it, and a test compares it.
public struct GeneratedFile: Sendable {
    /// Its path in the project.
    public let path: String
    /// The text that it should have, given the one that it has.
    public let text: @Sendable (String) throws(Failure) -> String

    /// A file that is generated as a whole.
    public init(_ path: String, _ text: @autoclosure @escaping @Sendable () -> String) {
        self.path = path
        self.text = { _ in text() }
    }

    /// A file of which parts are generated.
    public init(_ parts: GeneratedParts) {
        path = parts.path
        text = { (text) throws(Failure) in try parts.replaced(in: text) }
    }

    /// Writes the files that differ into the project's directory, and names them.
    public static func write(_ files: [Self], in directory: String) throws(Failure) {
        for file in files {
            let path = "\(directory)/\(file.path)"
            let before = try read(path)
            let after = try file.text(before)
            guard after != before else { continue }
            let output = Descriptor(owning: unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
            guard output.number >= 0 else { throw Failure(.current("open \(path)")) }
            try Output.write(after, to: output.number)
            try Output.write("\(file.path)\n")
        }
    }

    private static func read(_ path: String) throws(Failure) -> String {
        do throws(SystemError) {
            return try String(decoding: WholeFile.read(path, maximumBytes: 1 << 20) ?? [], as: UTF8.self)
        } catch { throw Failure(error) }
    }
}
