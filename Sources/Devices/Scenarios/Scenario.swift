public import Configuration
public import Formats
public import Mock
internal import Platform
public import Readings

/// A scenario: simulated devices, what they measure, and their faults, parsed from a text.
///
/// The text has the format of configuration files: sections, keys, comments, and errors with line numbers.
public struct Scenario: Sendable {
    /// Reads the paths in a GPX file.
    public typealias GPX = @Sendable ([UInt8]) throws(FormatError) -> [[Location]]

    /// A description for people.
    public internal(set) var description: String?
    /// The seed of everything random.
    var seed: UInt64 = 1
    /// The speed relative to the host's time.
    ///
    /// Infinite: as fast as possible. Nil: not specified.
    public internal(set) var tempo: Double?
    /// UTC at the start, in nanoseconds since 1970; nil: the host's time.
    public internal(set) var utcNanoseconds: Int64?
    /// The devices.
    public internal(set) var plans: [MockDevices.Plan] = []
    /// The events, in order of time.
    var events: [EventLine] = []

    /// A tempo from text: a factor from 1 to 100000, or `max`; nil: it is neither.
    public static func tempo(_ text: String) -> Double? {
        if text == "max" { return .infinity }
        return DecimalNumber.value(text).flatMap { (1...100_000).contains($0) ? $0 : nil }
    }

    /// The most devices of one scenario.
    public static let mostDevices = 512

    init() {}
}

extension Scenario {
    /// The names of the built-in scenarios.
    public static let shippedNames = ShippedScenarios.all.map(\.name)

    /// Reads a scenario from a file, or a built-in one by its name.
    ///
    /// Throws all errors. A text that is not the name of a built-in scenario is a path. Without a reader of GPX files, naming
    /// one is an error, which is the way for programs that do without an XML parser.
    public init(_ nameOrPath: String, gpx: GPX? = nil) throws(ConfigurationErrors) {
        if let shipped = ShippedScenarios.all.first(where: { $0.name == nameOrPath }) {
            let files = ScenarioFiles(directory: nil, gpx: gpx)
            try self.init(Array(shipped.bytes), file: "\(shipped.name).scenario", files)
            return
        }
        let directory =
            nameOrPath.contains("/")
            ? nameOrPath.split(
                separator: "/", omittingEmptySubsequences: false
            ).dropLast().joined(separator: "/") : "."
        try self.init(
            try Self.bytes(nameOrPath), file: nameOrPath,
            ScenarioFiles(directory: directory.isEmpty ? "/" : directory, gpx: gpx))
    }

    /// Parses a scenario; files that it names are relative to a directory.
    public init(text: String, directory: String? = nil, gpx: GPX? = nil) throws(ConfigurationErrors) {
        try self.init(Array(text.utf8), file: "scenario", ScenarioFiles(directory: directory, gpx: gpx))
    }

    private init(_ bytes: [UInt8], file: String, _ files: ScenarioFiles) throws(ConfigurationErrors) {
        var draft = ScenarioDraft(ConfigurationText(bytes, file: file), file: file, files)
        self = try draft.finished()
    }

    private static func bytes(_ path: String) throws(ConfigurationErrors) -> [UInt8] {
        func refusal(_ words: String) -> ConfigurationErrors {
            ConfigurationErrors(ConfigurationProblem(file: path, line: nil, words))
        }
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try WholeFile.read(path, maximumBytes: ConfigurationText.maximumBytes) } catch
        {
            throw refusal(
                "cannot be read (\(SystemError.words(for: error.code))): a scenario is a plain file of up to 256 KiB")
        }
        guard let bytes else {
            let meant = Suggestion.nearest(to: path, among: shippedNames).map { "did you mean \($0)?" }
            throw refusal(
                "there is no such file, and no scenario of that name: "
                    + (meant ?? "there are \(shippedNames.joined(separator: ", "))"))
        }
        return bytes
    }
}
