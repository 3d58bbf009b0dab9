import Devices
import Platform
import Readings
import Synchronization

/// A driver that does what a test orders, and records what was done to it.
struct ScriptedDriver: DeviceDriver, ~Copyable {
    /// The test's control of the driver.
    final class Script: Sendable {
        struct State {
            var calls: [String] = []
            var pending = 0
            var isMissing = false
            /// The samples that it measures at once.
            var scan: [Measurement] = [.values(Acceleration(x: 0, y: 0, z: 9.8))]
            var readFault: DeviceFault?
            var isStuck = false
        }

        let state = Mutex(State())
        let event: WakeEvent
        /// Readable once a read is stuck.
        let stuck: WakeEvent

        init() throws {
            event = try WakeEvent()
            stuck = try WakeEvent()
        }

        var calls: [String] { state.withLock { $0.calls } }

        /// Lets the next read give this many samples, and then fail.
        func arrive(_ count: Int, then fault: DeviceFault? = nil) {
            state.withLock {
                $0.pending += count
                $0.readFault = fault
            }
            event.signal()
        }

        /// Measures this from now on.
        func measure(_ scan: [Measurement]) { state.withLock { $0.scan = scan } }

        func setMissing(_ missing: Bool) { state.withLock { $0.isMissing = missing } }

        /// Keeps the next read from returning.
        func stick() {
            state.withLock { $0.isStuck = true }
            event.signal()
        }
    }

    enum Style: Sendable { case descriptor, insideRead, at }

    let script: Script
    let style: Style

    static let missing = DeviceFault(.missing, "no such device")

    private func call(_ name: String) throws(DeviceFault) {
        let isMissing = script.state.withLock {
            $0.calls.append(name)
            return $0.isMissing
        }
        if isMissing { throw Self.missing }
    }

    private func profile(_ demand: Demand?) -> DeviceProfile {
        DeviceProfile(
            offered: .discrete([1_000_000]), intervalNanoseconds: demand?.intervalNanoseconds, description: "script",
            simulated: true)
    }

    mutating func probe() throws(DeviceFault) -> DeviceProfile {
        try call("probe")
        return profile(nil)
    }

    mutating func open(_ demand: Demand) throws(DeviceFault) -> DeviceProfile {
        try call("open")
        return profile(demand)
    }

    mutating func adjust(to demand: Demand, _ intake: inout Intake) throws(DeviceFault) -> DeviceProfile {
        try call("adjust")
        return profile(demand)
    }

    var readiness: Readiness {
        switch style {
        case .descriptor: .descriptor(script.event.descriptor, orAt: nil)
        case .insideRead: .insideRead
        case .at: .at(BootTime(nanoseconds: Clock.bootNanoseconds() + 1_000_000))
        }
    }

    mutating func read(into intake: inout Intake) throws(DeviceFault) {
        if style == .insideRead { _ = Wait.untilReadable(script.event.descriptor, nanoseconds: 5_000_000) }
        script.event.clear()
        let (count, fault, isStuck, scan) = script.state.withLock {
            let result = ($0.pending, $0.readFault, $0.isStuck, $0.scan)
            ($0.pending, $0.readFault) = (0, nil)
            return result
        }
        if isStuck {
            script.stuck.signal()
            while true { _ = Wait.untilReadable(-1, nanoseconds: nil) }
        }
        for _ in 0..<count { intake.append(scan: scan, at: BootTime(nanoseconds: Clock.bootNanoseconds())) }
        if let fault { throw fault }
    }

    mutating func close() { script.state.withLock { $0.calls.append("close") } }
}
