internal import Glibc
internal import Platform
internal import Programs

extension Command {
    static let fleet = Self(
        name: "fleet", summary: "Verify, watch and record what many hosts send to an MQTT server",
        operands: [
            Operand(name: "verify|watch|record", completion: .words(["verify", "watch", "record"])),
            Operand(name: "DIRECTORY", completion: .files, isOptional: true),
        ],
        options: FleetOption.all,
        description: [
            "`verify` listens, waits until each host has reported its newest numbers, and says of each host and epoch what came, what "
                + "came twice, which gaps and losses were reported, and what is missing. It ends with 1 if anything is missing that was "
                + "not reported as lost. `watch` prints readings as they come, with their times in UTC; on a terminal, unless hosts or "
                + "resources are chosen, it shows one line a host. `record` writes a recording of "
                + "each host into DIRECTORY, and goes on with those that are there.",
            "It is done by `sensorbroker-fleet` of the package sensorbroker-mqtt; `man sensorbroker-fleet` describes it.",
        ],
        examples: [
            (
                "sensorctl fleet verify --server mqtts://broker.example --for 1h --resend",
                "is everything there, if it is asked for?"
            ),
            (
                "sensorctl fleet watch --server mqtt://localhost --host 'truck-*' --resource location",
                "where the trucks are"
            ),
            (
                "sensorctl fleet record drives --config fleet.conf",
                "a recording of each host, for replay, plot and export"
            ),
        ]
    ) { invocation throws(UsageError) in try FleetAction(invocation) }
}

/// `sensorctl fleet`: becomes the program that does it, so that this one needs neither MQTT nor encryption.
struct FleetAction: Action, Equatable {
    static let program = "sensorbroker-fleet"
    /// The words after the program's name.
    let words: [String]

    init(_ invocation: Invocation) throws(UsageError) {
        let options = invocation.options.filter { FleetOption.all.contains($0.key) || $0.key == .format }
            .sorted { $0.key.name < $1.key.name }
        words =
            invocation.operands
            + options.map { option, value in option.value == nil ? option.text : "\(option.text)=\(value)" }
    }

    /// Runs it in place of this program. `execv(3)`
    func run(_ broker: Broker, _ terminal: Terminal) throws(Failure) {
        for path in Self.places where unsafe access(path, X_OK) == 0 {
            var arguments = unsafe ([Self.program] + words).map { unsafe strdup($0) } + [nil]
            unsafe execv(path, &arguments)
            throw Failure(.unavailable, "cannot run \(path): \(SystemError.words(for: errno))")
        }
        throw Failure(
            .unavailable, "sensorctl fleet is in a package of its own: install the package sensorbroker-mqtt")
    }

    /// Beside this program, as built and as installed.
    private static var places: [String] {
        guard let directory = ProcessIdentity.programDirectory else { return [] }
        return ["\(directory)/../libexec/\(program)", "\(directory)/\(program)"]
    }
}
