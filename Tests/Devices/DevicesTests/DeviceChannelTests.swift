import Glibc
import Platform
import Readings
import Testing

@testable import Devices

@Suite struct DeviceChannelTests {
    private static func isReadable(_ descriptor: Int32) -> Bool {
        Wait.untilReadable(descriptor, nanoseconds: 0).first
    }

    @Test("what was sent arrives in order, once")
    func order() throws {
        let channel = try DeviceChannel()
        var intake = Intake()
        for number: Int64 in 0..<3 {
            intake.append(.values(Acceleration(x: 0, y: 0, z: 9.8)), at: BootTime(nanoseconds: number))
        }
        let samples = intake.events
        channel.send(.opened)
        channel.send(&intake)
        channel.send(.state(.active))
        #expect(intake.events.isEmpty)
        #expect(intake.nextSequence == 3)
        var events: [DeviceEvent] = [.opened]
        channel.take(into: &events)
        #expect(events == [.opened] + samples + [.state(.active)])
        channel.take(into: &events)
        #expect(events.isEmpty)
    }

    @Test("the loop is woken once per emptying")
    func oneWake() throws {
        let channel = try DeviceChannel()
        #expect(!Self.isReadable(channel.wakeDescriptor))
        channel.send(.opened)
        #expect(Self.isReadable(channel.wakeDescriptor))
        // Clears the wake-up without emptying the queue: no further event may wake the loop while one waits.
        clear(channel.wakeDescriptor)
        channel.send(.state(.starting))
        #expect(!Self.isReadable(channel.wakeDescriptor))
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        channel.send(.state(.active))
        #expect(Self.isReadable(channel.wakeDescriptor))
        channel.take(into: &events)
        #expect(!Self.isReadable(channel.wakeDescriptor))
    }

    @Test("a channel for a sender on the loop's own thread sets its flag, and wakes nobody")
    func noWake() throws {
        let flag = LoopFlag()
        let channel = try DeviceChannel(flag: flag)
        #expect(!channel.hasEvents && !flag.isSet)
        channel.send(.opened)
        #expect(flag.take() && !flag.isSet)
        #expect(channel.hasEvents && !Self.isReadable(channel.wakeDescriptor))
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        #expect(events.count == 1 && !channel.hasEvents)
    }

    @Test("the flag of one of several senders sets that of all, and each keeps its own")
    func flagOfAll() {
        let all = LoopFlag()
        let (one, other) = (LoopFlag(among: all), LoopFlag(among: all))
        one.set()
        #expect(all.take() && !other.take() && one.take())
        #expect(!all.isSet && !one.isSet)
        other.set()
        #expect(all.isSet && !one.isSet && other.take())
    }

    private static func sample(_ x: Double, _ number: UInt64 = 0) -> DeviceEvent {
        .sample(
            Sample(
                sequence: number, timestamp: BootTime(nanoseconds: Int64(number)),
                measurement: .values(Acceleration(x: x, y: 0, z: 9.8))))
    }

    private static func isSmall(_ measurement: Measurement) -> Bool {
        Acceleration(measurement).map { $0.x < 1 } ?? false
    }

    @Test("a flag is set when a sample waits, and not when the loop is woken")
    func flag() throws {
        let (channel, flag) = (try DeviceChannel(), LoopFlag())
        channel.setIndifference(Self.isSmall, flag: flag)
        #expect(!flag.isSet)
        channel.send(Self.sample(2))
        #expect(!flag.isSet)
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        channel.send(Self.sample(0))
        #expect(flag.take() && channel.newestQuiet != nil)
        channel.send(Self.sample(0))
        #expect(flag.isSet, "each sample that waits sets it")
    }

    @Test("samples that the loop need not be woken for wait for what it is woken for, in order")
    func quiet() throws {
        let channel = try DeviceChannel()
        channel.setIndifference(Self.isSmall)
        channel.send(Self.sample(0))
        #expect(channel.newestQuiet != nil && !Self.isReadable(channel.wakeDescriptor))
        channel.send(Self.sample(2))
        #expect(Self.isReadable(channel.wakeDescriptor))
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        #expect(events == [Self.sample(0), Self.sample(2)])
        #expect(channel.newestQuiet == nil && !Self.isReadable(channel.wakeDescriptor))
        channel.send(Self.sample(0))
        channel.send(.state(.warm))
        #expect(Self.isReadable(channel.wakeDescriptor), "only samples wait")
        channel.take(into: &events)
        #expect(events == [Self.sample(0), .state(.warm)])
    }

    @Test("what is taken in place of the loop wakes nobody; for the rest the loop is woken")
    func standIn() throws {
        final class Loop: Sendable {
            let sleeps = Locked(true)
            let taken = Locked<[DeviceEvent]>([])
        }
        let (channel, loop) = (try DeviceChannel(), Loop())
        channel.setStandIn { [unowned channel] in
            guard loop.sleeps.withLock({ $0 }) else { return false }
            loop.taken.withLock { channel.take(into: &$0, isSignalled: false) }
            return true
        }
        channel.send(Self.sample(2))
        #expect(loop.taken.withLock { $0 } == [Self.sample(2)] && !Self.isReadable(channel.wakeDescriptor))
        channel.setIndifference(Self.isSmall)
        channel.send(Self.sample(0))
        #expect(loop.taken.withLock { $0 } == [Self.sample(2)], "nothing follows from the second one")
        loop.sleeps.withLock { $0 = false }
        channel.send(.state(.active))
        #expect(Self.isReadable(channel.wakeDescriptor))
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        #expect(events == [Self.sample(0), .state(.active)] && !Self.isReadable(channel.wakeDescriptor))
    }

