import Devices
import Motion
import Readings
import Synchronization

@testable import Mock
@testable import Scenarios

/// The devices of a scenario, played one after the other on a clock of their own, as their threads would read them.
struct PlayedHost {
    /// What a sensor yielded, by milliseconds since the start of the scenario.
    typealias Samples = [Int64: SIMD4<Double>]

    private let scenario: Scenario
    private let start = BootTime(nanoseconds: 500_000_000_000)

    init(_ text: String) throws { scenario = try Scenario(text: text) }

    init(shipped name: String) throws { scenario = try Scenario(name) }

    /// The samples of a resource at a rate; the device is closed while time is within the break.
    func samples(
        of name: String, hertz: Double, milliseconds: Range<Int64>, closed: Range<Int64>? = nil
    ) throws -> Samples {
        guard
            let plan = scenario.plans.first(where: { plan in
                plan.name.description == name || plan.further.contains { $0.name.description == name }
            }), let kind = ResourceName(name).flatMap({ Kind(resource: $0.word) })
        else { throw CancellationError() }
        let time = PlayedTime(start)
        let origin = MockOrigin()
        let clock = MockClock(boot: { time.now }, realtimeNanoseconds: { time.now.nanoseconds })
        // The scenario begins with the first use of any device.
        var first = MockDevice(
            .handHeld(seed: 1), FaultBoard(origin: origin), origin: origin, clock: clock)
        _ = try first.open(Demand(intervalNanoseconds: 1_000_000_000))
        var device = MockDevice(
            plan.script, further: plan.further.map(\.script), FaultBoard(origin: origin), origin: origin,
            clock: clock)
        let demand = Demand(intervalNanoseconds: Int64(1e9 / hertz), kinds: [kind])
        var intake = Intake()
        var isOpen = false
        for millisecond in milliseconds {
            time.move(to: start + millisecond * 1_000_000)
            if closed?.contains(millisecond) ?? false {
                if isOpen { device.close() }
                isOpen = false
                continue
            }
            if !isOpen { _ = try device.open(demand) }
            isOpen = true
            try device.read(into: &intake)
        }
        return intake.events.apart.reduce(into: [:]) { samples, event in
            guard case .sample(let sample) = event, case .values(let values) = sample.measurement else { return }
            samples[(sample.timestamp - start) / 1_000_000] = values.vector
        }
    }
}

private final class PlayedTime: Sendable {
    private let nanoseconds: Mutex<Int64>

    init(_ start: BootTime) { nanoseconds = Mutex(start.nanoseconds) }

    var now: BootTime { nanoseconds.withLock { BootTime(nanoseconds: $0) } }

    func move(to instant: BootTime) { nanoseconds.withLock { $0 = instant.nanoseconds } }
}

extension Vector3 {
    init(_ vector: SIMD4<Double>) { self.init(x: vector.x, y: vector.y, z: vector.z) }
}

extension Quaternion {
    /// What `rotation` yields.
    init(_ vector: SIMD4<Double>) { self.init(w: vector.w, x: vector.x, y: vector.y, z: vector.z) }

    /// The angle between two attitudes, in radians.
    func angle(to other: Self) -> Double {
        let turn = inverse * other
        return 2 * Vector3(x: turn.x, y: turn.y, z: turn.z).length
    }
}
