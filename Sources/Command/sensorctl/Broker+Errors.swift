internal import Configuration
internal import BrokerClient
internal import Printable
internal import Programs
internal import Varlink

extension Broker {
    /// What an error of the broker means, and what to do about it.
    func failure(for error: VarlinkError) -> Failure {
        switch error {
        case .permissionDenied where isAdmin:
            Failure(.notPermitted, "the broker does not permit you to do this; try it as root")
        case .permissionDenied: Self.mayNotRead
        case .invalidParameter("kind") where isAdmin:
            Failure(.usage, "there is no such kind of resource; list them with: sensorctl list")
        case .invalidParameter("seconds") where isAdmin:
            Failure(.usage, "--for is too long; without it, a device is released until it is taken back")
        case .invalidParameter(let name):
            Failure(.usage, "the broker does not accept this value of '\(name.printable)'")
        case .other(let name, let parameters): failure(named: name, Parameters(parameters))
        default: Failure(.unintelligible(error.name))
        }
    }

    /// The failure of a user whose groups may not read a resource.
    static let mayNotRead = Failure(
        .notPermitted, "you may not read this; the administrator grants access with Groups= in sensorbrokerd.conf")

    private func failure(named name: String, _ parameters: Parameters) -> Failure {
        func text(_ key: String) -> String? { (try? parameters.optionalString(key))?.printable }
        let resource = text("resource") ?? "it"
        // Errors of one name mean the same in all interfaces of the broker.
        switch name.hasPrefix("io.sensorbroker.") ? name.split(separator: ".").last ?? "" : "" {
        case "NoSuchResource": return noSuchResource(resource)
        case "NoSuchClient": return Failure(.unavailable, "the client has gone already")
        case "CalibrationRefused": return Failure(.unavailable, text("reason") ?? "it cannot be calibrated")
        case "InvalidConfiguration":
            let line = (try? parameters.optionalInteger("line")).flatMap { $0 }.map { "\($0):" } ?? ""
            return Failure(
                .configuration,
                "\(text("file") ?? "the configuration"):\(line) \(text("message") ?? "cannot be used")\n"
                    + "The running configuration is unchanged. After correcting the error: sensorctl reload")
        case "NotSimulated":
            return Failure(
                .unavailable,
                (text("resource").map { "\($0) is" } ?? "the devices of this broker are")
                    + " real or recorded: only simulated devices can have faults; start a broker with --mock"
            )
        case "NoSuchFault": return Failure(.usage, "this broker has no fault '\(text("fault") ?? "")'")
        case "ImpossibleFault": return Failure(.usage, text("message") ?? "this cannot happen")
        case "NoSuchSubscription":
            return Failure(
                .unavailable,
                "you have no subscription with that name; watch --verbose prints its subscription's name first")
        case "ResourceUnavailable":
            let reason = text("reason").map { " (\($0))" } ?? ""
            return Failure(
                .unavailable, "\(resource) is not available\(reason); to wait for it: sensorctl get --wait \(resource)")
        case "TimedOut":
            return Failure(.timedOut, "no reading came in time; to see the state of the resource: sensorctl list")
        case "TooManyRequests":
            return Failure(
                .unavailable,
                "the subscription or your user has as many requests as it may have: remove some, or use equal intervals"
            )
        case "TooManySubscriptions":
            let limit = (try? parameters.integer("limit")).map { " (\($0))" } ?? ""
            return Failure(.unavailable, "you have reached the limit of subscriptions\(limit): end one of them first")
        case "NotAllowed":
            return Failure(
                .notPermitted,
                "you may not provide \(resource): \(text("reason") ?? "the configuration does not allow it")")
        case "NameTaken":
            return Failure(
                .unavailable,
                "\(resource) is provided by \(text("holder") ?? "another one"); "
                    + "for a second one, give another name: --name \(resource.word):2")
        case "NoSuchKind": return Failure(.usage, "this broker has no kind '\(text("kind") ?? "")'")
        case "TooManyConnections":
            return Failure(
                .unavailable, "your user has reached the limit of connections to the broker: end one of them first")
        default: return Failure(.unavailable, "the broker replied with the error \(name.printable)")
        }
    }

    private func noSuchResource(_ name: String) -> Failure {
        let resources = knownResources
        guard !resources.isEmpty else {
            return Failure(.unavailable, "there is no resource \(name); list them with: sensorctl list")
        }
        // Only administrators get this error for one that is there.
        if let derived = resources.first(where: { $0.name.printable == name }) {
            let source = derived.description.map { " (\($0.printable))" } ?? ""
            return Failure(
                .unavailable, "\(name) has no device of its own\(source): name a resource from which it is derived")
        }
        let names = resources.map(\.name.printable)
        let known = "his broker has \(names.joined(separator: ", "))"
        let advice =
            Suggestion.nearest(to: name, among: names).map { ": did you mean \($0)? T\(known)" } ?? ": t\(known)"
        return Failure(.unavailable, "there is no resource \(name)\(advice)")
    }

    /// The resources that the broker has.
    func resources() throws(Failure) -> [Resource] {
        try Self.resources(in: call(Interface.listResources))
    }

    static func resources(in answer: Parameters) throws(Failure) -> [Resource] {
        try understand { () throws(VarlinkError) in try Resource.all(answer.objects("resources")) }
    }
}

/// The names of the administrator's interface that this program uses.
enum AdminInterface {
    static let release = prefix + "Release"
    static let reacquire = prefix + "Reacquire"
    static let reload = prefix + "Reload"
    static let getCalibrations = prefix + "GetCalibrations"
    static let setCalibration = prefix + "SetCalibration"
    static let forgetCalibration = prefix + "ForgetCalibration"
    static let disconnect = prefix + "DisconnectClient"
    /// The error for a client that has gone.
    static let noSuchClient = prefix + "NoSuchClient"

    private static let prefix = "io.sensorbroker.Admin."
}

/// The names that this program uses of the interface for faults of simulated devices.
enum MockInterface {
    static let inject = prefix + "Inject"
    static let clear = prefix + "Clear"

    private static let prefix = "io.sensorbroker.Mock."
}
