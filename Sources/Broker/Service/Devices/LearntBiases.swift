internal import Delivery
internal import Motion
internal import Platform
internal import Readings

/// The biases that filters have learnt of gyroscopes, by what identifies their devices: as they were when this process
/// began, and as they are stored.
final class LearntBiases {
    private let journal: Journal
    private var store: CalibrationStore?
    /// Filters begin with these, which do not change under them.
    private var former: [StoredCalibration.Sensor: SensorCalibration] = [:]
    private var stored: [StoredCalibration.Sensor: StoredCalibration] = [:]
    private var storedAt: [StoredCalibration.Sensor: BootTime] = [:]

    /// How many gyroscopes a host may have had.
    private static let most = 256
    /// One is not stored again within that time, but when the process ends.
    private static let leastNanoseconds: Int64 = 300_000_000_000
    /// One that has not changed is stored again after that, since what is old is less certain.
    private static let oldestSeconds: Int64 = 86_400
    /// What is less certain is better learnt anew.
    private static let mostError = 0.3 * .pi / 180

    init(_ journal: Journal) { self.journal = journal }

    func begin(in store: @escaping CalibrationStore) { self.store = store }

    func add(_ bias: StoredCalibration) throws(CalibrationFault) {
        guard stored.count < Self.most else { throw CalibrationFault("there are \(Self.most) already") }
        stored[bias.sensor] = bias
        former[bias.sensor] = bias.calibration
    }

    var all: [StoredCalibration] { Array(stored.values) }

    /// What was learnt of a sensor in another process.
    func former(of sensor: StoredCalibration.Sensor) -> SensorCalibration? { former[sensor] }

    /// Stores a bias that was learnt of a gyroscope, if that is worth it; `isLast`: this process ends.
    func learn(_ bias: Motion.GyroscopeBias, of resource: OwnedResource, now: BootTime, isLast: Bool) {
        let seconds = Clock.realtimeNanoseconds() / 1_000_000_000
        guard let store, let sensor = resource.sensor,
            let calibration = SensorCalibration(
                offset: bias.value, error: bias.uncertainty, utcSeconds: max(0, seconds),
                celsius: resource.celsius(now)),
            let new = StoredCalibration(sensor, calibration, isLearnt: true), isWorthIt(new, now: now, isLast: isLast)
        else { return }
        let old = stored.updateValue(new, forKey: sensor)
        storedAt[sensor] = now
        store(CalibrationFile.Change(name: new.fileName, text: new.text)) { [self] fault, _ in
            guard let fault else { return }
            journal.write(.warning, "the bias of \(resource.name) is not stored: \(fault)")
            // It is worth it the next time.
            if stored[sensor] == new { stored[sensor] = old }
        }
    }

    /// Whether one is certain, and has changed by more than its error.
    private func isWorthIt(_ new: StoredCalibration, now: BootTime, isLast: Bool) -> Bool {
        guard new.calibration.error <= Self.mostError else { return false }
        guard let old = stored[new.sensor]?.calibration else { return stored.count < Self.most }
        if !isLast, let at = storedAt[new.sensor], now - at < Self.leastNanoseconds { return false }
        let error = max(old.error, new.calibration.error)
        return !(new.calibration.offset - old.offset).isWithin(error)
            || new.calibration.utcSeconds - old.utcSeconds > Self.oldestSeconds
    }

    /// Whether something was learnt of a sensor, in this process or another.
    func has(_ sensor: StoredCalibration.Sensor) -> Bool { stored[sensor] != nil }

    /// Forgets what was learnt of a sensor, if something was; it is there again if its file cannot be removed.
    func forget(_ sensor: StoredCalibration.Sensor, done: @escaping (CalibrationFault?, BootTime) -> Void) {
        guard let store, let known = stored.removeValue(forKey: sensor) else { return }
        let begun = former.removeValue(forKey: sensor)
        storedAt[sensor] = nil
        store(CalibrationFile.Change(name: known.fileName, text: nil)) { [self] fault, now in
            if let fault {
                journal.write(.warning, "\(known.fileName) is still there: \(fault)")
                stored[sensor] = stored[sensor] ?? known
                former[sensor] = begun
            }
            done(fault, now)
        }
    }
}

extension OwnedResource {
    /// How warm its device is, if that measures it, and somebody reads it.
    func celsius(_ now: BootTime) -> Double? {
        guard let newest = device?.resources.first(where: { $0.kind == .temperature })?.core.newest,
            now - newest.timestamp < 60_000_000_000, case .values(let values) = newest.measurement
        else { return nil }
        return values[0]
    }
}
