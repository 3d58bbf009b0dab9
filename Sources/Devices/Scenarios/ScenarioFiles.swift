internal import Configuration
internal import Formats
internal import Platform
internal import Readings

/// Reads the files that a scenario names, relative to the scenario's directory.
struct ScenarioFiles: Sendable {
    /// The directory; nil if the scenario is not in a file.
    let directory: String?
    /// Reads GPX files; nil if this program cannot.
    let gpx: Scenario.GPX?

    static let maximumBytes = 64 << 20

    /// The bytes of a file, and its path.
    func read(_ name: String) throws(Refusal) -> (path: String, bytes: [UInt8]) {
        let path = name.hasPrefix("/") || directory == "." ? name : directory.map { "\($0)/\(name)" } ?? name
        let bytes: [UInt8]?
        do throws(SystemError) { bytes = try WholeFile.read(path, maximumBytes: Self.maximumBytes) } catch {
            throw Refusal("\(path) cannot be read (\(SystemError.words(for: error.code))): name a plain file")
        }
        guard let bytes else {
            throw Refusal("there is no file \(path); paths are relative to the directory of the scenario")
        }
        return (path, bytes)
    }

    /// The paths in a GPX file.
    func paths(_ name: String) throws(Refusal) -> [[Location]] {
        guard let gpx else {
            throw Refusal(
                "\(ConfigurationProblem.excerpt(name)) cannot be read within a program, only by sensorbrokerd --mock: "
                    + "write its points as Waypoint=, or use the daemon")
        }
        return try read(name, as: gpx)
    }

    /// Parses a file; errors have that file's name and line.
    func read<Value>(
        _ name: String, as parse: ([UInt8]) throws(FormatError) -> Value
    ) throws(Refusal) -> Value {
        let (path, bytes) = try read(name)
        do throws(FormatError) { return try parse(bytes) } catch {
            var refusal = Refusal(error.words)
            refusal.origin = (path, error.line)
            throw refusal
        }
    }
}

/// The built-in scenarios, embedded in the program so that they are always available.
enum ShippedScenarios {
    static let all: [(name: String, bytes: [UInt8])] = [
        ("city-drive", PackageResources.city_drive_scenario),
        ("drone-imu", PackageResources.drone_imu_scenario),
        ("flaky-cable", PackageResources.flaky_cable_scenario),
        ("hand-held", PackageResources.hand_held_scenario),
        ("indoor", PackageResources.indoor_scenario),
        ("laptop", PackageResources.laptop_scenario),
        ("phone", PackageResources.phone_scenario),
        ("quadcopter", PackageResources.quadcopter_scenario),
        ("robot-arm", PackageResources.robot_arm_scenario),
        ("weather-station", PackageResources.weather_station_scenario),
    ]
}

/// Why something in a scenario is invalid, with a remedy.
struct Refusal: Error {
    /// The message for the user.
    let words: String
    /// Where the error is, if it is in another file.
    var origin: (file: String, line: Int?)?

    init(_ words: String) { self.words = words }

    /// Creates the refusal of a text that is not what is needed.
    init(_ text: String, isNo what: String, write examples: String) {
        self.init("'\(ConfigurationProblem.excerpt(text))' is not a valid \(what); write \(examples)")
    }
}
