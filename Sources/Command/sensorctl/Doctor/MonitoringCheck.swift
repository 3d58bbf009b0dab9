internal import BrokerClient
internal import Printable

/// The findings of a diagnosis as a monitoring plugin reports them: one line, and one of four statuses; pure.
///
/// The rules are those of the Monitoring Plugins project, which Nagios and Icinga follow.
struct MonitoringCheck: Equatable {
    /// The statuses, and their words in the line.
    enum Status: String {
        case ok = "OK"
        case warning = "WARNING"
        case critical = "CRITICAL"
        case unknown = "UNKNOWN"
    }

    let status: Status
    let line: String

    init(_ diagnosis: Diagnosis) {
        let findings = diagnosis.findings
        // Without an answer, nobody knows: the user may not ask.
        let isDenied = diagnosis.view.socket.answer == .denied
        let bad = findings.filter { $0.verdict == .bad }
        // A note without a remedy is no matter for anybody, and hardware that nobody has is none at all.
        let notes = findings.filter { finding in
            finding.verdict == .note && finding.remedy != nil && !["sensors", "gpsd"].contains(finding.subject)
        }
        let status: Status = isDenied ? .unknown : !bad.isEmpty ? .critical : !notes.isEmpty ? .warning : .ok
        let troubles = (bad + notes).map { "\($0.subject.printable) \($0.words.printable)" }
        let resources = diagnosis.view.resources
        let words =
            troubles.isEmpty
            ? resources.count.counted("resource") : troubles.joined(separator: "; ")
        func count(_ state: String) -> Int { resources.count { $0.state == state } }
        let unavailable = resources.count { $0.state == "unavailable" && !diagnosis.hasSources($0) }
        let figures = [
            "resources=\(resources.count);;;0", "active=\(count("active"));;;0",
            "unavailable=\(unavailable);;0;0", "stale=\(count("stale"));0;;0",
            "released=\(count("released"));0;;0",
        ]
        self.status = status
        // A bar begins the figures.
        let safe = words.map { $0 == "|" ? "/" : $0 }
        line = "SENSORBROKER \(status.rawValue) - \(String(safe)) | \(figures.joined(separator: " "))"
    }
}
