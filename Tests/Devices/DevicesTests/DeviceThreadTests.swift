import Devices
import Platform
import Readings
import Testing

@Suite struct DeviceThreadTests {
    /// A device thread with a scripted driver, and its events so far.
    private struct Rig {
        let script: ScriptedDriver.Script
        let channel: DeviceChannel
        var seen: [DeviceEvent] = []
        private var unread: [DeviceEvent] = []

        static let patience: Int64 = 300_000_000_000
        static let demand = Demand(intervalNanoseconds: 10_000_000)

        init(
            _ style: ScriptedDriver.Style = .descriptor, isMissing: Bool = false,
            warmGraceNanoseconds: Int64 = patience * 10
        ) throws {
            let script = try ScriptedDriver.Script()
            script.setMissing(isMissing)
            self.script = script
            channel = try DeviceChannel()
            try DeviceThread.start(
                name: "scripted", channel: channel, seed: 1, warmGraceNanoseconds: warmGraceNanoseconds
            ) { ScriptedDriver(script: script, style: style) }
        }

        /// Waits for the next event that matches, and records all events before it.
        mutating func wait(for isFitting: (DeviceEvent) -> Bool) throws {
            while true {
                while !unread.isEmpty {
                    let event = unread.removeFirst()
                    seen.append(event)
                    if isFitting(event) { return }
                }
                try #require(Wait.untilReadable(channel.wakeDescriptor, nanoseconds: Self.patience).first)
                channel.take(into: &unread)
            }
        }

        mutating func wait(for state: ResourceState) throws { try wait { $0 == .state(state) } }

        func stop() {
            channel.request(.stop)
            #expect(channel.waitUntilStopped(nanoseconds: Self.patience))
        }
    }

    private static func isSample(_ event: DeviceEvent) -> Bool { if case .sample = event { true } else { false } }

    @Test("it probes, opens on demand, delivers, and closes at the end")
    func life() throws {
        var rig = try Rig()
        try rig.wait(for: .idle)
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(2)
        try rig.wait(for: .active)
        try rig.wait(for: Self.isSample)
        try rig.wait(for: Self.isSample)
        rig.stop()
        #expect(rig.script.calls == ["probe", "open", "close"])
        #expect(rig.channel.counters.opens == 1)
        #expect(rig.channel.counters.samples == 2)
        try rig.wait(for: .idle)
        let states = rig.seen.compactMap { if case .state(let state) = $0 { state.name } else { nil } }
        // A host that was busy for five seconds reports that nothing came.
        #expect(states.filter { $0 != "stale" } == ["idle", "starting", "active", "idle"])
    }

    @Test("a scan of several kinds counts once, and makes the device active even if one value is impossible")
    func scans() throws {
        var rig = try Rig()
        let acceleration = Measurement.values(Acceleration(x: 0, y: 0, z: 9.8))
        rig.script.measure([acceleration, .values(AngularVelocity(x: 0, y: 0, z: 1))])
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(3)
        for _ in 0..<6 { try rig.wait(for: Self.isSample) }
        rig.script.measure([acceleration, .values(AngularVelocity(x: 0, y: 0, z: .nan))])
        rig.script.arrive(2)
        for _ in 0..<2 { try rig.wait(for: Self.isSample) }
        rig.stop()
        #expect(rig.channel.counters.samples == 5)
        #expect(rig.channel.counters.refusedValues == 2)
        #expect(rig.seen.contains(.state(.active)))
    }

    @Test("every kind of readiness delivers", arguments: [ScriptedDriver.Style.descriptor, .insideRead, .at])
    func readiness(style: ScriptedDriver.Style) throws {
        var rig = try Rig(style)
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(1)
        try rig.wait(for: Self.isSample)
        rig.stop()
        #expect(rig.script.calls.last == "close")
    }

    @Test("a missing device is reported, and found when it appears")
    func comesLater() throws {
        var rig = try Rig(isMissing: true)
        try rig.wait(for: .unavailable(reason: "no such device"))
        rig.channel.setDemand(Rig.demand)
        rig.script.setMissing(false)
        try rig.wait { $0 == .opened }
        rig.script.arrive(1)
        try rig.wait(for: .active)
        rig.stop()
    }

