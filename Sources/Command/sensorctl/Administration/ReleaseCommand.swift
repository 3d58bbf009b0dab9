internal import Configuration
internal import Printable
internal import Programs
internal import Varlink

extension Command {
    private static let scopes = [Operand(name: "RESOURCE", completion: .resources, isOptional: true)]

    static let release = Self(
        name: "release", summary: "Release devices, so that other programs can use them", audience: .administrator,
        operands: scopes, forms: ["RESOURCE | --kind KIND | --all [--for TIME]"],
        options: [.kind, .all, .releaseDuration],
        description: [
            "Returns when the devices are closed. Subscriptions remain, and their clients see the state `released`. "
                + "`sensorctl reacquire` takes the devices back.",
            "A device is released as a whole. If it has several resources, as an IMU has a gyroscope and an accelerometer, "
                + "releasing one of them releases the others as well. What is derived from it follows.",
        ],
        examples: [("sudo sensorctl release accelerometer --for 10min", "ten minutes for another program")]
    ) { invocation throws(UsageError) in
        ReleaseCommand(
            scope: try ReleaseCommand.Scope(invocation),
            seconds: try ReleaseCommand.seconds(invocation))
    }

    static let reacquire = Self(
        name: "reacquire", summary: "Take back released devices", audience: .administrator,
        operands: scopes, forms: ["RESOURCE | --kind KIND | --all"], options: [.kind, .all],
        examples: [("sudo sensorctl reacquire --all", "everything that was released")]
    ) { invocation throws(UsageError) in
        ReacquireCommand(scope: try ReleaseCommand.Scope(invocation))
    }
}

/// `sensorctl release`: releases devices, so that other programs can use them.
struct ReleaseCommand: Action, Equatable {
    /// The devices: those of a resource, of a kind, or all.
    enum Scope: Equatable {
        case resource(String)
        case kind(String)
        case all

        init(_ invocation: Invocation) throws(UsageError) {
            switch (invocation.operands.first, invocation.options[.kind], invocation.has(.all)) {
            case (let resource?, nil, false): self = .resource(resource)
            case (nil, let kind?, false): self = .kind(kind)
            case (nil, nil, true): self = .all
            default:
                let name = invocation.command.name
                throw UsageError(
                    "\(name) needs one of the three: a resource, --kind KIND or --all; such as "
                        + "sensorctl \(name) accelerometer")
            }
        }

        /// Makes a call for them; prints and returns the names of those to which it was done.
        ///
        /// An unknown kind is explained with the ones that exist.
        func perform(
            _ method: String, _ deed: String, seconds: Int64? = nil, _ broker: Broker, _ terminal: Terminal
        ) throws(Failure) -> [String] {
            var parameters = parameters
            parameters.member("seconds", seconds)
            let answer: Parameters
            do { answer = try broker.admin().call(method, parameters) } catch {
                guard error.status == .usage, case .kind(let kind) = self, !Option.kinds.contains(kind) else {
                    throw error
                }
                let advice = Suggestion.advice(for: kind, among: Option.kinds)
                throw Failure(.usage, "there is no kind of resource '\(kind.printable)': \(advice)")
            }
            let names = try understand { () throws(VarlinkError) in try answer.strings(deed) }
            try terminal.print(names, deed, answer)
            return names
        }

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

    /// The duration of a release in whole seconds, the unit of the interface; nil: until the devices are reacquired.
    static func seconds(_ invocation: Invocation) throws(UsageError) -> Int64? {
        guard let nanoseconds = try invocation.time(.releaseDuration) else { return nil }
        return nanoseconds == .max ? nil : (nanoseconds - 1) / 1_000_000_000 + 1
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let names = try scope.perform(AdminInterface.release, "released", seconds: seconds, broker, terminal)
        guard names.isEmpty else { return }
        throw Failure(
            .unavailable,
            "no device was released: there is none, it is derived from another, or its driver hangs; "
                + "see sensorctl status and sensorctl list")
    }
}

/// `sensorctl reacquire`: takes back released devices.
struct ReacquireCommand: Action, Equatable {
    let scope: ReleaseCommand.Scope

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let names = try scope.perform(AdminInterface.reacquire, "reacquired", broker, terminal)
        if names.isEmpty { terminal.note("sensorctl: no device was released, so there is nothing to take back") }
    }
}

extension Terminal {
    /// Writes the names of resources, with what happened to them.
    func print(_ names: [String], _ deed: String, _ answer: Parameters) throws(Failure) {
        try print(
            text: names.map { "\($0.printable): \(deed)" }, json: [answer.object],
            csv: [["resource"]] + names.map { [$0] })
    }
}
