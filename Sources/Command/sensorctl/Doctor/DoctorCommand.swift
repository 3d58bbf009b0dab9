internal import Programs
internal import Varlink

extension Command {
    static let doctor = Self(
        name: "doctor", summary: "Find common problems, and say what to do", options: [.check],
        description: [
            "Looks at the service, its sockets and its configuration; the rights of the user; gpsd and iiod, here or elsewhere, and "
                + "whether the broker's unit lets it reach them; the sensors, their permissions, and which programs have "
                + "them open; chips on an I²C bus that have no driver; what geoclue and iio-sensor-proxy need to know of the broker; and the bridge to a fleet's server, with "
                + "its connection, spool and certificate. Each finding is a line. If something is wrong, the next line says what to do.",
            "Ends with 0 if nothing is wrong, and with 69 otherwise. As root it sees more.",
            "With `--check` it is a plugin for Nagios or Icinga.",
        ],
        examples: [
            ("sudo sensorctl doctor", "all findings"),
            ("sensorctl doctor --check --timeout 5s", "one line, and the status of a monitoring plugin"),
        ]
    ) { DoctorCommand(isCheck: $0.has(.check)) }
}

/// `sensorctl doctor`: examines common causes of trouble, and prints what to do.
struct DoctorCommand: Action, Equatable {
    /// Whether a monitoring system asks.
    var isCheck = false

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        let diagnosis = Diagnosis(view: HostSurvey(broker: broker).view())
        guard !isCheck else { return try report(MonitoringCheck(diagnosis), terminal) }
        let findings = diagnosis.findings
        try terminal.print(
            text: Self.text(findings, terminal.style), json: findings.map(Self.object),
            csv: [["subject", "verdict", "words", "remedy"]]
                + findings.map { [$0.subject, $0.verdict.rawValue, $0.words, $0.remedy ?? ""] })
        guard diagnosis.isWell else { throw Failure(.unavailable, nil) }
    }

    private func report(_ check: MonitoringCheck, _ terminal: Terminal) throws(Failure) {
        try terminal.print([check.line])
        switch check.status {
        case .ok: break
        case .warning: throw Failure(.checkWarning, nil)
        case .critical: throw Failure(.checkCritical, nil)
        case .unknown: throw Failure(.checkUnknown, nil)
        }
    }

    private static func text(_ findings: [Finding], _ style: Style) -> [String] {
        let width = findings.map { $0.subject.count }.max() ?? 0
        return findings.flatMap { finding in
            let verdict = finding.verdict.rawValue.padded(to: 4)
            let start = finding.verdict == .bad ? style.warning(verdict) : verdict
            let line = "\(start)  \(finding.subject.padded(to: width))  \(finding.words)"
            let indent = String(repeating: " ", count: width + 8)
            return [line] + (finding.remedy.map { ["\(indent)to do: \($0)"] } ?? [])
        }
    }

    private static func object(_ finding: Finding) -> JSONObject {
        var object: JSONObject = [
            "subject": .string(finding.subject), "verdict": .string(finding.verdict.rawValue),
            "words": .string(finding.words),
        ]
        object.member("remedy", finding.remedy)
        return object
    }
}
