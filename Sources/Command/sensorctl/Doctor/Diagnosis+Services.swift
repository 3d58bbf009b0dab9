internal import BrokerClient
internal import Printable

/// gpsd and iiod: whether they answer, here and to the broker.
///
/// The broker's unit may reach only the addresses on its list, and packets to others are dropped. So a service that
/// answers us may be silent to the broker.
extension Diagnosis {
    var gpsd: Finding? {
        guard let gpsd = view.gpsd else { return nil }
        let address = gpsd.address.printable
        switch gpsd.answer {
        case .answers where isMissed("no gpsd at") && gpsd.place != .here: return keptFromBroker("gpsd", gpsd)
        case .answers(let count?) where count > 0:
            return Finding("gpsd", .ok, "has \(count.counted("receiver")), at \(address)")
        case .answers:
            return Finding(
                "gpsd", .bad, "has no receiver",
                remedy: "name it in DEVICES= of /etc/default/gpsd; then: "
                    + (hasSystemd ? "sudo systemctl restart gpsd" : "restart gpsd"))
        case .unreachable(let silence):
            let location = view.resources.first { $0.name == "location" }
            let isMissed = location?.state == "unavailable"
            // The broker has a position, so its gpsd is another one: it was started with --gpsd.
            if location?.state == "active", gpsd.place == .here { return nil }
            // A gpsd on another host was configured, so it is wanted.
            let isFault = isMissed || view.resources.isEmpty || gpsd.place != .here
            let enable = "sudo systemctl enable --now gpsd.socket"
            let first =
                view.gpsdIsMasked
                ? "it is masked: sudo systemctl unmask gpsd.socket gpsd.service && \(enable)"
                : "install gpsd and start it\(hasSystemd ? ": \(enable)" : "")"
            let start =
                gpsd.place == .here
                ? "\(first); or, if it runs elsewhere, set Gpsd= in \(view.name.configuration)"
                : "start gpsd there with -G; without that option, it serves only its own host"
            return Finding(
                "gpsd", isFault ? .bad : .note, "no gpsd answers at \(address): \(silence.words)",
                remedy: cure(of: silence, "gpsd", gpsd.place, start: start, key: "Gpsd="))
        case .stranger: return stranger("gpsd", gpsd, key: "Gpsd=")
        }
    }

    var iiod: Finding? {
        guard let iiod = view.iiod else { return nil }
        let address = iiod.address.printable
        switch iiod.answer {
        case .answers where isMissed("no iiod answers at") && iiod.place != .here: return keptFromBroker("iiod", iiod)
        case .answers: return Finding("iiod", .ok, "answers at \(address)")
        case .unreachable(let silence):
            let start = iiod.place == .here ? "start iiod" : "start iiod there"
            return Finding(
                "iiod", .bad, "no iiod answers at \(address): \(silence.words)",
                remedy: cure(of: silence, "iiod", iiod.place, start: start, key: "Context="))
        case .stranger: return stranger("iiod", iiod, key: "Context=")
        }
    }

    /// Whether a resource is unavailable for a reason that begins with these words.
    private func isMissed(_ reason: String) -> Bool {
        view.resources.contains { $0.state == "unavailable" && $0.reason?.hasPrefix(reason) == true }
    }

    private func stranger(_ subject: String, _ service: ServiceView, key: String) -> Finding {
        Finding(
            subject, .bad, "the program that listens at \(service.address.printable) is not \(subject)",
            remedy: "set \(key) to the right one in \(view.name.configuration)")
    }

    private func keptFromBroker(_ subject: String, _ service: ServiceView) -> Finding {
        Finding(
            subject, .bad, "answers us at \(service.address.printable), but not the broker",
            remedy: permission(to: service.place)
                ?? "check whether a firewall, or a drop-in of the broker's unit, blocks the broker; "
                + "its errors are in \(log)")
    }

    private func cure(
        of silence: Silence, _ subject: String, _ place: PlaceView, start: String, key: String
    ) -> String {
        switch place {
        case .here where silence == .mute:
            return "restart \(subject)\(hasSystemd ? ": sudo systemctl restart \(subject)" : "")"
        case .elsewhere where silence == .mute: return "restart \(subject) there"
        case .unknown:
            return "check that \(key) in \(view.name.configuration) has the right name"
        case .here: return start
        case .elsewhere:
            let others = permission(to: place).map { "; the broker needs this too: \($0)" } ?? ""
            guard silence == .refused else {
                return "check that the other host is up, and that its firewall lets this host in\(others)"
            }
            return start + others
        }
    }

    /// How to let the broker's unit reach an address that is not on its list; nil if it is.
    private func permission(to place: PlaceView) -> String? {
        guard view.isService, hasSystemd, case .elsewhere(let outside?) = place else { return nil }
        return
            "sudo systemctl edit \(view.name.unit), with the lines [Service] and IPAddressAllow=\(outside.printable); "
            + "then: sudo systemctl restart \(view.name.unit)"
    }
}
