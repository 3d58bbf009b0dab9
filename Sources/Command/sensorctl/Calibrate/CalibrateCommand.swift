internal import BrokerClient
internal import Configuration
internal import Motion
internal import Printable
internal import Programs
internal import Readings
internal import Varlink

extension Command {
    static let calibrate = Self(
        name: "calibrate", summary: "Measure how far a sensor is off, and store it", audience: .administrator,
        operands: [
            Operand(
                name: "WHAT", completion: .words(CalibrateCommand.Subject.allCases.map(\.rawValue)), isOptional: true),
            Operand(name: "RESOURCE", completion: .resources, isOptional: true),
        ],
        forms: ["WHAT [RESOURCE] [--dry-run] [--for TIME]", "WHAT [RESOURCE] --forget", "--show"],
        options: [.calibrationDuration, .dryRun, .showCalibrations, .forgetCalibration],
        description: [
            "Says what to do with the device, shows how much of it is done, and ends by itself with the error to expect. The broker "
                + "stores the result for this device, wherever it is connected, and uses it for what is derived from it, such as a "
                + "heading. The resource's own readings stay as they are.",
            "`gyroscope`: three seconds at rest. `magnetometer`: about half a minute of turning the device in all directions, away "
                + "from iron and magnets. `accelerometer`: a second on each of its six sides. `mounting`: a second on its back, and one "
                + "on its bottom edge; it stores nothing, and prints the mount matrix for the configuration or udev.",
            "Calibrate again after a change of the mount matrix, of `Scale=` or of `Offset=`.",
        ],
        examples: [
            ("sudo sensorctl calibrate gyroscope", "put the device down first"),
            ("sudo sensorctl calibrate magnetometer --for 3min", "as long as it takes, but three minutes at most"),
            ("sensorctl calibrate mounting", "how the accelerometer's chip is turned"),
            ("sudo sensorctl calibrate --show", "what is stored"),
        ]
    ) { invocation throws(UsageError) in try CalibrateCommand(invocation) }
}

/// `sensorctl calibrate`: measures how far a sensor is off.
struct CalibrateCommand: Action, Equatable {
    /// What is calibrated.
    enum Subject: String, CaseIterable {
        case gyroscope, magnetometer, accelerometer, mounting

        /// The resource that it is about, if none is named.
        var resource: String { self == .mounting ? Subject.accelerometer.rawValue : rawValue }

        /// What guides the person.
        var guide: any CalibrationGuide {
            switch self {
            case .gyroscope: GyroscopeGuide()
            case .magnetometer: MagnetometerGuide()
            case .accelerometer: AccelerometerGuide()
            case .mounting: MountingGuide()
            }
        }
    }

    enum Deed: Equatable {
        case measure(Subject, resource: String, isStored: Bool, nanoseconds: Int64)
        case show
        case forget(Subject, resource: String)
    }

    let deed: Deed

    private static let usualNanoseconds: Int64 = 120_000_000_000

    init(_ invocation: Invocation) throws(UsageError) {
        if invocation.has(.showCalibrations) {
            guard invocation.operands.isEmpty else { throw UsageError("--show shows all calibrations: name nothing") }
            deed = .show
            return
        }
        let subjects = Subject.allCases.map(\.rawValue)
        guard let word = invocation.operands.first else {
            throw UsageError("calibrate needs to know what: \(subjects.joined(separator: ", ")); or --show")
        }
        guard let subject = Subject(rawValue: word) else {
            throw UsageError("'\(word)' cannot be calibrated: " + Suggestion.advice(for: word, among: subjects))
        }
        let resource = invocation.operands.dropFirst().first ?? subject.resource
        guard !invocation.has(.forgetCalibration) else {
            guard !invocation.has(.dryRun) else { throw UsageError("--forget forgets: leave out --dry-run") }
            guard subject != .mounting else { throw UsageError("nothing is stored of a mounting") }
            deed = .forget(subject, resource: resource)
            return
        }
        let nanoseconds = try invocation.time(.calibrationDuration) ?? Self.usualNanoseconds
        deed = .measure(
            subject, resource: resource, isStored: subject != .mounting && !invocation.has(.dryRun),
            nanoseconds: nanoseconds)
    }

    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        switch deed {
        case .measure(let subject, let resource, let isStored, let nanoseconds):
            // Before anybody turns a device for half a minute.
            if isStored { _ = try broker.admin().call(AdminInterface.getCalibrations) }
            try check(subject, resource, broker)
            let session = CalibrationSession(broker, resource, terminal, nanoseconds: nanoseconds)
            let finding = try session.run(subject.guide)
            let isKept = isStored ? try store(finding, resource, broker) : nil
            try CalibrationText.print(finding, resource, isKept: isKept, terminal)
        case .show:
            try CalibrationText.print(try broker.admin().call(AdminInterface.getCalibrations), terminal)
        case .forget(let subject, let resource):
            try check(subject, resource, broker)
            let answer = try broker.admin().call(AdminInterface.forgetCalibration, ["resource": .string(resource)])
            let wasKnown = try understand { () throws(VarlinkError) in try answer.bool("wasKnown") }
            try terminal.print(wasKnown ? [resource] : [], "forgotten", answer)
            if !wasKnown { terminal.note("sensorctl: there was no calibration of \(resource)") }
        }
    }

    /// A resource that is there must be of the subject's kind.
    private func check(_ subject: Subject, _ resource: String, _ broker: Broker) throws(Failure) {
        let kind = subject.guide.kind
        // The administrator's socket, if that is named, does not list them.
        let resources = (try? broker.resources()) ?? []
        guard let known = resources.first(where: { $0.name == resource }), known.kind != kind.wire else { return }
        throw Failure(.usage, "\(resource.printable) is no \(kind.row.resource): it measures \(known.kind.printable)")
    }

    private func store(_ finding: CalibrationFinding, _ resource: String, _ broker: Broker) throws(Failure) -> Bool {
        let offset = finding.offset
        let answer = try broker.admin().call(
            AdminInterface.setCalibration,
            [
                "resource": .string(resource), "offset": .array([offset.x, offset.y, offset.z].map { .number($0) }),
                "matrix": .array(finding.matrix.rows.map { .number($0) }), "error": .number(finding.error),
            ])
        return try understand { () throws(VarlinkError) in try answer.bool("isKept") }
    }
}