    @Test("samples before a fault arrive before it; the device is closed, reopened and counted from 0")
    func faultMidRead() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(3, then: DeviceFault(.lost, "unplugged"))
        for _ in 0..<3 { try rig.wait(for: Self.isSample) }
        try rig.wait(for: .unavailable(reason: "unplugged"))
        try rig.wait { $0 == .opened }
        rig.script.arrive(1)
        try rig.wait(for: Self.isSample)
        guard case .sample(let sample) = rig.seen.last else { return }
        #expect(sample.sequence == 0)
        rig.stop()
        #expect(rig.script.calls.filter { $0 != "probe" } == ["open", "close", "open", "close"])
        #expect(rig.channel.counters.faults == 1)
        #expect(rig.channel.counters.lastFault?.description == "unplugged")
    }

    @Test("a new demand adjusts the device, no demand keeps it warm, and a further one reuses it")
    func adjustsAndReuses() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(1)
        try rig.wait(for: .active)
        rig.channel.setDemand(Demand(intervalNanoseconds: 20_000_000))
        try rig.wait {
            if case .profile(let profile) = $0 { profile.intervalNanoseconds == 20_000_000 } else { false }
        }
        rig.channel.setDemand(nil)
        try rig.wait(for: .warm)
        rig.channel.setDemand(Demand(intervalNanoseconds: 20_000_000))
        try rig.wait(for: .active)
        rig.stop()
        #expect(rig.script.calls.filter { $0 != "probe" } == ["open", "adjust", "close"])
        #expect(rig.channel.counters.reuses == 1)
    }

    @Test("without demand and grace it is closed and idle, without having been stopped")
    func closes() throws {
        var rig = try Rig(warmGraceNanoseconds: 0)
        try rig.wait(for: .idle)
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.channel.setDemand(nil)
        try rig.wait(for: .idle)
        rig.stop()
        #expect(rig.script.calls == ["probe", "open", "close"])
    }

    @Test("release closes it, reacquiring opens it again")
    func releases() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.channel.setReleased(true)
        try rig.wait(for: .released)
        rig.channel.setReleased(false)
        try rig.wait { $0 == .opened }
        rig.stop()
        #expect(rig.script.calls.filter { $0 != "probe" } == ["open", "close", "open", "close"])
    }

    @Test("a device is reported as released when it is closed, and not before")
    func releasedWhenClosed() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        for round in 1...20 {
            try rig.wait { $0 == .opened }
            #expect(!rig.channel.isLetGo)
            rig.channel.setReleased(true)
            try rig.wait(for: .released)
            #expect(rig.script.calls.filter { $0 == "close" }.count == round)
            while !rig.channel.isLetGo {
                try #require(Wait.untilReadable(rig.channel.wakeDescriptor, nanoseconds: Rig.patience).first)
                var none: [DeviceEvent] = []
                rig.channel.take(into: &none)
            }
            rig.channel.setReleased(false)
            #expect(!rig.channel.isLetGo)
        }
        rig.stop()
    }

    @Test("a device that is reacquired and released again at once is reported when it is closed")
    func releasedAgain() throws {
        let rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        for _ in 0..<200 {
            rig.channel.setReleased(true)
            while !rig.channel.isLetGo {
                try #require(Wait.untilReadable(rig.channel.wakeDescriptor, nanoseconds: Rig.patience).first)
                var none: [DeviceEvent] = []
                rig.channel.take(into: &none)
            }
            let calls = rig.script.calls
            #expect(calls.filter { $0 == "open" }.count == calls.filter { $0 == "close" }.count)
            rig.channel.setReleased(false)
        }
        rig.stop()
    }

    @Test(
        "the driver is replaced on request: the former is closed first, and the loop is notified before the next is opened"
    )
    func remakes() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.arrive(1)
        try rig.wait(for: .active)
        rig.channel.request(.remake)
        try rig.wait { $0 == .replaced }
        try rig.wait(for: .starting)
        try rig.wait { $0 == .opened }
        rig.stop()
        #expect(rig.script.calls.filter { $0 != "probe" } == ["open", "close", "open", "close"])
        #expect(rig.channel.counters.faults == 0)
    }

    @Test("a warm device is evicted, and its grace changed, through the channel")
    func evicts() throws {
        var rig = try Rig()
        for _ in 0..<3 {
            rig.channel.setDemand(Rig.demand)
            try rig.wait { $0 == .opened }
            rig.channel.setDemand(nil)
            try rig.wait(for: .warm)
            rig.channel.request(.evict)
            try rig.wait(for: .idle)
        }
        #expect(rig.channel.counters.evictions == 3)
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.channel.setDemand(nil)
        try rig.wait(for: .warm)
        rig.channel.setWarmGrace(nanoseconds: 0)
        try rig.wait(for: .idle)
        rig.stop()
        #expect(rig.channel.counters.evictions == 3)
    }

    @Test("a thread that hangs in its driver blocks nobody")
    func hangs() throws {
        var rig = try Rig()
        rig.channel.setDemand(Rig.demand)
        try rig.wait { $0 == .opened }
        rig.script.stick()
        try #require(Wait.untilReadable(rig.script.stuck.descriptor, nanoseconds: Rig.patience).first)
        #expect(rig.channel.workingNanoseconds != nil)
        rig.channel.request(.stop)
        #expect(!rig.channel.waitUntilStopped(nanoseconds: 50_000_000))
        #expect(rig.channel.counters.opens == 1)
        #expect((rig.channel.workingNanoseconds ?? 0) >= 50_000_000)
    }
}
