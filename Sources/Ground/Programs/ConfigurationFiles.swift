public import Configuration
internal import Platform

/// Finds and reads the configuration files of a program.
///
/// As with systemd's own programs, these are the first file of its name in /etc, /run, /usr/local/lib and /usr/lib, and the drop-in files
/// in the directory `NAME.d` beside each. A file named on the command line replaces them, together with its own `.d` directory.
public struct ConfigurationFiles: Sendable {
    /// Candidates for the main file; the first that exists is read.
    public let mainPaths: [String]
    /// Whether the main file must exist because it was named explicitly.
    public let isMainRequired: Bool

    /// Directories of drop-in files, in order of priority.
    public var dropInDirectories: [String] { mainPaths.map { $0 + ".d" } }

    /// A file that somebody names, or else the first of the usual ones.
    public init(named path: String?, usual paths: [String]) {
        mainPaths = path.map { [$0] } ?? paths
        isMainRequired = path != nil
    }

    /// Where a file is that nobody names, the most important place first.
    public static func usual(_ name: String) -> [String] {
        ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { "\($0)/sensorbroker/\(name)" }
    }

    /// The files in the order of reading, and what cannot be read.
    public func contents() -> (files: [(path: String, bytes: [UInt8])], problems: [ConfigurationProblem]) {
        var files: [(path: String, bytes: [UInt8])] = []
        var problems: [ConfigurationProblem] = []
        for path in mainPaths {
            guard let bytes = read(path, &problems) else { continue }
            files.append((path, bytes))
            break
        }
        if isMainRequired, files.isEmpty, problems.isEmpty {
            problems.append(ConfigurationProblem(file: mainPaths[0], line: nil, "there is no such file; see --config"))
        }
        let directories = dropInDirectories.map { (path: $0, names: names(in: $0, &problems)) }
        for path in DropIns.paths(directories) {
            if let bytes = read(path, &problems) { files.append((path, bytes)) }
        }
        return (files, problems)
    }

    private func read(_ path: String, _ problems: inout [ConfigurationProblem]) -> [UInt8]? {
        do throws(SystemError) {
            let bytes = try WholeFile.read(path, maximumBytes: ConfigurationText.maximumBytes)
            return bytes ?? (leadsNowhere(path, "a plain file", &problems) ? [] : nil)
        } catch {
            problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error, "a plain file")))
            return []
        }
    }

    private func names(in path: String, _ problems: inout [ConfigurationProblem]) -> [String] {
        do throws(SystemError) {
            let names = try WholeFile.names(in: path)
            if names.isEmpty { _ = leadsNowhere(path, "a directory", &problems) }
            return names
        } catch {
            problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error, "a directory")))
            return []
        }
    }

    /// A link without its target is an error: what is set there would have no effect without anyone noticing.
    private func leadsNowhere(_ path: String, _ what: String, _ problems: inout [ConfigurationProblem]) -> Bool {
        guard let target = SmallFile.target(ofDanglingLink: path) else { return false }
        let place = ConfigurationProblem.excerpt(target)
        let words = "leads to \(place), which is not there: make it \(what), or remove it"
        problems.append(ConfigurationProblem(file: path, line: nil, words))
        return true
    }

    private static func words(_ error: SystemError, _ what: String) -> String {
        "cannot be read (\(SystemError.words(for: error.code))): make it \(what) that the program's user may read"
    }
}
