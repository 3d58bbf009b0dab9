public import Configuration
public import Fleet
internal import Platform

/// Finds and reads the configuration files, in the places and the order of sensorbrokerd's own.
public struct ConfigurationSource {
    /// Where files are that nobody names, the most important one first.
    public static let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { $0 + "/sensorbroker" }

    private let mainPaths: [String]
    private let isMainRequired: Bool

    /// A file that somebody names, or else the first of the usual ones.
    public init(named path: String?, usual paths: [String]) {
        mainPaths = path.map { [$0] } ?? paths
        isMainRequired = path != nil
    }

    /// Reads all files; throws all errors in them.
    ///
    /// What else is given, such as on a command line, overrides them.
    public func read(
        for reader: FleetConfiguration.Reader = .bridge, overriddenBy further: (path: String, bytes: [UInt8])? = nil
    ) throws(ConfigurationErrors) -> FleetConfiguration {
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
        var directories: [(path: String, names: [String])] = []
        for path in mainPaths.map({ $0 + ".d" }) {
            do throws(SystemError) { directories.append((path, try WholeFile.names(in: path))) } catch {
                problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error)))
            }
        }
        for path in DropIns.paths(directories) {
            if let bytes = read(path, &problems) { files.append((path, bytes)) }
        }
        if let further { files.append(further) }
        return try FleetConfiguration(files, problems, for: reader)
    }

    private func read(_ path: String, _ problems: inout [ConfigurationProblem]) -> [UInt8]? {
        do throws(SystemError) {
            return try WholeFile.read(path, maximumBytes: ConfigurationText.maximumBytes)
        } catch {
            problems.append(ConfigurationProblem(file: path, line: nil, Self.words(error)))
            return []
        }
    }

    private static func words(_ error: SystemError) -> String {
        "cannot be read (\(SystemError.words(for: error.code))): make it a plain file that the program's user may read"
    }
}
