internal import Formats
internal import Platform

/// The files that a scenario names: from the directory that it is in.
struct ScenarioFiles: Sendable {
    /// The scenario's directory; nil where it is in none.
    let directory: String?

    static let maximumBytes = 64 << 20

    /// The bytes of a file, and the path that it was read from.
    func read(_ name: String) throws(Refusal) -> (path: String, bytes: [UInt8]) {
        let path = name.hasPrefix("/") || directory == "." ? name : directory.map { "\($0)/\(name)" } ?? name
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch {
            throw Refusal("\(path) cannot be read (\(SystemError.words(for: error.code))): name a plain file")
        }
        guard let bytes else {
            throw Refusal("there is no file \(path); its path counts from the directory of the scenario")
        }
        return (path, bytes)
    }

    /// What a file says, read as something; what is wrong in it is told with its own line.
    func read<Value>(
        _ name: String, as parse: ([UInt8]) throws(FormatError) -> Value
    ) throws(Refusal) -> Value {
        let (path, bytes) = try read(name)
        do throws(FormatError) { return try parse(bytes) } catch {
            var refusal = Refusal(error.words)
            refusal.place = (path, error.line)
            throw refusal
        }
    }
}
