internal import BrokerClient
internal import Programs
internal import Varlink

extension ExitStatus {
    /// `doctor --check` found something worth knowing.
    static let checkWarning = Self(rawValue: 1)
    /// `doctor --check` found something that does not work.
    static let checkCritical = Self(rawValue: 2)
    /// `doctor --check` could not find out.
    static let checkUnknown = Self(rawValue: 3)

    /// What the statuses of `sensorctl` mean, for the help and the manual.
    static let meanings: [(status: Self, meaning: String)] = [
        (.done, "Done."), (.checkWarning, "`doctor --check` found something worth knowing."),
        (.checkCritical, "`doctor --check` found something that does not work."),
        (.checkUnknown, "`doctor --check` could not find out."), (.usage, "The command line has an error."),
        (.data, "The input has an error."), (.noInput, "An input file does not exist, or cannot be read."),
        (.unavailable, "The broker or the resource is unavailable; or `doctor` found a problem."),
        (.cannotCreate, "A file cannot be created."),
        (.inputOutput, "A file, or the output, cannot be read or written to its end."),
        (.timedOut, "No answer or no reading came in time."), (.notPermitted, "The user may not do this."),
        (.configuration, "The broker's configuration has errors."),
    ]
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
