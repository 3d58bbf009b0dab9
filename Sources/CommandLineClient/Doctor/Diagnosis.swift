/// From what is seen of a host to what is wrong with it, and what to do.
///
/// What follows from something else is left out: without a socket there is no word on resources, and a gpsd that nobody
/// misses is no fault.
struct Diagnosis {
    let view: HostView

    /// What there is to say, in the order in which things depend on each other.
    var findings: [Finding] {
        (view.isService ? service + configuration + rights : []) + socket + resources + gpsd + iiod + accelerometers
    }

    /// Whether nothing is wrong.
    var isWell: Bool { !findings.contains { $0.verdict == .bad } }

    private var resources: [Finding] {
        view.resources.map { resource in
            let name = resource.name.printable
            let reason = resource.reason.map { ": \($0.printable)" } ?? ""
            switch resource.state {
            case "unavailable": return Finding(name, .bad, "is unavailable\(reason)")
            case "released":
                return Finding(
                    name, .note, "was given up by an administrator", remedy: "sudo sensorctl reacquire \(name)")
            case "stale":
                return Finding(
                    name, .note, "is silent\(reason)", remedy: "see whether its device has power, and measures")
            default:
                return Finding(name, .ok, "is \(resource.state.printable)\(resource.isSimulated ? ", simulated" : "")")
            }
        }
    }

    private var socket: [Finding] {
        let path = view.socket.path.printable
        switch view.socket.answer {
        case .untried: return []
        case .answers: return [Finding("socket", .ok, "a broker answers at \(path)")]
        case .missing:
            return [Finding("socket", .bad, "there is no socket \(path)", remedy: startRemedy)]
        case .refused: return [Finding("socket", .bad, "nobody listens at \(path)", remedy: startRemedy)]
        case .denied: return [Finding("socket", .bad, "\(path) is closed to you", remedy: "see rights, above")]
        case .mute:
            return [
                Finding(
                    "socket", .bad, "the broker at \(path) does not answer: it is stopped, or hangs",
                    remedy: view.isService
                        ? "\(view.name.log) may tell why; then: sudo systemctl restart \(view.name.unit)"
                        : "see whether somebody has stopped its process (kill -CONT goes on), or end it and start it anew"
                )
            ]
        case .failed(let words):
            return [
                Finding(
                    "socket", .bad, "no broker answers at \(path): \(words.printable)",
                    remedy: "see its log: \(view.name.log)")
            ]
        }
    }

    private var startRemedy: String {
        view.isService
            ? "sudo systemctl enable --now \(view.name.sockets.joined(separator: " "))"
            : "see whether --socket or $SENSORBROKER_SOCKET names the right one, and whether that broker runs"
    }

    private var configuration: [Finding] {
        guard let configuration = view.configuration else { return [] }
        guard let error = configuration.error else {
            // Each note says itself what to do.
            return [Finding("configuration", .ok, "has no errors")]
                + configuration.notes.map { Finding("configuration", .note, $0.printable) }
        }
        return [
            Finding(
                "configuration", .bad, error.printable,
                remedy: "\(view.name.check) names all errors; then: sudo systemctl restart \(view.name.unit)")
        ]
    }

    private var rights: [Finding] {
        let user = view.user
        if user.isRoot { return [Finding("rights", .ok, "root may use everything")] }
        guard user.groupExists else {
            return [
                Finding("rights", .bad, "there is no group sensorbroker", remedy: "sudo systemd-sysusers")
            ]
        }
        if user.isMember { return [Finding("rights", .ok, "you are in the group sensorbroker")] }
        if user.isListed {
            return [
                Finding(
                    "rights", .bad, "you were put into the group sensorbroker after you logged in",
                    remedy: "log in again, or, for one shell: newgrp sensorbroker")
            ]
        }
        return [
            Finding(
                "rights", .bad, "you are not in the group sensorbroker",
                remedy: "sudo usermod -aG sensorbroker \(user.name.printable), and log in again")
        ]
    }
}
