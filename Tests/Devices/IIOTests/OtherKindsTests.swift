import Devices
import IIO
import Readings
import Testing

/// Devices behind an iiod whose channels are not three axes with counts, stamps and a buffer.
@Suite(.serialized, .timeLimit(.minutes(30))) struct OtherKindsTests {
    private func demand(_ milliseconds: Int64, _ kinds: KindSet) -> Demand {
        Demand(intervalNanoseconds: milliseconds * 1_000_000, latencyNanoseconds: 0, kinds: kinds)
    }

    /// Some samples of a device, by kind.
    private func samples(_ count: Int, from device: inout IIOSensor) throws -> [Kind: [Sample]] {
        var intake = Intake()
        var samples: [Kind: [Sample]] = [:]
        while samples.values.map(\.count).max() ?? 0 < count {
            if case .at(let due) = device.readiness { Taken.sleep(until: due) }
            try device.read(into: &intake)
            for case .sample(let sample) in intake.events.apart {
                samples[sample.measurement.kind, default: []].append(sample)
            }
            intake.removeAll()
        }
        return samples
    }

    private func numbers(_ sample: Sample) -> [Double] {
        guard case .values(let values) = sample.measurement else { return [] }
        return values.numbers
    }

    @Test(
        "a kind of one channel is buffered, in its unit",
        arguments: [
            ("temp", Kind.temperature, 0.001), ("pressure", .pressure, 1_000), ("humidityrelative", .humidity, 0.001),
            ("illuminance", .illuminance, 1), ("voltage0", .voltage, 0.001), ("current0", .current, 0.001),
            ("power2", .power, 0.001), ("temp_object", .objectTemperature, 0.001),
            ("temp_ambient", .ambientTemperature, 0.001), ("concentration_co2", .carbonDioxide, 10_000),
            ("massconcentration_pm2p5", .pm2p5, 1),
        ])
    func single(type: String, kind: Kind, factor: Double) throws {
        let iiod = try FakeIIOD("--type", type)
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: kind)
        let profile = try device.open(demand(10, [kind]))
        #expect(profile.kinds == [kind])
        #expect(profile.description?.contains("buffered") == true)
        #expect(profile.description?.contains("mount matrix") == false)
        let taken = try #require(try samples(20, from: &device)[kind])
        for (first, second) in zip(taken, taken.dropFirst()) {
            let step = (numbers(second)[0] - numbers(first)[0]) / factor / DeviceReader.scale
            #expect(abs(step - 1) < 1e-6 || step < 0)
        }
    }

    @Test("an IMU with a thermometer is one device with three kinds, which share each scan")
    func thermometer() throws {
        let iiod = try FakeIIOD("--type", "accel,anglvel,temp", "--hz", "1000")
        var device = IIOSensor(SensorOptions(address: try iiod.address))
        let kinds: KindSet = [.acceleration, .angularVelocity, .temperature]
        #expect(try device.open(demand(1, kinds)).kinds == kinds)
        let taken = try samples(200, from: &device)
        let stamps = kinds.kinds.map { kind in
            (taken[kind] ?? []).map { [$0.timestamp.nanoseconds, Int64($0.sequence)] }
        }
        #expect(stamps[0].count >= 200 && stamps[0] == stamps[1] && stamps[0] == stamps[2])
        let pairs = zip(taken[.acceleration] ?? [], taken[.temperature] ?? [])
        #expect(pairs.allSatisfy { abs(numbers($0)[0] * 0.001 - numbers($1)[0]) < 1e-9 })
    }

    @Test(
        "a magnetometer and its heading, whose name libiio 0.24 does not read to its end, come from one buffer, in µT and degrees",
        arguments: ["rot_from_north_magnetic_tilt_comp", "rot_from_north_magnetic"])
    func compass(type: String) throws {
        let iiod = try FakeIIOD("--type", "magn,\(type)")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .magneticField)
        #expect(try device.open(demand(10, [.magneticField, .heading])).kinds == [.magneticField, .heading])
        let taken = try samples(20, from: &device)
        for (field, heading) in zip(taken[.magneticField] ?? [], taken[.heading] ?? []) {
            #expect(field.timestamp == heading.timestamp && field.sequence == heading.sequence)
            let count = (numbers(field)[0] / 100 / DeviceReader.scale).rounded()
            #expect(abs(numbers(heading)[0] - count.truncatingRemainder(dividingBy: 360)) < 1e-6)
        }
    }

    @Test(
        "a heading alone is the heading, though the driver of HID magnetometers fills scans from the first channel on")
    func headingAlone() throws {
        let iiod = try FakeIIOD("--type", "magn,rot_from_north_magnetic", "--whole")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .magneticField)
        let profile = try device.open(demand(10, [.heading]))
        #expect(profile.description?.contains("magn_3d") == true && profile.description?.contains("buffered") == true)
        let taken = try samples(20, from: &device)
        #expect(Array(taken.keys) == [.heading])
        // The field would come in steps of a hundredth of a degree.
        #expect((taken[.heading] ?? []).allSatisfy { numbers($0)[0] == numbers($0)[0].rounded() })
        let steps = zip(taken[.heading] ?? [], taken[.heading]?.dropFirst() ?? []).map {
            numbers($1)[0] - numbers($0)[0]
        }
        #expect(steps.allSatisfy { $0 == 1 || $0 < -200 })
    }

    @Test("what a driver has processed is asked for, in its unit, beside what is counted")
    func processed() throws {
        let iiod = try FakeIIOD("--type", "pressure,temp", "--processed")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .pressure)
        let profile = try device.open(demand(20, [.pressure, .temperature]))
        #expect(profile.kinds == [.pressure, .temperature])
        #expect(profile.description?.contains("polled (it has no buffer)") == true)
        let taken = try samples(5, from: &device)
        for sample in taken[.pressure] ?? [] {
            let kilopascals = numbers(sample)[0] / 1_000
            #expect(kilopascals.truncatingRemainder(dividingBy: 1) == 0.5)
        }
        #expect(taken[.temperature]?.count == taken[.pressure]?.count)
        #expect((taken[.temperature] ?? []).allSatisfy { (0.0005...1).contains(numbers($0)[0]) })
    }

    @Test("what is in no buffer makes the device be asked as long as it is wanted, and that is reported")
    func mixed() throws {
        let iiod = try FakeIIOD("--type", "accel,temp", "--processed")
        var reader = DeviceReader(try iiod.address)
        let alone = try reader.device.open(demand(10, [.acceleration]))
        #expect(alone.kinds == [.acceleration, .temperature] && alone.description?.contains("buffered") == true)
        let both = try reader.adjust(to: demand(10, [.acceleration, .temperature])).profile
        #expect(both.description?.contains("polled (some requested kinds are in no buffer)") == true)
        let taken = try samples(5, from: &reader.device)
        #expect(taken[.temperature]?.map(\.timestamp) == taken[.acceleration]?.map(\.timestamp))
        let again = try reader.adjust(to: demand(10, [.acceleration])).profile
        #expect(again.description?.contains("buffered") == true)
    }

    @Test("a device without stamps and without a clock has the time of arrival, and is buffered all the same")
    func stampless() throws {
        let iiod = try FakeIIOD("--type", "proximity", "--no-stamp", "--unscaled")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .proximity)
        let profile = try device.open(demand(10, [.proximity]))
        #expect(profile.description?.contains("buffered") == true)
        let taken = try #require(try samples(20, from: &device)[.proximity])
        for (first, second) in zip(taken, taken.dropFirst()) { #expect(first.timestamp < second.timestamp) }
        #expect(
            taken.allSatisfy {
                numbers($0)[0] == (numbers($0)[1] > 0 ? 1 : 0) && numbers($0)[1] == numbers($0)[1].rounded()
            })
    }

    @Test("a quaternion is buffered without the time, which libiio cannot read beside it; either sign is a unit")
    func quaternion() throws {
        let iiod = try FakeIIOD("--type", "rot_quaternion")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .rotation)
        let profile = try device.open(demand(10, [.rotation]))
        #expect(profile.description?.contains("buffered") == true)
        let half = 0.5.squareRoot()
        let taken = try #require(try samples(20, from: &device)[.rotation])
        for (first, second) in zip(taken, taken.dropFirst()) { #expect(first.timestamp < second.timestamp) }
        for sample in taken {
            let sign: Double = numbers(sample)[3] < 0 ? -1 : 1
            #expect(zip(numbers(sample), [0, 0, half, half]).allSatisfy { abs($0 * sign - $1) < 1e-9 })
        }
        #expect(Set(taken.map { numbers($0)[3] < 0 }).count == 2)
    }

    @Test("a quaternion without a buffer is asked for as four numbers")
    func polledQuaternion() throws {
        let iiod = try FakeIIOD("--type", "rot_quaternion", "--no-buffer")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .rotation)
        #expect(try device.open(demand(20, [.rotation])).description?.contains("polled") == true)
        let taken = try #require(try samples(5, from: &device)[.rotation])
        #expect(taken.allSatisfy { abs(abs(numbers($0)[3]) - 0.5.squareRoot()) < 1e-9 })
    }

    @Test("intensity without a unit is no light")
    func intensity() throws {
        let iiod = try FakeIIOD("--type", "illuminance,intensity_both")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .illuminance)
        #expect(try device.open(demand(10, [.illuminance])).kinds == [.illuminance])
        try iiod.order("types intensity_both")
        var other = IIOSensor(SensorOptions(address: try iiod.address), kind: .illuminance)
        let fault = #expect(throws: DeviceFault.self) { _ = try other.open(demand(10, [.illuminance])) }
        #expect(fault?.kind == .missing && fault?.description.contains("in_illuminance") == true)
    }

    @Test("a scale that the driver does not know is the administrator's; without one nothing is invented")
    func unscaled() throws {
        let iiod = try FakeIIOD("--type", "humidityrelative", "--unscaled")
        var options = SensorOptions(address: try iiod.address)
        var device = IIOSensor(options, kind: .humidity)
        let fault = #expect(throws: DeviceFault.self) { _ = try device.open(demand(10, [.humidity])) }
        #expect(fault?.kind == .failed && fault?.description.contains("set [Humidity] Scale=") == true)
        options.scales[Kind.humidity.row.firstResource] = SIMD4(repeating: 0.0625)
        var calibrated = IIOSensor(options, kind: .humidity)
        _ = try calibrated.open(demand(10, [.humidity]))
        let taken = try #require(try samples(20, from: &calibrated)[.humidity])
        #expect(taken.allSatisfy { (numbers($0)[0] / 0.0625).truncatingRemainder(dividingBy: 1) == 0 })
    }

    @Test("light without a scale has the scale 1, as for iio-sensor-proxy, and that is reported")
    func unscaledLight() throws {
        let iiod = try FakeIIOD("--type", "illuminance", "--unscaled")
        var options = SensorOptions(address: try iiod.address)
        var device = IIOSensor(options, kind: .illuminance)
        let profile = try device.open(demand(10, [.illuminance]))
        #expect(profile.description?.contains("without a scale, which counts as 1") == true)
        let counts = try #require(try samples(20, from: &device)[.illuminance]).map { numbers($0)[0] }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 == 1 || $1 < $0 })
        device.close()
        options.scales[Kind.illuminance.row.firstResource] = SIMD4(repeating: 0.5)
        var calibrated = IIOSensor(options, kind: .illuminance)
        #expect(try calibrated.open(demand(10, [.illuminance])).description?.contains("without a scale") == false)
        let taken = try #require(try samples(20, from: &calibrated)[.illuminance])
        #expect(Set(taken.map { numbers($0)[0].truncatingRemainder(dividingBy: 1) }) == [0, 0.5])
    }

    @Test(
        "the inputs of a converter come from one buffer, with one stamp, and only those that are wanted",
        arguments: [false, true])
    func inputs(isPolled: Bool) throws {
        let types = "voltage0,voltage1,voltage0-voltage1,power2,current0"
        let iiod = try FakeIIOD("--type", types, isPolled ? "--no-buffer" : "--hz=100")
        var device = IIOSensor(SensorOptions(address: try iiod.address), kind: .voltage)
        let voltages = (UInt8(0)...2).map { Quantity(.voltage, input: $0) }
        let wanted = KindSet(of: voltages + [Quantity(.power)])
        let profile = try device.open(demand(10, wanted))
        #expect(profile.kinds == KindSet(of: voltages + [Quantity(.current), Quantity(.power)]))
        #expect(profile.inputs == [voltages[0]: "voltage0", voltages[1]: "voltage1", voltages[2]: "voltage0-voltage1"])
        #expect(profile.description?.contains(isPolled ? "polled" : "buffered") == true)
        var intake = Intake()
        var scans: [UInt64: [Quantity: Sample]] = [:]
        while scans.count < 10 {
            if case .at(let due) = device.readiness { Taken.sleep(until: due) }
            try device.read(into: &intake)
            for case .sample(let sample) in intake.events.apart {
                scans[sample.sequence, default: [:]][sample.measurement.quantity] = sample
            }
            intake.removeAll()
        }
        for scan in scans.values {
            #expect(Set(scan.keys) == Set(wanted.quantities) && Set(scan.values.map(\.timestamp)).count == 1)
            // The places of the channels, in thousands.
            let counts = voltages.compactMap { scan[$0] }.map { numbers($0)[0] / 0.001 / DeviceReader.scale }
            #expect(counts.map { Int($0.rounded()) / 1000 } == [0, 1, 2])
        }
        // One input alone is not taken for another.
        let adjusted = try device.adjust(to: demand(10, KindSet(of: [voltages[1]])), &intake)
        #expect(adjusted.kinds == profile.kinds)
        intake.removeAll()
        var alone: [Sample] = []
        while alone.count < 5 {
            if case .at(let due) = device.readiness { Taken.sleep(until: due) }
            try device.read(into: &intake)
            for case .sample(let sample) in intake.events.apart { alone.append(sample) }
            intake.removeAll()
        }
        #expect(alone.allSatisfy { $0.measurement.quantity == voltages[1] && numbers($0)[0] >= DeviceReader.scale })
    }

    @Test("a calibration is for the resource that it names, and for none beside it")
    func calibrated() throws {
        let iiod = try FakeIIOD("--type", "accel,temp")
        var options = SensorOptions(address: try iiod.address)
        options.scales[Kind.temperature.row.firstResource] = SIMD4(repeating: 2)
        options.offsets[Kind.temperature.row.firstResource] = SIMD4(repeating: -5)
        var device = IIOSensor(options)
        _ = try device.open(demand(10, [.acceleration, .temperature]))
        let taken = try samples(20, from: &device)
        for (acceleration, temperature) in zip(taken[.acceleration] ?? [], taken[.temperature] ?? []) {
            #expect(abs(numbers(temperature)[0] - (numbers(acceleration)[0] * 0.002 - 5)) < 1e-9)
        }
    }
}
