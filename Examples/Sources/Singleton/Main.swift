import SensorBroker

/// The old global singleton beside its refactored form: `singleton [READINGS]`.
@main struct Main {
    static func main() async throws {
        let readings = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
        try await GlobalTrip.shared.run(readings: readings)
        print("before: \(GlobalTrip.shared.metres) m, in a global")
        var (first, second) = (Trip(), Trip())
        try await first.run(readings: readings)
        try await second.run(readings: readings)
        print("after: \(first.metres) m and \(second.metres) m, two trips that know nothing of each other")
        try await RetrofittedTrip.shared.run(readings: readings)
        print("retrofitted: \(RetrofittedTrip.shared.metres) m, through the name that old callers know")
        print("and one connection: \(Broker.shared.usage.connections)")
    }
}
