internal import BrokerClient
internal import Printable
internal import Readings

/// Turns the survey of a host into findings: what is wrong, and what to do.
///
/// Consequences of another finding are left out: without a socket, there is no finding about resources, and a gpsd that nobody
/// needs is no fault.
struct Diagnosis {
    let view: HostView

    /// The findings, causes before what depends on them.
    var findings: [Finding] {
        let ofService: [Finding?] = view.isService ? service + configuration + [rights] : []
        let ofBroker: [Finding?] = [socket] + resources + calibrations
        let others: [Finding?] = [gpsd, iiod] + sensors + [rival, geoclue] + fleet
        return (ofService + ofBroker + others).compactMap(\.self)
    }

    /// Whether nothing is wrong.
    var isWell: Bool { !findings.contains { $0.verdict == .bad } }

    private var resources: [Finding] {
        view.resources.map { resource in
            let name = resource.name.printable
            let reason = resource.reason.map { ": \($0.printable)" } ?? ""
            switch resource.state {
            case "unavailable":
                return Finding(name, hasSources(resource) ? .note : .bad, "is unavailable\(reason)")
            case "released":
                return Finding(
                    name, .note, "was released by an administrator", remedy: "sudo sensorctl reacquire \(name)")
            case "stale":
                return Finding(
                    name, .note, "is silent\(reason)", remedy: "check that its device has power and measures")
            default:
                let origin = isDerived(resource) ? resource.description.map { ", \($0.printable)" } ?? "" : ""
                return Finding(
                    name, .ok, "is \(resource.state.printable)\(origin)\(resource.simulated ? ", simulated" : "")")
            }
        }
    }

    /// A magnetometer shows the field of its device as well, which is often the stronger one.
    private var calibrations: [Finding] {
        guard let calibrated = view.calibrated else { return [] }
        let compasses = view.resources.filter {
            ResourceName($0.name)?.word == Kind.magneticField.row.resource[...] && !$0.simulated
                && $0.state != "unavailable" && !calibrated.contains($0.name)
        }
        return compasses.map {
            let name = $0.name.printable
            let resource = name == Kind.magneticField.row.resource ? "" : " \(name)"
            return Finding(
                name, .note, "is not calibrated, so no heading follows from it",
                remedy: "sudo sensorctl calibrate magnetometer\(resource)")
        }
    }

    private func isDerived(_ resource: Resource) -> Bool { !sources(of: resource).isEmpty }

    /// Whether a resource could be derived from others that are there, and is not, as if all accelerometers are in the base.
    func hasSources(_ resource: Resource) -> Bool {
        let sources = sources(of: resource)
        return !sources.isEmpty
            && sources.allSatisfy { source in
                view.resources.contains {
                    ResourceName($0.name)?.word == source.row.resource[...] && $0.state != "unavailable"
                }
            }
    }

    /// The kinds from which alone a resource is derived; none: it may have a device.
    private func sources(of resource: Resource) -> [Kind] {
        guard let kind = ResourceName(resource.name).flatMap({ Kind(resource: $0.word) }), !kind.row.hasDevice
        else { return [] }
        return kind.row.origins
    }

    private var socket: Finding? {
        let path = view.socket.path.printable
        switch view.socket.answer {
        case .untried: return nil
        case .answers: return Finding("socket", .ok, "a broker answers at \(path)")
        case .missing:
            return Finding("socket", .bad, "there is no socket \(path)", remedy: startRemedy)
        case .refused: return Finding("socket", .bad, "nothing listens at \(path)", remedy: startRemedy)
        case .denied:
            return Finding("socket", .bad, "\(path) is not accessible to you", remedy: deniedRemedy)
        case .mute:
            return Finding(
                "socket", .bad, "the broker at \(path) does not answer: it is stopped, or hangs",
                remedy: view.isService && hasSystemd
                    ? "see: \(view.name.log); then: \(restart)"
                    : "if its process was stopped, continue it with kill -CONT; otherwise end it and start it again"
            )
        case .failed(let words):
            return Finding(
                "socket", .bad, "no broker answers at \(path): \(words.printable)",
                remedy: "see its log: \(log)")
        }
    }

    private var startRemedy: String {
        guard view.isService else {
            return "check that --socket or $SENSORBROKER_SOCKET names the right one, and that its broker runs"
        }
        return hasSystemd
            ? "sudo systemctl enable --now \(view.name.sockets.joined(separator: " "))"
            : "start it as root: \(view.name.command)"
    }

    private var deniedRemedy: String {
        if view.isService, rights.verdict == .bad { return "see rights, above" }
        return view.socket.owner.remedy(
            for: view.user.name, path: view.socket.path, restart: view.isService ? restart : nil)
    }

    // MARK: without systemd, its commands help nobody

    var hasSystemd: Bool { view.manager != .absent }
    var restart: String { hasSystemd ? "sudo systemctl restart \(view.name.unit)" : "restart the broker" }
    /// Where its log is.
    var log: String { hasSystemd ? view.name.log : "what it writes to its standard error" }

    private var configuration: [Finding] {
        guard let configuration = view.configuration else { return [] }
        guard let error = configuration.error else {
            // Each note contains its remedy.
            return [Finding("configuration", .ok, "has no errors")]
                + configuration.notes.map { Finding("configuration", .note, $0.printable) }
        }
        // The broker's user may read what this one may not.
        if !view.user.isRoot, error.contains("cannot be read (Permission denied)") {
            let words = "only root can judge it: sudo sensorctl doctor; \(error.printable)"
            return [Finding("configuration", .note, words)]
        }
        return [
            Finding(
                "configuration", .bad, error.printable,
                remedy: "\(view.name.check) names all errors; then: \(restart)")
        ]
    }

    private var rights: Finding {
        let user = view.user
        if user.isRoot { return Finding("rights", .ok, "root may use everything") }
        guard user.groupExists else {
            return Finding(
                "rights", .bad, "there is no group sensorbroker",
                remedy: hasSystemd
                    ? "sudo systemd-sysusers" : "sudo groupadd --system sensorbroker; then: \(restart)")
        }
        if user.isMember { return Finding("rights", .ok, "you are in the group sensorbroker") }
        if user.isListed {
            return Finding(
                "rights", .bad, "you were added to the group sensorbroker after you logged in",
                remedy: "log in again, or, for one shell: newgrp sensorbroker")
        }
        return Finding(
            "rights", .bad, "you are not in the group sensorbroker",
            remedy: "sudo usermod -aG sensorbroker \(user.name.printable), and log in again")
    }
}

/// The result of one examination, with the remedy if something is wrong.
struct Finding: Equatable {
    /// The verdict on what was examined.
    enum Verdict: String {
        /// As it should be.
        case ok
        /// Not a fault, but worth knowing.
        case note
        /// Something does not work because of it.
        case bad
    }

    /// What was examined.
    let subject: String
    let verdict: Verdict
    let words: String
    /// What to do about it; nil if there is nothing to do.
    let remedy: String?

    init(_ subject: String, _ verdict: Verdict, _ words: String, remedy: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.words = words
        self.remedy = remedy
    }
}
