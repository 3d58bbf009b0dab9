import Devices
import IIO
import Readings
import Testing

/// A driver read as its thread would read it.
struct DeviceReader: ~Copyable {
    static let scale = 0.009806650

    var device: IIOSensor
    var intake = Intake()

    init(_ options: SensorOptions) { device = IIOSensor(options) }

    init(_ address: IIOAddress) { self.init(SensorOptions(address: address)) }

    /// Reads until this many samples have come, or a fault.
    mutating func take(_ count: Int) throws(DeviceFault) -> Taken {
        var taken = Taken()
        while taken.samples.count < count {
            taken += try next()
        }
        return taken
    }

    /// Reads until the driver faults.
    mutating func takeUntilFault() throws -> DeviceFault {
        // Each read waits for a second at most.
        for _ in 0..<2000 {
            do throws(DeviceFault) { _ = try next() } catch { return error }
        }
        Issue.record("no fault came")
        throw CancellationError()
    }

    /// Reads once.
    mutating func next() throws(DeviceFault) -> Taken {
        if case .at(let due) = device.readiness { Taken.sleep(until: due) }
        defer { intake.removeAll() }
        try device.read(into: &intake)
        return Taken(intake.events)
    }

    mutating func adjust(to demand: Demand) throws(DeviceFault) -> (profile: DeviceProfile, taken: Taken) {
        defer { intake.removeAll() }
        let profile = try device.adjust(to: demand, &intake)
        return (profile, Taken(intake.events))
    }
}
