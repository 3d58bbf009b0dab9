internal import Glibc
internal import SensorBroker
internal import Varlink

/// The test program of the conformance suite: it prints what a user of the library sees.
///
/// Clients/conformance/README.md describes its arguments, commands and lines.
@main struct Conform {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count > 2, words[0] == "--provide" {
            let program = ProvideProgram(Broker(socket: words[1]), Array(words.dropFirst(2)))
            exit(await program.run() ? 1 : 0)
        }
        guard let path = CommandLine.arguments.dropFirst().first else {
            print("usage: conform-swift SOCKET [REQUEST...] | --provide SOCKET OFFER...")
            exit(64)
        }
        var configuration = Broker.Configuration(.daemon(socket: path))
        // What is removed leaves the stream at once, as in the other libraries.
        configuration.grace = .zero
        let program = ConformProgram(Broker(configuration))
        for text in CommandLine.arguments.dropFirst(2) { program.ask(text) }
        while let line = await nextLine(), line != "quit" { program.obey(line.split(separator: " ").map(String.init)) }
        exit(program.hasFailed ? 1 : 0)
    }

    /// The next command; it is waited for on a thread of its own, since the tasks' threads are few.
    static func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Task.detached { continuation.resume(returning: readLine()) }
        }
    }
}

/// A measured value of any kind.
struct Anything: Measurable {
    static let firstResource = ResourceName.accelerometer
    let measured: MeasuredValue

    init?(_ measured: MeasuredValue) { self.measured = measured }
}

/// The sensors of the program, and what it prints of them; only the main task uses it, and its listeners only print.
final class ConformProgram {
    private let broker: Broker
    private let failed = Failed()
    private var sensors: [ResourceName: (sensor: Sensor<Anything>, listener: Task<Void, Never>)] = [:]

    /// Whether a stream has failed.
    var hasFailed: Bool { failed.isSet }

    init(_ broker: Broker) { self.broker = broker }

    /// Begins or changes a stream.
    func ask(_ text: String) {
        guard let request = SensorRequest(conform: text) else { return Line("bad").print() }
        if let present = sensors[request.resource] { return present.sensor.mutateRequest { $0 = request } }
        let sensor = Sensor<Anything>(broker: broker, resource: request.resource)
        sensor.mutateRequest { $0 = request }
        let listener = Task { [failed] in
            do throws(SensorError) {
                for try await event in sensor.events { Line(event, of: request.resource).print() }
            } catch {
                failed.set()
                Line("error", error).print()
            }
        }
        sensors[request.resource] = (sensor, listener)
    }

    func obey(_ words: [String]) {
        switch (words.first, words.dropFirst().first.flatMap { ResourceName($0) }) {
        case ("modify", _): ask(words[1])
        case ("remove", let name?): sensors.removeValue(forKey: name)?.listener.cancel()
        case ("list", _):
            Task { [broker] in
                do throws(SensorError) { Line(resources: try await broker.resources()).print() } catch {
                    Line("failed", error, call: "list").print()
                }
            }
        case ("read", let name?):
            let (age, timeout) = (Int64(words[2]) ?? 0, Int64(words[3]) ?? 0)
            let sensor = Sensor<Anything>(broker: broker, resource: name)
            Task {
                do throws(SensorError) {
                    let reading = try await sensor.requestReading(
                        maximumAge: .nanoseconds(age), timeout: .nanoseconds(timeout))
                    Line("read", reading).print()
                } catch {
                    Line("failed", error, call: "read").print()
                }
            }
        default: break
        }
    }
}

extension SensorRequest {
    /// `accelerometer,interval=20000000`.
    fileprivate init?(conform text: String) {
        let parts = text.split(separator: ",").map(String.init)
        guard let name = parts.first.flatMap({ ResourceName($0) }) else { return nil }
        self.init(name)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=").map(String.init)
            switch pair[0] {
            case "interval": interval = Int64(pair[1]).map { .nanoseconds($0) }
            case "batch": batch = Int64(pair[1]).map { .nanoseconds($0) }
            case "filter": filter = SensorFilter(rawValue: pair[1])
            case "change": minimumChange = Double(pair[1])
            default: return nil
            }
        }
    }
}
