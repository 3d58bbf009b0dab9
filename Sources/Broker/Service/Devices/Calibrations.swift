internal import Delivery
internal import Motion
internal import Platform
internal import Readings

/// Keeps what is known of the errors of sensors, by what identifies their devices: the calibrations of an administrator,
/// and what was learnt of gyroscopes.
///
/// The readings of a resource stay as they are. Whoever derives something from them asks here.
final class Calibrations {
    /// Called with each resource whose calibration an administrator has changed, or for which one was found.
    var didChange: ((OwnedResource, BootTime) -> Void)?

    let learnt: LearntBiases

    private let catalog: Catalog
    private let journal: Journal
    private var stored: [StoredCalibration.Sensor: StoredCalibration] = [:]
    /// How often an administrator has had forgotten what was learnt of a sensor.
    private var forgotten: [StoredCalibration.Sensor: Int] = [:]
    private var store: CalibrationStore?

    /// How many sensors a host may have had.
    private static let most = 256

    init(_ context: ServiceContext) {
        catalog = context.catalog
        journal = context.journal
        learnt = LearntBiases(context.journal)
    }

    /// Reads what was stored, and stores what comes; returns the files that cannot be used.
    func begin(in store: @escaping CalibrationStore, _ files: [CalibrationFile]) -> [(
        file: String, fault: CalibrationFault
    )] {
        self.store = store
        learnt.begin(in: store)
        var faults: [(file: String, fault: CalibrationFault)] = []
        for file in files {
            do throws(CalibrationFault) {
                let calibration = try StoredCalibration(parsing: file.text)
                guard file.name == calibration.fileName else {
                    throw CalibrationFault("by its contents it would be \(calibration.fileName)")
                }
                guard !calibration.isLearnt else {
                    try learnt.add(calibration)
                    continue
                }
                guard stored.count < Self.most else { throw CalibrationFault("there are \(Self.most) already") }
                stored[calibration.sensor] = calibration
            } catch { faults.append((file.name, error)) }
        }
        return faults
    }

    // MARK: what is known

    func errors(of resource: OwnedResource) -> SensorErrors {
        guard let sensor = resource.sensor else { return SensorErrors() }
        let (calibration, learnt) = (stored[sensor]?.calibration, learnt.former(of: sensor))
        let isNewer = (learnt?.utcSeconds ?? 0) >= (calibration?.utcSeconds ?? 0)
        return SensorErrors(
            gyroscope: sensor.quantity.kind == .angularVelocity ? sensor : nil, calibration: calibration,
            learnt: isNewer ? learnt : nil, forgotten: forgotten[sensor] ?? 0)
    }

    /// All of them, each with the resource that has it now.
    var all: [(resource: ResourceName?, calibration: StoredCalibration)] {
        let names = Dictionary(
            catalog.resources.compactMap { resource in resource.sensor.map { ($0, resource.name) } },
            uniquingKeysWith: { first, _ in first })
        return (Array(stored.values) + learnt.all).sorted { $0.fileName < $1.fileName }.map { (names[$0.sensor], $0) }
    }

    // MARK: what changes

    /// What is to be stored for a resource, if it can be.
    func checked(_ calibration: SensorCalibration, of resource: OwnedResource) throws(CalibrationFault)
        -> StoredCalibration
    {
        guard let sensor = resource.sensor else { throw Self.unidentified(resource) }
        guard let new = StoredCalibration(sensor, calibration) else {
            throw CalibrationFault("no \(resource.kind.row.resource) is so far off")
        }
        guard stored[sensor] != nil || stored.count < Self.most else {
            throw CalibrationFault("there are \(Self.most) calibrations already")
        }
        return new
    }

    /// Stores a calibration, and uses it as soon as that is done; `done` gets whether it outlives this process.
    func set(
        _ new: StoredCalibration, of resource: OwnedResource, now: BootTime,
        done: @escaping (Result<Bool, CalibrationFault>, BootTime) -> Void
    ) {
        write(new.fileName, new.text, now) { [self] fault, now in
            if let fault { return done(.failure(fault), now) }
            stored[new.sensor] = new
            learnt.forget(new.sensor) { _, _ in }
            journal.write(.notice, "\(resource.name) is calibrated")
            didChange?(resource, now)
            done(.success(store != nil), now)
        }
    }

    /// Forgets a calibration, and what was learnt, as soon as they are off the disk; `done` gets whether there was either.
    ///
    /// The calibration's file is removed in any case: it may be one that only a later version can use.
    func forget(
        _ resource: OwnedResource, now: BootTime, done: @escaping (Result<Bool, CalibrationFault>, BootTime) -> Void
    ) {
        guard let sensor = resource.sensor else { return done(.failure(Self.unidentified(resource)), now) }
        let wasKnown = stored[sensor] != nil || learnt.has(sensor)
        learnt.forget(sensor) { [self] fault, _ in
            if fault == nil { forgotten[sensor, default: 0] += 1 }
        }
        // It is done after what was learnt.
        write(StoredCalibration.fileName(of: sensor), nil, now) { [self] fault, now in
            if fault == nil { stored[sensor] = nil }
            let left = learnt.has(sensor) ? CalibrationFault("what was learnt of it is still there") : nil
            let fault = fault ?? left
            if fault == nil, wasKnown { journal.write(.notice, "the calibration of \(resource.name) is forgotten") }
            if wasKnown { didChange?(resource, now) }
            done(fault.map { .failure($0) } ?? .success(wasKnown), now)
        }
    }

    private static func unidentified(_ resource: OwnedResource) -> CalibrationFault {
        CalibrationFault(
            "nothing identifies the device of \(resource.name), so nobody would know it again: it is not there, or only a "
                + "recording")
    }

    private func write(
        _ file: String, _ text: [UInt8]?, _ now: BootTime, _ done: @escaping (CalibrationFault?, BootTime) -> Void
    ) {
        guard let store else { return done(nil, now) }
        store(CalibrationFile.Change(name: file, text: text), done)
    }
}

/// What is known of a sensor's errors.
struct SensorErrors: Equatable {
    /// Which gyroscope it is, as far as something identifies it: the bias of another one is not this one's.
    var gyroscope: StoredCalibration.Sensor?
    /// What an administrator measured: it makes the readings true.
    var calibration: SensorCalibration?
    /// The bias of a gyroscope as it was learnt in another process, if no calibration is newer.
    var learnt: SensorCalibration?
    /// How often an administrator has had forgotten what was learnt: then it is learnt anew.
    var forgotten = 0
}
