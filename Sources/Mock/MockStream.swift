internal import Devices
internal import Readings

/// What all mocks share: opening, pace and stamps; only the values are each mock's own.
struct MockStream: Sendable {
    /// When it was opened; values depend on the time since then.
    private(set) var start = BootTime(nanoseconds: 0)

    private let clock: MockClock
    private let offered: [Int64]
    private let ownIntervalNanoseconds: Int64
    private let description: String
    private var grid: SampleGrid?

    /// A closed stream; offered are the intervals, ascending, and the own one is for who asks for none.
    init(clock: MockClock, offered: [Int64], ownIntervalNanoseconds: Int64, description: String) {
        self.clock = clock
        self.offered = offered
        self.ownIntervalNanoseconds = ownIntervalNanoseconds
        self.description = description
    }

    var profile: DeviceProfile {
        DeviceProfile(
            offered: .discrete(offered), intervalNanoseconds: grid?.periodNanoseconds, description: description,
            simulated: true)
    }

    var readiness: Readiness { .at(grid?.readyAt ?? BootTime(nanoseconds: .max)) }

    mutating func open(_ demand: Demand) -> DeviceProfile {
        start = clock.boot()
        grid = SampleGrid(
            start: start, periodNanoseconds: interval(for: demand), latencyNanoseconds: demand.latencyNanoseconds)
        return profile
    }

    mutating func adjust(
        to demand: Demand, _ intake: inout Intake, _ measure: (_ elapsedNanoseconds: Int64) -> Measurement
    ) -> DeviceProfile {
        read(into: &intake, measure)
        let period = interval(for: demand)
        grid?.change(
            periodNanoseconds: period, latencyNanoseconds: demand.latencyNanoseconds, at: clock.boot())
        return profile
    }

    mutating func read(into intake: inout Intake, _ measure: (_ elapsedNanoseconds: Int64) -> Measurement) {
        guard let due = grid?.take(at: clock.boot()), let period = grid?.periodNanoseconds else { return }
        if let gap = due.gap { intake.append(gap) }
        for index in 0..<due.count {
            let instant = due.first + Int64(index) * period
            intake.append(measure(instant - start), at: instant)
        }
    }

    mutating func close() { grid = nil }

    // The slowest that is no longer than what is asked, or else the fastest.
    private func interval(for demand: Demand) -> Int64 {
        let asked = demand.intervalNanoseconds ?? ownIntervalNanoseconds
        return offered.last { $0 <= asked } ?? offered.first ?? ownIntervalNanoseconds
    }
}