    @Test("what came before the loop learned of more that matters is judged again")
    func judgedAgain() throws {
        let channel = try DeviceChannel()
        channel.setIndifference(Self.isSmall)
        channel.send(Self.sample(0))
        channel.setIndifference { _ in false }
        #expect(Self.isReadable(channel.wakeDescriptor))
        var events: [DeviceEvent] = []
        channel.take(into: &events)
        channel.setIndifference(Self.isSmall)
        channel.send(Self.sample(0))
        channel.setIndifference(nil)
        #expect(Self.isReadable(channel.wakeDescriptor))
    }

    @Test("however little follows from samples, the loop takes them now and then")
    func manyQuiet() throws {
        let channel = try DeviceChannel()
        channel.setIndifference(Self.isSmall)
        for number: UInt64 in 0..<64 { channel.send(Self.sample(0, number)) }
        #expect(!Self.isReadable(channel.wakeDescriptor))
        channel.send(Self.sample(0, 64))
        #expect(Self.isReadable(channel.wakeDescriptor))
    }

    @Test("the samples of a run are judged one by one; a long one wakes the loop in any case", arguments: [2, 65])
    func run(count: Int) throws {
        let channel = try DeviceChannel()
        channel.setIndifference(Self.isSmall)
        let times = (0..<count).map { BootTime(nanoseconds: Int64($0)) }
        var numbers = [Double](repeating: 0, count: 3 * count)
        channel.send(.run(SampleRun(of: .acceleration, at: times, numbers: numbers)))
        #expect(Self.isReadable(channel.wakeDescriptor) == (count > 64))
        numbers[3] = 2
        channel.send(.run(SampleRun(of: .acceleration, at: times, numbers: numbers)))
        #expect(Self.isReadable(channel.wakeDescriptor))
    }

    @Test("an empty intake does not wake the loop")
    func emptyIntake() throws {
        let channel = try DeviceChannel()
        var intake = Intake()
        channel.send(&intake)
        #expect(!Self.isReadable(channel.wakeDescriptor))
    }

    @Test("commands reach the thread; a probe request once; an unchanged demand wakes nobody")
    func commands() throws {
        let channel = try DeviceChannel()
        let demand = Demand(intervalNanoseconds: 5)
        channel.setDemand(demand)
        channel.request(.probe)
        #expect(Self.isReadable(channel.commandDescriptor))
        let commands = try #require(channel.takeNewCommands(isSignalled: true))
        #expect(commands.demand == demand)
        #expect(commands.requests.contains(.probe) && !commands.requests.contains(.stop))
        channel.setDemand(demand)
        #expect(!Self.isReadable(channel.commandDescriptor))
        #expect(channel.takeNewCommands(isSignalled: true) == nil)
        channel.setReleased(true)
        channel.request(.stop)
        let last = try #require(channel.takeNewCommands(isSignalled: true))
        #expect(last.isReleased && last.requests == .stop)
        #expect(channel.commands.demand == demand)
    }

    @Test("waiting for the end is bounded")
    func waitsForTheEnd() throws {
        let channel = try DeviceChannel()
        #expect(!channel.waitUntilStopped(nanoseconds: 1_000_000))
        channel.markStopped()
        #expect(channel.waitUntilStopped(nanoseconds: 0))
        #expect(channel.waitUntilStopped(nanoseconds: 10_000_000_000))
    }

    @Test("a thread that sends and a loop that takes lose nothing and double nothing")
    func twoThreads() throws {
        let channel = try DeviceChannel(capacity: 256)
        try Thread.start(name: "sender") {
            var intake = Intake()
            for number: Int64 in 0..<20_000 {
                intake.append(.values(Acceleration(x: 0, y: 0, z: 9.8)), at: BootTime(nanoseconds: number))
                channel.send(&intake)
            }
            channel.send(.state(.idle))
        }
        var expected: UInt64 = 0
        var events: [DeviceEvent] = []
        while events.last != .state(.idle) {
            try #require(Wait.untilReadable(channel.wakeDescriptor, nanoseconds: 30_000_000_000).first)
            channel.take(into: &events)
            for event in events {
                switch event {
                case .sample(let sample):
                    #expect(sample.sequence == expected)
                    expected = sample.sequence + 1
                case .gap(let gap): expected += UInt64(gap.count ?? 0)
                default: break
                }
            }
        }
        #expect(expected == 20_000)
    }

    private func clear(_ descriptor: Int32) {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }

    @Test("the time for which the thread has been busy is known, and is nil while it waits")
    func working() throws {
        let channel = try DeviceChannel()
        #expect(channel.workingNanoseconds == nil)
        channel.work()
        _ = Wait.untilReadable(-1, nanoseconds: 20_000_000)
        let long = try #require(channel.workingNanoseconds)
        #expect(long >= 20_000_000)
        channel.rest()
        #expect(channel.workingNanoseconds == nil)
    }
}
