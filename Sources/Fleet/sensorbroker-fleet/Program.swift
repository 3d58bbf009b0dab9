internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform

/// The program, from its command line to its exit status.
enum Program {
    static let name = "sensorbroker-fleet"

    static func run(_ words: [String]) -> Int32 {
        do {
            let arguments = try Arguments(words)
            switch arguments.action {
            case .help: try Output.write(Arguments.usage)
            case .version: try Output.write("\(name) \(Version.text)\n")
            case .run(let command): return try run(command, arguments)
            }
            return 0
        } catch let error as UsageError {
            Output.note("\(error) (see sensorctl fleet --help)")
            return 64
        } catch let errors as ConfigurationErrors {
            for var problem in errors.all {
                // Its lines are not the user's.
                if problem.file == commandLine { problem.line = nil }
                Output.note(problem.description)
            }
            return 78
        } catch let failure as StartFailure {
            if failure.status != 0 { Output.note(failure.description) }
            return failure.status
        } catch {
            Output.note("\(error)")
            return 71
        }
    }

    private static func run(_ command: Arguments.Command, _ arguments: Arguments) throws -> Int32 {
        if let capture = arguments.capture { return try Capture.verify(capture, arguments) }
        let settings = try settings(arguments)
        func link() throws -> ConsumerLink { try ConsumerLink(settings, arguments, signals: Signals()) }
        switch command {
        case .verify: return try VerifyCommand(arguments, settings).run(link())
        case .watch: return try WatchCommand(arguments, settings).run(link())
        case .record: return try RecordCommand(arguments, settings).run(link())
        }
    }

    private static let commandLine = "the command line"

    /// The settings of the files and the command line.
    static func settings(_ arguments: Arguments) throws(ConfigurationErrors) -> FleetSettings {
        let personal = unsafe getenv("XDG_CONFIG_HOME").map { unsafe String(cString: $0) }
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) + "/.config" }
        let usual =
            ((personal ?? home).map { ["\($0)/sensorbroker/fleet.conf"] } ?? [])
            + ConfigurationSource.directories.map { "\($0)/sensorbroker-fleet.conf" }
        let lines = arguments.settings.map { "[\($0.section)]\n\($0.key)=\($0.value)\n" }.joined()
        return try ConfigurationSource(named: arguments.configuration, usual: usual)
            .read(for: .consumer, overriddenBy: (commandLine, Array(lines.utf8))).settings
    }
}

/// Where the program writes.
enum Output {
    /// Writes a text as a whole; a reader that is gone ends the program quietly. `write(2)`
    static func write(_ text: String) throws(StartFailure) { try write(Array(text.utf8)) }

    /// Writes bytes as a whole. `write(2)`
    static func write(_ bytes: [UInt8]) throws(StartFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw StartFailure(0, "the reader is gone")
            } else if errno == EAGAIN {
                var wait = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw StartFailure(74, "cannot write the output: \(SystemError.current("write"))")
            }
        }
    }

    /// Says something that is not output; it is no failure if nobody reads it.
    static func note(_ text: String) { Journal(program: "sensorctl fleet").write(.error, text) }
}
