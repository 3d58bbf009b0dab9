import Devices
import IIO
import Readings
import Testing

/// An IMU behind an iiod: one device with channels of two kinds, which share its buffer.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SeveralKindsTests {
    private let both: KindSet = [.acceleration, .angularVelocity]

    private func demand(_ milliseconds: Int64, _ kinds: KindSet, latency: Int64 = 0) -> Demand {
        Demand(intervalNanoseconds: milliseconds * 1_000_000, latencyNanoseconds: latency * 1_000_000, kinds: kinds)
    }

    /// The samples of each kind that a device yields, by the numbers of its scans.
    private struct Scans {
        var accelerations: [UInt64: Sample] = [:]
        var turns: [UInt64: Sample] = [:]
        var gaps: [Gap] = []
        var missing: [Kind] = []

        mutating func take(_ events: [DeviceEvent]) {
            for event in events {
                switch event {
                case .sample(let sample) where sample.measurement.kind == .acceleration:
                    #expect(accelerations.updateValue(sample, forKey: sample.sequence) == nil)
                case .sample(let sample): #expect(turns.updateValue(sample, forKey: sample.sequence) == nil)
                case .gap(let gap): gaps.append(gap)
                case .missing(let gap, let quantity):
                    #expect(gap.cause == .reconfigured)
                    missing.append(quantity.kind)
                default: break
                }
            }
        }

        /// Whether each scan has both kinds, with one stamp, and the values that belong to that scan.
        var areWhole: Bool {
            accelerations.keys.sorted() == turns.keys.sorted()
                && accelerations.allSatisfy { number, first in
                    guard let second = turns[number], let one = Acceleration(first.measurement),
                        let two = AngularVelocity(second.measurement)
                    else { return false }
                    return first.timestamp == second.timestamp && one.x == two.y && one.y == two.x && one.z == two.z
                }
        }
    }

    private func scans(_ count: Int, from reader: inout DeviceReader) throws -> Scans {
        var scans = Scans()
        while max(scans.accelerations.count, scans.turns.count) < count {
            if case .at(let due) = reader.device.readiness { Taken.sleep(until: due) }
            try reader.device.read(into: &reader.intake)
            scans.take(reader.intake.events.apart)
            reader.intake.removeAll()
        }
        return scans
    }

    private func adjust(_ reader: inout DeviceReader, to demand: Demand) throws -> (DeviceProfile, Scans) {
        var scans = Scans()
        let profile = try reader.device.adjust(to: demand, &reader.intake)
        scans.take(reader.intake.events.apart)
        reader.intake.removeAll()
        return (profile, scans)
    }

    @Test("the kinds of a scan share its number and its timestamp")
    func share() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel", "--available", "50 100")
        var reader = DeviceReader(try iiod.address)
        #expect(try reader.device.probe().kinds == both)
        let profile = try reader.device.open(demand(10, both))
        #expect(profile.kinds == both)
        #expect(profile.description?.contains("imu, iio:device0") == true)
        #expect(profile.description?.contains("buffered by trigger imu-dev0") == true)
        let taken = try scans(100, from: &reader)
        #expect(taken.areWhole && taken.accelerations.count >= 100 && taken.missing.isEmpty)
    }

    @Test("the configuration states of the whole chip how it is mounted, and both kinds stay in one frame")
    func mounted() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        var options = SensorOptions(address: try iiod.address)
        options.mountMatrix = try MountMatrix(text: "0, 1, 0; 1, 0, 0; 0, 0, 1")
        var reader = DeviceReader(options)
        let profile = try reader.device.open(demand(10, both))
        #expect(profile.description?.hasSuffix(", mount matrix from the configuration") == true)
        let taken = try scans(20, from: &reader)
        // The matrix of a chip whose gyroscope has x and y swapped.
        #expect(taken.areWhole)
        #expect(taken.accelerations.values.allSatisfy { $0.value.x == -$0.value.y && $0.value.z <= 0 })
        #expect(taken.accelerations.values.contains { $0.value.x > 0 })
    }

    @Test("a kind that is requested later costs the other one gap, and none when it is requested again")
    func joins() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        var reader = DeviceReader(try iiod.address)
        #expect(try reader.device.open(demand(10, [.acceleration])).kinds == both)
        let alone = try scans(20, from: &reader)
        #expect(alone.turns.isEmpty && alone.gaps.isEmpty && alone.missing.isEmpty)

        let (profile, change) = try adjust(&reader, to: demand(10, both))
        #expect(profile.kinds == both)
        #expect(change.missing.isEmpty && change.accelerations.isEmpty)
        let shared = try scans(20, from: &reader)
        #expect(shared.areWhole && shared.missing == [.acceleration] && shared.gaps.isEmpty)
        #expect((shared.accelerations.keys.min() ?? 0) == (alone.accelerations.keys.max() ?? 0) + 1)

        for kinds: KindSet in [[.angularVelocity], [.acceleration], both] {
            #expect(try adjust(&reader, to: demand(10, kinds)).1.missing.isEmpty)
            let some = try scans(10, from: &reader)
            #expect(some.missing.isEmpty)
            #expect(some.accelerations.isEmpty == !kinds.contains(.acceleration))
            #expect(some.turns.isEmpty == !kinds.contains(.angularVelocity))
        }
    }

    @Test("a loss of both kinds by a new buffer is reported of each, once")
    func newBuffer() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(demand(10, both))
        _ = try scans(10, from: &reader)
        _ = try adjust(&reader, to: demand(10, both, latency: 100))
        // Restarted before a sample came.
        _ = try adjust(&reader, to: demand(10, both, latency: 50))
        let taken = try scans(20, from: &reader)
        #expect(taken.areWhole && taken.missing == [.acceleration, .angularVelocity] && taken.gaps.isEmpty)
    }

    @Test("if each kind has its own rates, each is set, and the scans are as slow as the slowest")
    func ownRates() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel", "--own-rates", "25 50 100,50 200")
        var reader = DeviceReader(try iiod.address)
        let profile = try reader.device.open(demand(10, both))
        #expect(profile.offered == .discrete([10_000_000, 20_000_000, 40_000_000]))
        #expect(profile.intervalNanoseconds == 10_000_000)
        #expect(try scans(20, from: &reader).areWhole)
        let (slower, _) = try adjust(&reader, to: demand(40, both))
        #expect(slower.intervalNanoseconds == 40_000_000)
        #expect(try scans(20, from: &reader).areWhole)

        reader.device.close()
        let own = try reader.device.open(demand(5, [.angularVelocity]))
        #expect(own.offered == .discrete([5_000_000, 20_000_000]))
    }

    @Test("a device without a buffer is polled for the requested kinds")
    func polled() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel", "--no-buffer")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(demand(20, both))
        let taken = try scans(5, from: &reader)
        #expect(taken.accelerations.keys == taken.turns.keys)
        #expect(taken.accelerations.allSatisfy { taken.turns[$0]?.timestamp == $1.timestamp })
        _ = try adjust(&reader, to: demand(20, [.angularVelocity]))
        #expect(try scans(5, from: &reader).accelerations.isEmpty)
    }

    @Test("a kind that cannot be used does not affect the other, and its fault is reported")
    func flaw() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        try iiod.order("flat anglvel")
        var reader = DeviceReader(try iiod.address)
        let profile = try reader.device.open(demand(10, both))
        #expect(profile.kinds == [.acceleration])
        #expect(profile.description?.contains("the gyroscope of iio:device0") == true)
        #expect(try scans(10, from: &reader).turns.isEmpty)
        let fault = #expect(throws: DeviceFault.self) { _ = try reader.device.open(demand(10, [.angularVelocity])) }
        #expect(fault?.kind == .failed && fault?.description.contains("no usable scale") == true)
        #expect(fault?.remainder?.kinds == [.acceleration])
    }

    @Test("a kind that another driver serves is not driven by a second one")
    func owned() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        var second = IIOSensor(SensorOptions(address: try iiod.address), kind: .angularVelocity)
        let fault = #expect(throws: DeviceFault.self) { _ = try second.open(demand(10, both)) }
        #expect(fault?.kind == .missing)
        #expect(fault?.description.contains("part of the accelerometer's device now: restart sensorbrokerd") == true)
    }

    @Test("a device that returns with fewer kinds reports that, and lacks the others")
    func replaced() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel")
        var reader = DeviceReader(try iiod.address)
        _ = try reader.device.open(demand(10, both))
        _ = try scans(5, from: &reader)
        try iiod.order("types accel")
        try iiod.order("drop")
        #expect(try reader.takeUntilFault().kind == .lost)
        #expect(try reader.device.open(demand(10, both)).kinds == [.acceleration])
        reader.intake.restart()
        #expect(try scans(5, from: &reader).turns.isEmpty)
        let fault = #expect(throws: DeviceFault.self) { _ = try reader.device.open(demand(10, [.angularVelocity])) }
        #expect(fault?.kind == .missing && fault?.description.contains("has no gyroscope") == true)
        #expect(fault?.remainder?.kinds == [.acceleration])
    }
}
