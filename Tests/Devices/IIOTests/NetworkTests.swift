import Devices
import Foundation
import IIO
import Platform
import Readings
import Testing

/// The driver on an iiod with the pace of a real one, and faults on command.
@Suite(.serialized, .timeLimit(.minutes(30))) struct NetworkTests {
    private let hundredHertz = Demand(intervalNanoseconds: 10_000_000)

    @Test("every sample arrives, in order, exact and with its own timestamp")
    func delivers() throws {
        let iiod = try FakeIIOD("--hz", "200", "--available", "0 100 200 50")
        var reader = DeviceReader(try iiod.address)
        let profile = try reader.device.open(hundredHertz)
        #expect(profile.intervalNanoseconds == 10_000_000)
        #expect(profile.offered == .discrete([5_000_000, 10_000_000, 20_000_000]))
        #expect(profile.description?.contains("buffered by trigger chip-dev0") == true)
        #expect(reader.device.readiness == .insideRead)
        let taken = try reader.take(100)
        #expect(taken.isExact && taken.isComplete && taken.gaps.isEmpty)
        let steps = zip(taken.samples.dropFirst(), taken.samples).map { $0.timestamp - $1.timestamp }
        #expect(steps.allSatisfy { $0 > 0 })
        // The sensor's stamps are 10 ms apart; they are moved only by the offset of the clocks, which is being learned.
        #expect(
            steps.sorted()[steps.count / 2] == 10_000_000 || abs(steps.sorted()[steps.count / 2] - 10_000_000) < 10_000)
    }

    @Test("batches are sized by the latency, and nothing in them is lost")
    func batches() throws {
        let iiod = try FakeIIOD("--available", "100 1000")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(Demand(intervalNanoseconds: 1_000_000, latencyNanoseconds: 50_000_000))
        let intake = try reader.take(1)
        #expect(intake.samples.count == 50)
        let more = try reader.take(500)
        #expect(more.isExact && more.isComplete && more.gaps.isEmpty)
    }

    @Test("samples that are lost before the iiod sends them are reported, with their number")
    func lost() throws {
        let iiod = try FakeIIOD()
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        var taken = try reader.take(20)
        try iiod.order("lose 7")
        while taken.gaps.isEmpty, taken.samples.count < 1000 { taken += try reader.take(1) }
        taken += try reader.take(20)
        #expect(taken.gaps.map(\.count) == [7])
        #expect(taken.gaps.map(\.cause) == [.deviceOverflow])
        #expect(taken.isExact && taken.isComplete)
    }

    @Test("the rate is changed while samples flow")
    func liveChange() throws {
        let iiod = try FakeIIOD("--available", "50 100 200")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        _ = try reader.take(20)
        let change = try reader.adjust(to: Demand(intervalNanoseconds: 7_000_000))
        #expect(change.profile.intervalNanoseconds == 5_000_000)
        #expect(change.taken.gaps.isEmpty)
        let taken = try reader.take(50)
        #expect(taken.isExact && taken.isComplete)
        // On a host that stalls, the sensor itself misses samples, which is correctly reported.
        let hasMissed = zip(taken.numbers, taken.numbers.dropFirst()).contains { $1 - $0 != 1 }
        #expect(hasMissed || taken.gaps.allSatisfy { $0.count == nil })
    }

    @Test("another latency needs a new buffer, and a gap up to its first sample reports that")
    func newBuffer() throws {
        let iiod = try FakeIIOD()
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        let last = try #require(reader.take(5).samples.last)
        _ = try reader.adjust(to: Demand(intervalNanoseconds: 10_000_000, latencyNanoseconds: 100_000_000))
        let taken = try reader.take(1)
        #expect(taken.samples.count == 10)
        let hole = BootTime(nanoseconds: taken.samples[0].timestamp.nanoseconds - 1)
        #expect(taken.gaps == [Gap(cause: .reconfigured, count: nil, from: last.timestamp + 1, until: hole)])
    }

    @Test("a slow device is polled, so that it does not look like a dead iiod")
    func slow() throws {
        let iiod = try FakeIIOD("--available", "2 100")
        var reader = DeviceReader(try iiod.address)
        let profile = try reader.device.open(Demand(intervalNanoseconds: 500_000_000))
        #expect(profile.description?.contains("polled (too slow for a buffer over the network)") == true)
        #expect(profile.intervalNanoseconds == 500_000_000)
        #expect(try reader.take(2).samples.count == 2)
        let change = try reader.adjust(to: hundredHertz)
        #expect(change.profile.description?.contains("buffered") == true)
        let taken = try reader.take(10)
        #expect(taken.isExact && taken.isComplete)
    }

    @Test("a device without a buffer is polled at the requested interval")
    func polled() throws {
        let iiod = try FakeIIOD("--no-buffer")
        var reader = DeviceReader(try iiod.address)
        let profile = try reader.device.open(Demand(intervalNanoseconds: 20_000_000))
        #expect(profile.description?.contains("polled (it has no buffer)") == true)
        #expect(profile.intervalNanoseconds == 20_000_000)
        let taken = try reader.take(10)
        // After a stall of the host, two polls are close together and read the same sample.
        #expect(zip(taken.numbers, taken.numbers.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(taken.numbers).count > 1)
        #expect(zip(taken.samples, taken.samples.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
    }

    @Test("the mount matrix rotates the axes, and an unusable one is refused")
    func matrix() throws {
        let turned = try FakeIIOD("--matrix", "0, 1, 0; 0, 0, 1; 1, 0, 0")
        var reader = DeviceReader(try turned.address)
        let profile = try reader.device.open(hundredHertz)
        #expect(profile.description?.hasSuffix("mount matrix from mount_matrix") == true)
        let value = try #require(reader.take(5).samples.last).value
        #expect(value.x == value.z && value.y < 0 && profile.axes == .device)
        var options = SensorOptions(address: try turned.address)
        options.mountMatrix = try MountMatrix(text: "0, 0, 1; 1, 0, 0; 0, 1, 0")
        var other = DeviceReader(options)
        let otherProfile = try other.device.open(hundredHertz)
        #expect(otherProfile.description?.hasSuffix("mount matrix from the configuration") == true)
        let same = try #require(other.take(5).samples.last).value
        #expect(same.y == same.z && same.x < 0)
        options.mountOrigins = [.device, .configuration]
        var reordered = IIOSensor(options)
        #expect(try reordered.probe().description?.hasSuffix("mount matrix from mount_matrix") == true)
        let one = try FakeIIOD("--matrix", "1, 0, 0; 0, 1, 0; 0, 0, 1")
        var unsaid = DeviceReader(try one.address)
        let unsaidProfile = try unsaid.device.open(hundredHertz)
        #expect(unsaidProfile.axes == .chip && unsaidProfile.description?.hasSuffix("no mount matrix") == true)
        #expect(try unsaid.take(5).isExact)
        let broken = try FakeIIOD("--matrix", "0, 0, 0; 0, 1, 0; 0, 0, 1")
        // A configured matrix is the remedy.
        options = SensorOptions(address: try broken.address)
        options.mountMatrix = .identity
        var cured = IIOSensor(options)
        _ = try cured.open(Demand(intervalNanoseconds: nil))
        cured.close()
        var device = IIOSensor(SensorOptions(address: try broken.address))
        let fault = #expect(throws: DeviceFault.self) { _ = try device.open(Demand(intervalNanoseconds: nil)) }
        #expect(fault?.kind == .failed)
        #expect(fault?.description.contains("has the length 0") == true)
    }

    @Test(
        "every failure is a fault, and reopening works",
        arguments: [
            ("stall", "resume"), ("drop", "ok"), ("cut", "ok"), ("mute", "talk"), ("unplug", "plug"), ("fail 5", "ok"),
        ])
    func breaks(fault: String, cure: String) throws {
        let iiod = try FakeIIOD()
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        #expect(try reader.take(20).isComplete)
        try iiod.order(fault)
        let reported = try reader.takeUntilFault()
        #expect(reported.kind == (fault == "fail 5" ? .failed : .lost))
        #expect(reported.description.contains("iio:device0"))
        reader.device.close()
        try iiod.order(cure)
        reader.intake.restart()
        _ = try reader.device.open(hundredHertz)
        let taken = try reader.take(20)
        #expect(taken.isExact && taken.isComplete)
    }

    @Test("a silence of a second costs nothing but itself")
    func stallsForShort() throws {
        let iiod = try FakeIIOD()
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        var taken = try reader.take(20)
        try iiod.order("stall")
        let end = Clock.bootNanoseconds() + 1_200_000_000
        while Clock.bootNanoseconds() < end { taken += try reader.next() }
        try iiod.order("resume")
        taken += try reader.take(20)
        #expect(taken.isExact && taken.samples.count >= 40)
        let isWhole = zip(taken.numbers, taken.numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
        #expect(isWhole, "opening again has lost none")
    }

    @Test("a buffer that has delivered is opened again however often it is silent, and its silence is never polled")
    func stallsForLong() throws {
        let iiod = try FakeIIOD()
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        _ = try reader.take(20)
        try iiod.order("stall")
        #expect(try reader.takeUntilFault().kind == .lost)
        for _ in 1...2 {
            let profile = try reader.device.open(hundredHertz)
            #expect(profile.description?.contains("buffered") == true)
            let fault = #expect(throws: DeviceFault.self) { _ = try reader.take(1) }
            #expect(fault?.kind == .lost)
        }
        try iiod.order("resume")
        reader.intake.restart()
        let profile = try reader.device.open(hundredHertz)
        #expect(profile.description?.contains("buffered") == true)
        let taken = try reader.take(20)
        #expect(taken.isExact && taken.isComplete)
    }

    @Test("a buffer that has never delivered is replaced by polling once, and tried again at the next opening")
    func silentFromTheStart() throws {
        let iiod = try FakeIIOD()
        try iiod.order("stall")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        #expect(try reader.takeUntilFault().kind == .lost)
        let polled = try reader.device.open(hundredHertz)
        #expect(polled.description?.contains("polled (its buffer delivered nothing)") == true)
        #expect(try reader.take(3).samples.count == 3)
        let again = try reader.device.open(hundredHertz)
        #expect(again.description?.contains("buffered") == true)
    }

    @Test("a connection that ends before the first sample is not held against the buffer")
    func droppedAtOnce() throws {
        let iiod = try FakeIIOD()
        try iiod.order("stall")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        try iiod.order("drop")
        #expect(try reader.takeUntilFault().kind == .lost)
        let profile = try reader.device.open(hundredHertz)
        #expect(profile.description?.contains("buffered") == true)
    }

    @Test("a failed opening does not delay the next attempt with the buffer")
    func silentThenRefused() throws {
        let iiod = try FakeIIOD()
        try iiod.order("stall")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        #expect(try reader.takeUntilFault().kind == .lost)
        try iiod.order("fail 5")
        #expect(throws: DeviceFault.self) { _ = try reader.device.open(hundredHertz) }
        try iiod.order("ok")
        let profile = try reader.device.open(hundredHertz)
        #expect(profile.description?.contains("buffered") == true)
    }

    @Test("after an answer that came too late, no value is matched with the previous question")
    func neverOffByOne() throws {
        let iiod = try FakeIIOD("--no-buffer")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(Demand(intervalNanoseconds: 20_000_000))
        _ = try reader.take(3)
        try iiod.order("late")
        let fault = try reader.takeUntilFault()
        #expect(fault.kind == .lost)
        try iiod.order("now")
        reader.device.close()
        _ = try reader.device.open(Demand(intervalNanoseconds: 20_000_000))
        let taken = try reader.take(10)
        // x and y would be swapped, or z would be the scale.
        #expect(taken.samples.allSatisfy { $0.value.x >= 0 && $0.value.y <= 0 && $0.value.z >= $0.value.x })
    }

    @Test("a device that refuses another rate while it runs is stopped for it, and the gap is reported")
    func stubborn() throws {
        let iiod = try FakeIIOD("--stubborn", "--available", "50 100")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(hundredHertz)
        _ = try reader.take(5)
        let change = try reader.adjust(to: Demand(intervalNanoseconds: 20_000_000))
        #expect(change.profile.intervalNanoseconds == 20_000_000)
        let taken = try reader.take(20)
        #expect(taken.gaps.map(\.cause) == [.reconfigured])
        #expect(taken.isExact && taken.isComplete)
    }

    @Test("a sample that could not be read is reported, several in succession are a fault")
    func misses() throws {
        let iiod = try FakeIIOD("--no-buffer")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(Demand(intervalNanoseconds: 20_000_000))
        var taken = try reader.take(3)
        try iiod.order("skip 1")
        taken += try reader.take(3)
        #expect(taken.gaps.map(\.cause) == [.deviceLost])
        #expect(taken.gaps.map(\.count) == [1])
        #expect(taken.samples.map(\.sequence) == [0, 1, 2, 4, 5, 6])
        try iiod.order("skip 30")
        #expect(try reader.takeUntilFault().kind == .failed)
    }

    @Test("a first sample that could not be read is a gap that ends before the next")
    func firstMissed() throws {
        let iiod = try FakeIIOD("--no-buffer")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(Demand(intervalNanoseconds: 20_000_000))
        try iiod.order("skip 1")
        let taken = try reader.take(2)
        let gap = try #require(taken.gaps.first)
        #expect(gap.count == 1)
        #expect(gap.from <= gap.until && gap.until < taken.samples[0].timestamp)
    }

    @Test("an iiod that does not listen is a missing device, with a remedy")
    func missing() throws {
        var device = IIOSensor(SensorOptions(address: try #require(IIOAddress("ip:127.0.0.1:1"))))
        let fault = #expect(throws: DeviceFault.self) { _ = try device.probe() }
        #expect(fault?.kind == .missing)
        #expect(fault?.description == "nobody listens at ip:127.0.0.1:1: start iiod there")
    }

    @Test("probing changes nothing and starts nothing")
    func probes() throws {
        let iiod = try FakeIIOD("--hz", "50", "--available", "50 100")
        var device = IIOSensor(SensorOptions(address: try iiod.address))
        let profile = try device.probe()
        #expect(profile.intervalNanoseconds == 20_000_000)
        #expect(profile.offered == .discrete([10_000_000, 20_000_000]))
        #expect(!profile.simulated)
    }
}
