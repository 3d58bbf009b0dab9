internal import SensorBroker
internal import Varlink

/// A provider of the conformance suite: it prints what a program that is a sensor sees.
///
/// Clients/conformance/README.md describes its arguments, commands and lines.
struct ProvideProgram {
    private let broker: Broker
    private let names: [String]
    private let offer: SensorOffer

    init(_ broker: Broker, _ words: [String]) {
        self.broker = broker
        names = words.filter { !$0.hasPrefix("-") }.map { $0.prefix { $0 != "," }.description }
        var offer = SensorOffer()
        for word in words where word.hasPrefix("-") {
            let pair = word.dropFirst().split(separator: "=", maxSplits: 1).map(String.init)
            let durations = pair[1].split(separator: "+").compactMap { Int64($0) }.map { Duration.nanoseconds($0) }
            switch pair[0] {
            case "description": offer.device = pair[1]
            case "interval": offer.intervals = .own(durations.first)
            case "intervals": offer.intervals = .oneOf(durations)
            case "rest": offer.rest = durations.first
            case "simulated": offer.isSimulated = pair[1] == "1"
            default: Line("bad").print()
            }
        }
        self.offer = offer
    }

    /// Provides until it is ordered to end; whether it has failed.
    func run() async -> Bool {
        switch names.map({ $0.prefix { $0 != ":" } }) {
        case ["accelerometer"]: await serve(Acceleration.self)
        case ["light"]: await serve(Illuminance.self)
        case ["location"]: await serve(Location.self)
        case ["accelerometer", "light"]: await serve(Acceleration.self, Illuminance.self)
        default: await serve(Acceleration.self, AngularVelocity.self, Illuminance.self)
        }
    }

    private func serve<each Value: Providable>(_ values: repeat (each Value).Type) async -> Bool {
        // The interface takes each name by itself.
        let provider =
            switch names.count {
            case 1: broker.provide(repeat each values, named: names[0], offer: offer)
            case 2: broker.provide(repeat each values, named: names[0], names[1], offer: offer)
            default: broker.provide(repeat each values, named: names[0], names[1], names[2], offer: offer)
            }
        let failed = Failed()
        let follower = Task {
            do throws(SensorError) {
                for try await event in provider.events { Line(event).print() }
            } catch {
                failed.set()
                Line("error", error).print()
            }
        }
        while let line = await Conform.nextLine(), line != "quit" {
            send(line.split(separator: " ").map(String.init), by: provider)
        }
        provider.end()
        await follower.value
        return failed.isSet
    }

    private func send<each Value: Providable>(_ words: [String], by provider: SensorProvider<repeat each Value>) {
        let hasPeriod = words[0] == "rows" || words[0] == "packed"
        let numbers = words.dropFirst(hasPeriod ? 3 : 2).compactMap { Double($0) }
        var (width, offset) = (0, 0)
        repeat width += Self.width(of: (each Value).self)
        // Of each sample, the values of one resource.
        func column<Next: Providable>(_ type: Next.Type) throws(SensorError) -> [Next] {
            defer { offset += Self.width(of: type) }
            return try stride(from: offset, to: numbers.count, by: width).map { (start) throws(SensorError) in
                try Self.value(numbers[start...].prefix(Self.width(of: type)))
            }
        }
        let columns: (repeat [each Value])
        do throws(SensorError) { columns = (repeat try column((each Value).self)) } catch {
            return Line("refused", error).print()
        }
        let stamps = words[hasPeriod ? 2 : 1].split(separator: "+").compactMap { Int64($0) }
        let first = Int64(words[1]) ?? 0
        if first == 0, !numbers.isEmpty {
            provider.send(repeat (each columns)[0])
        } else {
            let times = (0..<numbers.count / width).map {
                stamps.count > 1 ? stamps[$0] : first + Int64($0) * (hasPeriod ? stamps[0] : 0)
            }
            provider.send(repeat each columns, at: times.map { BootTime(nanoseconds: $0) })
        }
        // What is dropped is reported as an event.
        if provider.error == nil { Line("pushed").print() }
    }

    /// How many numbers a script has for a value.
    private static func width<Value: Providable>(of type: Value.Type) -> Int {
        Value.kind == .location ? 2 : Value.kind.channels.count
    }

    private static func value<Value: Providable>(_ numbers: ArraySlice<Double>) throws(SensorError) -> Value {
        let measured: MeasuredValue
        if Value.kind == .location {
            var location = Location(fix: .threeDimensional)
            (location.latitudeDegrees, location.longitudeDegrees) = (numbers.first, numbers.dropFirst().first)
            measured = .location(location)
        } else {
            measured = .numbers(Array(numbers), of: Value.kind)
        }
        guard let value = Value(measured) else { throw .wrongKind(Value.firstResource) }
        return value
    }
}

extension Line {
    init(_ event: ProviderEvent) {
        switch event {
        case .demand(.nobody):
            self.init("demand")
            add("wanted", .bool(false))
        case .demand(.samples(let interval, let latency)):
            self.init("demand")
            add("wanted", .bool(true))
            add("intervalNanoseconds", interval.map { .integer(Self.nanoseconds($0)) })
            add("latencyNanoseconds", .integer(Self.nanoseconds(latency)))
        case .refused(_, "the broker is away"): self.init("dropped")
        case .refused(let count, let reason):
            self.init("refusal")
            add("count", .integer(Int64(count)))
            add("reason", .string(reason))
        case .disconnected(let error): self.init("disconnected", error)
        }
    }
}
