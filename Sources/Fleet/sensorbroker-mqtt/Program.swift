internal import Configuration
internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform

/// The program, from its command line to its exit status.
enum Program {
    static let name = "sensorbroker-mqtt"

    static func run(_ words: [String]) -> Int32 {
        do {
            let arguments = try Arguments(words)
            switch arguments.action {
            case .help: return say(Arguments.usage)
            case .version: return say("\(name) \(Version.text)\n")
            case .checkConfiguration: return check(arguments)
            case .serve:
                let configuration = try source(arguments).read()
                return try BridgeProcess(arguments, configuration.settings).run()
            }
        } catch let error as UsageError {
            complain("\(error) (see \(name) --help)")
            return 64
        } catch let errors as ConfigurationErrors {
            for problem in errors.all { complain(problem.description) }
            return 78
        } catch let failure as StartFailure {
            complain(failure.description)
            return failure.status
        } catch {
            complain("\(error)")
            return 71
        }
    }

    private static func source(_ arguments: Arguments) -> ConfigurationSource {
        ConfigurationSource(
            named: arguments.configuration,
            usual: ConfigurationSource.directories.map { "\($0)/sensorbroker-mqtt.conf" })
    }

    private static func check(_ arguments: Arguments) -> Int32 {
        do throws(ConfigurationErrors) { return say(try source(arguments).read().text) } catch {
            _ = say(error.all.map { "\($0)\n" }.joined(), STDERR_FILENO)
            return 78
        }
    }

    /// Writes a text as a whole; the exit status. `write(2)`
    private static func say(_ text: String, _ descriptor: Int32 = STDOUT_FILENO) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                complain("cannot write the output: \(SystemError.current("write"))")
                return 74
            }
        }
        return 0
    }

    private static func complain(_ text: String) { Journal(program: name).write(.error, text) }
}
