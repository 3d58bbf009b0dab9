internal import Configuration
internal import Platform

/// Finds and reads the configuration files.
///
/// As with systemd's own programs, these are the first `sensorbrokerd.conf` in /etc, /run, /usr/local/lib and /usr/lib,
/// and the drop-in files in `sensorbrokerd.conf.d` of all four. A file named on the command line replaces them,
/// together with its own `.d` directory.
struct ConfigurationFiles: Sendable {
    private static let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { $0 + "/sensorbroker" }

    /// Candidates for the main file; the first that exists is read.
    let mainPaths: [String]
    /// Directories of drop-in files, in order of priority.
    let dropInDirectories: [String]
    /// Whether the main file must exist because it was named explicitly.
    let isMainRequired: Bool

    /// Reads all files; throws all errors in them.
    func read() throws(ConfigurationErrors) -> Configured {
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
        return try Configured(files, problems)
    }

    private func read(_ path: String, _ problems: inout [ConfigurationProblem]) -> [UInt8]? {
        do throws(SystemError) {
            return try WholeFile.read(path, maximumBytes: ConfigurationText.maximumBytes)
        } catch {
            problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error)))
            return []
        }
    }

    private func names(in path: String, _ problems: inout [ConfigurationProblem]) -> [String] {
        do throws(SystemError) { return try WholeFile.names(in: path) } catch {
            problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error)))
            return []
        }
    }

    private static func words(_ error: SystemError) -> String {
        "cannot be read (\(SystemError.words(for: error.code))): make it a plain file that the daemon's user may read"
    }
}

extension ConfigurationFiles {
    /// The files for a command line; a named instance has its own.
    init(_ arguments: Arguments) {
        let suffix = arguments.instance.map { ".\($0)" } ?? ""
        let usual = Self.directories.map { "\($0)/sensorbrokerd\(suffix).conf" }
        let mainPaths = arguments.configuration.map { [$0] } ?? usual
        self.init(
            mainPaths: mainPaths, dropInDirectories: mainPaths.map { $0 + ".d" },
            isMainRequired: arguments.configuration != nil)
    }
}
