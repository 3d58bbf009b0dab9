internal import BrokerClient
internal import Varlink

/// Why a command failed, and what its user can do about it.
struct Failure: Error, Equatable {
    /// The exit status.
    let status: ExitStatus
    /// What happened and what to do next; nil if there is nothing to say.
    let message: String?

    init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }

    /// The reader of the output has gone away, as with `| head`, which is no failure.
    static let outputClosed = Failure(.done, nil)
}

/// The exit statuses of `sensorctl`; the numbers are those of sysexits(3).
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case checkWarning = 1
    case checkCritical = 2
    case checkUnknown = 3
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
        case .checkWarning: "`doctor --check` found something worth knowing."
        case .checkCritical: "`doctor --check` found something that does not work."
        case .checkUnknown: "`doctor --check` could not find out."
        case .usage: "The command line has an error."
        case .data: "The input has an error."
        case .noInput: "An input file does not exist, or cannot be read."
        case .unavailable: "The broker or the resource is unavailable; or `doctor` found a problem."
        case .cannotCreate: "A file cannot be created."
        case .inputOutput: "A file, or the output, cannot be read or written to its end."
        case .timedOut: "No answer or no reading came in time."
        case .notPermitted: "The user may not do this."
        case .configuration: "The broker's configuration has errors."
        }
    }
}

/// An error of the command line, with a message for the user.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) { self.message = message }
}

extension Failure {
    /// Explains a fault of the connection.
    init(_ fault: ConnectionFault) {
        switch fault {
        case .closed:
            self.init(.unavailable, "the broker closed the connection; see whether it still runs: sensorctl list")
        case .unintelligible(let what):
            self.init(
                .unavailable, "this is not a broker, or one of another version: \(what). Is it the right --socket?")
        }
    }
}

extension BrokerConnection {
    /// Sends a call.
    func ask(_ call: Call) throws(Failure) {
        do { try send(call) } catch { throw Failure(error) }
    }

    /// The next reply; nil if none arrived before an instant of CLOCK_BOOTTIME.
    mutating func answer(until deadlineNanoseconds: Int64) throws(Failure) -> Reply? {
        do { return try reply(until: deadlineNanoseconds) } catch { throw Failure(error) }
    }
}

/// Reads an answer; one without a member that the interface promises is not from a broker of this version.
func understand<Value>(_ read: () throws(VarlinkError) -> Value) throws(Failure) -> Value {
    do { return try BrokerClient.understand(read) } catch { throw Failure(error) }
}
