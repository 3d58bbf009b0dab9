internal import Varlink

/// `sensorctl release`: gives devices up, so that something else can have them.
struct ReleaseCommand {
    /// Which devices: of a resource, of a kind, or all.
    enum Scope: Equatable {
        case resource(String)
        case kind(String)
        case all

        /// What the words after `release` or `reacquire` name.
        init(_ command: String, _ operands: [String], _ options: [Option: String]) throws(UsageError) {
            switch (operands.count, options[.kind], options[.all] != nil) {
            case (1, nil, false): self = .resource(operands[0])
            case (0, let kind?, false): self = .kind(kind)
            case (0, nil, true): self = .all
            default:
                throw UsageError(
                    "\(command) needs one of the three: a resource, --kind KIND or --all; such as "
                        + "sensorctl \(command) accelerometer")
            }
        }

        /// The parameters of the call.
        var parameters: JSONObject {
            switch self {
            case .resource(let name): ["resource": .string(name)]
            case .kind(let kind): ["kind": .string(kind)]
            case .all: ["all": true]
            }
        }
    }

    let scope: Scope
    let seconds: Int64?
    let format: OutputFormat

    /// The whole seconds of an interval, for which devices are given up.
    static func seconds(_ text: String?) throws(UsageError) -> Int64? {
        guard let text else { return nil }
        let nanoseconds = try IntervalText.nanoseconds(text)
        guard nanoseconds >= 1_000_000_000, nanoseconds % 1_000_000_000 == 0 else {
            throw UsageError("--for takes whole seconds here, such as 30s or 10min, not '\(text)'")
        }
        return nanoseconds / 1_000_000_000
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        var parameters = scope.parameters
        if let seconds { _ = parameters.append("seconds", .integer(seconds)) }
        let answer = try broker.admin().call(AdminInterface.release, parameters)
        let names = try understand { () throws(VarlinkError) in try answer.strings("released") }
        try NamesFormat.print(names, "released", answer, format, terminal)
        guard names.isEmpty else { return }
        throw Failure(
            .unavailable,
            "no device was let go: there is none, or its driver hangs; see sensorctl status and sensorctl list")
    }
}
