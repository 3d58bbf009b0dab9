internal import Printable

/// The bridge to a fleet's server on this host, if it is installed.
enum FleetSurvey {
    /// The bridge as it is at present; nil if it is not installed, or systemd does not report it. `du(1)`, `openssl(1)`
    static func view() -> FleetView? {
        guard let unit = UnitSurvey.view(of: FleetView.unit) else { return nil }
        var view = FleetView(unit: unit)
        let check = ProgramOutput.of("exec timeout 5 sensorbroker-mqtt --check-config 2>&1 </dev/null")
        view.configuration = check.flatMap { FleetConfigurationView($0.status, $0.text) }
        let used = ProgramOutput.of("exec timeout 5 du -sb \"$@\" 2>/dev/null", [FleetView.spool])
        if let used, used.status == 0 { view.spoolBytes = used.text.split(separator: "\t").first.flatMap { Int($0) } }
        if let name = view.configuration?.certificate {
            let path = name.hasPrefix("/") ? name : "\(FleetView.credentials)/\(name)"
            view.certificate = CertificateView(
                // Its end, and how it stands now and in 14 days; a certificate that cannot be read has neither.
                ProgramOutput.of(
                    """
                    openssl x509 -noout -enddate -in "$1" 2>/dev/null || exit 9
                    openssl x509 -noout -checkend 0 -in "$1" >/dev/null || exit 2
                    openssl x509 -noout -checkend 1209600 -in "$1" >/dev/null || exit 1
                    """, [path]))
        }
        return view
    }
}

/// What is known of the bridge.
struct FleetView: Equatable {
    static let unit = "sensorbroker-mqtt.service"
    static let spool = "/var/lib/sensorbroker-mqtt"
    /// Where systemd puts the credentials of the unit while it runs.
    static let credentials = "/run/credentials/\(unit)"

    var unit = UnitView()
    /// The configuration; nil if the program is not found.
    var configuration: FleetConfigurationView?
    /// The bytes in its spool; nil if they may not be read.
    var spoolBytes: Int?
    /// The client's certificate; nil if there is none, or it may not be read.
    var certificate: CertificateView?
}

/// The output of `sensorbroker-mqtt --check-config`, as far as it matters here.
struct FleetConfigurationView: Equatable {
    /// The first error.
    var error: String?
    /// The client's certificate: a path, or the name of a credential.
    var certificate: String?
    /// How much the spool keeps.
    var spoolBytes: Int?

    init?(_ status: Int32, _ text: String) {
        guard let checked = CheckedConfiguration(status, text) else { return nil }
        error = checked.error
        certificate = checked.all("Certificate=").first
        spoolBytes = checked.all("MaxBytes=").first.flatMap { Self.bytes($0) }
    }

    /// A number of bytes as the program prints it: `512M`.
    private static func bytes(_ text: String) -> Int? {
        let units = ["K": 10, "M": 20, "G": 30, "T": 40]
        let shift = units[String(text.suffix(1))]
        guard let number = Int(shift == nil ? text[...] : text.dropLast()), number < 1 << 20 || shift == nil else {
            return nil
        }
        return number << (shift ?? 0)
    }
}

/// A certificate, as `openssl` reports it.
struct CertificateView: Equatable {
    enum Condition: Equatable {
        case valid
        case expiring
        case expired
    }

    var condition: Condition
    /// Until when it is valid, in the words of `openssl`.
    var end: String

    /// Reads what was printed; nil if the file could not be read.
    init?(_ output: (status: Int32, text: String)?) {
        let mark = "notAfter="
        guard let output, let line = output.text.split(separator: "\n").first, line.hasPrefix(mark) else { return nil }
        end = String(line.dropFirst(mark.count))
        switch output.status {
        case 0: condition = .valid
        case 1: condition = .expiring
        case 2: condition = .expired
        default: return nil
        }
    }
}

extension Diagnosis {
    /// The bridge to a fleet's server, if it is installed.
    var fleet: [Finding] {
        guard let fleet = view.fleet else { return [] }
        return [connection(fleet), spool(fleet), certificate(fleet)].compactMap(\.self)
    }

    private static let log = "journalctl -u sensorbroker-mqtt"

    private func connection(_ fleet: FleetView) -> Finding {
        let error = fleet.configuration?.error?.printable
        switch fleet.unit.active {
        case "active" where fleet.unit.status.hasPrefix("Connected"):
            let isHeld = fleet.unit.status.contains("does not take")
            return Finding(
                "fleet", isHeld ? .bad : .ok, "the bridge says: \(fleet.unit.status.printable)",
                remedy: isHeld ? "allow its topics on the server, or subscribe to them; see: \(Self.log)" : nil)
        case "active", "activating", "reloading":
            // A host without a connection is no fault: that is what the spool is for.
            return Finding(
                "fleet", .note, "the bridge says: \(fleet.unit.status.printable)",
                remedy: "if it should be connected, see: \(Self.log)")
        case "failed":
            return Finding(
                "fleet", .bad, "the bridge has failed (\(fleet.unit.result.printable)\(error.map { ": \($0)" } ?? ""))",
                remedy: "see: \(Self.log); then: sudo systemctl restart sensorbroker-mqtt")
        default:
            return Finding(
                "fleet", .note, "the bridge is installed, but does not run\(error.map { ": \($0)" } ?? "")",
                remedy: error == nil
                    ? "sudo systemctl enable --now sensorbroker-mqtt"
                    : "write /etc/sensorbroker/sensorbroker-mqtt.conf; then: "
                        + "sudo systemctl enable --now sensorbroker-mqtt")
        }
    }

    private func spool(_ fleet: FleetView) -> Finding? {
        guard let bytes = fleet.spoolBytes, let most = fleet.configuration?.spoolBytes, most > 0 else { return nil }
        // What has arrived is kept there too, for as long as it may be asked for.
        let percent = bytes / (most / 100 + 1)
        guard percent >= 90, !fleet.unit.status.hasPrefix("Connected") else {
            return Finding("spool", .ok, "\(percent) % of the bridge's spool is used")
        }
        return Finding(
            "spool", .note,
            "\(percent) % of the bridge's spool is used: the oldest messages go first, and are reported as lost",
            remedy: "restore the connection, or write a larger MaxBytes= under [Spool]")
    }

    private func certificate(_ fleet: FleetView) -> Finding? {
        guard let certificate = fleet.certificate else { return nil }
        let end = certificate.end.printable
        let remedy = "give the bridge a new one (Certificate= and Key= in sensorbroker-mqtt.conf), and restart it"
        switch certificate.condition {
        case .valid: return Finding("certificate", .ok, "the bridge's certificate is valid until \(end)")
        case .expiring:
            return Finding("certificate", .note, "the bridge's certificate ends on \(end)", remedy: remedy)
        case .expired:
            return Finding("certificate", .bad, "the bridge's certificate ended on \(end)", remedy: remedy)
        }
    }
}
