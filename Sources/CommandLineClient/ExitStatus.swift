/// How `sensorctl` ends; the numbers are those of sysexits(3).
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case timedOut = 75
    case notPermitted = 77
    case configuration = 78

    /// What it means, for the help and the manual.
    var meaning: String {
        switch self {
        case .done: "Done."
        case .usage: "The command line has an error."
        case .data: "The input has an error."
        case .noInput: "A file that is to be read does not exist, or cannot be read."
        case .unavailable: "The broker or the resource is not there, or went away; or `doctor` found something wrong."
        case .cannotCreate: "A file cannot be made."
        case .inputOutput: "A file, or the output, cannot be read or written to its end."
        case .timedOut: "No answer or no reading came in time."
        case .notPermitted: "The user may not do this."
        case .configuration: "The broker's configuration has errors."
        }
    }
}
