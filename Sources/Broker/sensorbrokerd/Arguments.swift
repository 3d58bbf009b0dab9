internal import Gpsd
internal import IIO
internal import Programs

struct Arguments: ProgramArguments, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case serve, checkConfiguration, checkScenario
    }

    var action = Action.serve
    var notice: ProgramNotice?
    /// The name of a further broker on this host; nil for the first one.
    var instance: String?
    /// The directory of sockets and locks; nil: the usual one.
    var runtimeDirectory: String?
    /// The directory of what outlives the daemon; nil: the usual one.
    var stateDirectory: String?
    /// Whether all devices are simulated.
    var mock = false
    /// The recording to replay instead of any device; nil: none.
    var replay: String?
    /// Whether the recording repeats.
    var loop = false
    /// The scenario: a file, or the name of a built-in one; nil: a hand and a drive.
    var scenario: String?
    /// Whether sockets and locks are in a temporary directory of this process.
    var isTemporary = false
    /// The command to run and to end with; empty: none.
    var command: [String] = []
    /// The speed of simulated time relative to the host's; infinite: as fast as clients read.
    var tempo: Double?
    /// The address of gpsd; nil: the usual one.
    var gpsd: GpsdAddress?
    /// The configuration file; nil: the usual one.
    var configuration: String?
    /// The IIO context of the sensors; nil: this host's.
    var iio: IIOAddress?

    init(_ words: [String]) throws(UsageError) {
        command = try Self.options.readOptions(words, into: &self).rest
        guard !mock || (gpsd == nil && iio == nil) else {
            throw UsageError("--mock makes every resource a mock: leave out --gpsd and --iio, or --mock")
        }
        guard replay == nil || (!mock && gpsd == nil && iio == nil) else {
            throw UsageError(
                "--replay plays a recording instead of devices: leave out --mock, --gpsd and --iio, or --replay")
        }
        guard !loop || replay != nil else { throw UsageError("--loop is for --replay FILE: add that, or leave it out") }
        guard action != .checkScenario || scenario != nil else {
            throw UsageError(
                "--check needs to know what to check: --mock=FILE --check; for the configuration --check-config")
        }
        guard !isTemporary || (runtimeDirectory == nil && instance == nil) else {
            throw UsageError("--temporary creates its own directory: leave out --runtime-directory and --instance")
        }
        guard tempo == nil || isSimulated else {
            throw UsageError(
                "--speed is only for simulated devices and recordings: leave it out, or add --mock or "
                    + "--replay FILE")
        }
    }

    /// Whether no hardware is used.
    var isSimulated: Bool { mock || replay != nil }
}
