import Delivery
import Devices
import Motion
import Platform
import Readings
import Testing
import Varlink

@testable import Service

/// A broker with one gyroscope, whose loop does not run, and a store in memory that answers when the test lets it.
private final class CalibratedBroker {
    let server: Server
    let broker: Broker
    let now = BootTime(nanoseconds: 1_000_000_000)
    private(set) var changes: [CalibrationFile.Change] = []
    private var waiting: [(CalibrationFault?, BootTime) -> Void] = []
    var disk: [String: [UInt8]] = [:]
    private let channel: DeviceChannel

    init(identity: String? = "bmi160 left", kind: Kind = .angularVelocity, on disk: [String: [UInt8]]? = [:]) throws {
        server = try Server()
        broker = Broker(server: server, journal: Journal(isSilent: true), health: nil, startedAt: now)
        channel = try DeviceChannel()
        try broker.add(kind.row.firstResource, kind, channel, isSimulated: true)
        if let disk { faults = keep(disk) }
        var profile = DeviceProfile(
            offered: .discrete([20_000_000]), intervalNanoseconds: nil, description: nil, simulated: true)
        profile.identity = identity
        take(.profile(profile))
    }

    private(set) var faults: [(file: String, fault: CalibrationFault)] = []

    private func keep(_ disk: [String: [UInt8]]) -> [(file: String, fault: CalibrationFault)] {
        self.disk = disk
        let store: CalibrationStore = { [unowned self] change, done in
            changes.append(change)
            waiting.append(done)
        }
        let files = disk.sorted { $0.key < $1.key }.map { CalibrationFile(name: $0.key, text: $0.value) }
        return broker.keepCalibrations(in: store, files)
    }

    func take(_ event: DeviceEvent) {
        broker.catalog.devices[0].core.take([event], to: broker.sink, now: now)
    }

    var resource: OwnedResource { broker.catalog.resources[0] }
    var known: SensorCalibration? { broker.calibrations.errors(of: resource).calibration }

    /// The disk has done what it was asked, or could not.
    func finish(_ fault: CalibrationFault? = nil) {
        let done = waiting
        for change in changes.suffix(done.count) where fault == nil { disk[change.name] = change.text }
        waiting = []
        for answer in done { answer(fault, now) }
    }

    /// Sets a calibration; the answer as far as it has come.
    func set(_ calibration: SensorCalibration) throws -> Box {
        let box = Box()
        let new = try broker.calibrations.checked(calibration, of: resource)
        broker.calibrations.set(new, of: resource, now: now) { result, _ in box.result = result }
        return box
    }

    final class Box { var result: Result<Bool, CalibrationFault>? }
}

@Suite("Calibrations") struct CalibrationsTests {
    private let bias = Vector3(x: 0.01, y: -0.02, z: 0)

    private func calibration(_ offset: Vector3? = nil, error: Double = 0.001) throws -> SensorCalibration {
        try #require(SensorCalibration(offset: offset ?? bias, error: error, utcSeconds: 1_800_000_000, celsius: 25))
    }

    @Test("one counts as soon as it is stored, and is there again in the next process")
    func stored() throws {
        let first = try CalibratedBroker()
        var changed: [ResourceName] = []
        first.broker.calibrations.didChange = { resource, _ in changed.append(resource.name) }
        let answer = try first.set(calibration())
        #expect(first.known == nil && answer.result == nil, "it is not on the disk yet")
        first.finish()
        #expect(try first.known == calibration() && answer.result == .success(true))
        #expect(changed.map(\.description) == ["gyroscope"])
        let second = try CalibratedBroker(on: first.disk)
        #expect(second.faults.isEmpty)
        #expect(try second.known == calibration())
        #expect(try CalibratedBroker(identity: "bmi160 right", on: first.disk).known == nil, "it is another chip")
        #expect(try CalibratedBroker(kind: .magneticField, on: first.disk).known == nil, "it is another sensor")
        second.broker.calibrations.forget(second.resource, now: second.now) { _, _ in }
        second.finish()
        #expect(second.known == nil && second.disk.isEmpty)
    }

    @Test("what cannot be stored does not count, and the former one stays")
    func full() throws {
        let broker = try CalibratedBroker()
        _ = try broker.set(calibration())
        broker.finish()
        let answer = try broker.set(calibration(.zero))
        broker.finish(CalibrationFault("the disk is full"))
        #expect(answer.result == .failure(CalibrationFault("the disk is full")))
        #expect(try broker.known == calibration())
    }

    @Test("without a directory, it counts until the process ends, and that is reported")
    func memory() throws {
        let broker = try CalibratedBroker(on: nil)
        let answer = try broker.set(calibration())
        #expect(answer.result == .success(false))
        #expect(try broker.known == calibration())
    }

    @Test("a device that nothing identifies, one of another kind and an impossible offset are refused")
    func refused() throws {
        let nameless = try CalibratedBroker(identity: nil)
        #expect(throws: CalibrationFault.self) { try nameless.set(calibration()) }
        let barometer = try CalibratedBroker(kind: .pressure)
        #expect(throws: CalibrationFault.self) { try barometer.set(calibration()) }
        let gyroscope = try CalibratedBroker()
        #expect(throws: CalibrationFault.self) { try gyroscope.set(calibration(Vector3(x: 2, y: 0, z: 0))) }
        #expect(throws: CalibrationFault.self) { try gyroscope.set(calibration(error: 2)) }
    }

    @Test("files of anybody are refused, each with the reason")
    func hostile() throws {
        let good = try #require(
            StoredCalibration(
                StoredCalibration.Sensor(device: "bmi160 left", quantity: Quantity(.angularVelocity)), calibration()))
        let text = String(decoding: good.text, as: UTF8.self)
        let bad: [String: String] = [
            "a.json": "", "b.json": "{", "c.json": "[]", "d.json": String(repeating: "[", count: 10_000),
            "e.json": "{}",
            "f.json": text.replacing("0.01", with: "1e999"), "g.json": text.replacing("0.01", with: "\"0.01\""),
            "h.json": text.replacing("angularVelocity", with: "pressure"),
            "i.json": text.replacing("angularVelocity", with: "phlogiston"),
            "j.json": text.replacing("[0.01,", with: "["), "k.json": text.replacing("1.0", with: "-1.0"),
            "l.json": text.replacing("{", with: "{\"x\":1,"), "m.json": text.replacing("0.001", with: "-0.001"),
            "n.json": text.replacing("1800000000", with: "-1"), "o.json": text, "p.json": "\u{0}\u{FF}",
        ]
        var disk = bad.mapValues { Array($0.utf8) }
        disk[good.fileName] = good.text
        let broker = try CalibratedBroker(on: disk)
        #expect(try broker.known == calibration(), "the good one among them counts")
        #expect(broker.faults.map(\.file) == bad.keys.sorted())
        for (file, fault) in broker.faults { #expect(!fault.description.isEmpty, "\(file)") }
        #expect(broker.faults.first { $0.file == "o.json" }?.fault.description.contains(good.fileName) == true)
    }

    @Test("what was learnt is stored seldom, and only if it is certain and new")
    func learnt() throws {
        let first = try CalibratedBroker()
        let (learnt, resource) = (first.broker.calibrations.learnt, first.resource)
        func learn(_ degrees: Double, _ uncertain: Double, afterSeconds: Int64, isLast: Bool = false) -> Int {
            let bias = Motion.GyroscopeBias(self.bias * degrees, uncertain: uncertain)
            learnt.learn(bias, of: resource, now: first.now + afterSeconds * 1_000_000_000, isLast: isLast)
            return first.changes.count
        }
        #expect(learn(1, 0.01, afterSeconds: 0) == 0, "it is too uncertain")
        #expect(learn(1, 0.001, afterSeconds: 0) == 1)
        #expect(learn(1.2, 0.001, afterSeconds: 299) == 1, "it is too early")
        #expect(learn(1.04, 0.001, afterSeconds: 301, isLast: true) == 1, "it has not changed")
        #expect(learn(1.2, 0.001, afterSeconds: 301) == 2)
        #expect(learn(1.4, 0.001, afterSeconds: 302, isLast: true) == 3, "there is no later")
        first.finish()
        #expect(first.disk.count == 1 && first.disk.keys.allSatisfy { $0.hasPrefix("learnt-gyroscope-") })
        #expect(
            first.broker.calibrations.errors(of: resource) == SensorErrors(gyroscope: resource.sensor),
            "the running filter goes on")

        #expect(learn(1.6, 0.001, afterSeconds: 700) == 4)
        first.finish(CalibrationFault("the disk is full"))
        let listed = first.broker.calibrations.all.map(\.calibration.calibration.offset)
        #expect(listed == [bias * 1.4], "it is as on the disk")
        #expect(learn(1.6, 0.001, afterSeconds: 701, isLast: true) == 5, "there is room again")
        first.finish(CalibrationFault("the disk is full"))

        let second = try CalibratedBroker(on: first.disk)
        #expect(second.faults.isEmpty)
        let errors = second.broker.calibrations.errors(of: second.resource)
        #expect(errors.calibration == nil && errors.learnt?.offset == bias * 1.4 && errors.learnt?.error == 0.001)
        #expect(second.broker.calibrations.all.map(\.calibration.isLearnt) == [true])
        #expect(try CalibratedBroker(identity: "another", on: first.disk).broker.calibrations.all.count == 1)
    }

    @Test("what a filter learns of a gyroscope is not used for another one that takes its place")
    func another() throws {
        let (left, right) = (try CalibratedBroker(), try CalibratedBroker(identity: "bmi160 right"))
        var inputs = MotionInput.allCases.map { DerivationInput($0.kind) }
        let motion = DerivedMotion(isSimulated: false, isOneDevice: true)
        inputs[.gyroscope].errors = left.broker.calibrations.errors(of: left.resource)
        motion.calibrate(inputs)
        rest(motion, inputs, seconds: 25)
        let learnt = try #require(motion.learnt)
        #expect((learnt.value - bias).isWithin(0.001))
        inputs[.accelerometer].errors.calibration = try calibration(error: 0.1)
        motion.calibrate(inputs)
        #expect(motion.learnt?.value == learnt.value, "another accelerometer is no other gyroscope")
        inputs[.gyroscope].errors = right.broker.calibrations.errors(of: right.resource)
        motion.calibrate(inputs)
        #expect(motion.learnt == nil)
    }

    /// A device with both sensors lies still for so long.
    private func rest(_ motion: DerivedMotion, _ inputs: [DerivationInput], seconds: Int64) {
        var intake = Intake()
        let shown: [(Kind, Vector3)] = [(.angularVelocity, bias), (.acceleration, Vector3(x: 0, y: 0, z: 9.81))]
        for number in 0..<seconds * 100 {
            for (position, (kind, vector)) in shown.enumerated() {
                let sample = Sample(
                    sequence: UInt64(number), timestamp: BootTime(nanoseconds: number * 10_000_000),
                    measurement: .values(Values(kind, SIMD4(vector.x, vector.y, vector.z, 0))))
                motion.take([sample], [], of: position, inputs)
            }
            motion.conclude(into: &intake)
        }
    }

    @Test("an administrator's word counts for more than what was learnt before it")
    func overLearnt() throws {
        let broker = try CalibratedBroker()
        broker.broker.calibrations.learnt.learn(
            Motion.GyroscopeBias(bias, uncertain: 0.001), of: broker.resource, now: broker.now, isLast: false)
        broker.finish()
        let again = try CalibratedBroker(on: broker.disk)
        let (calibrations, resource) = (again.broker.calibrations, again.resource)
        var changes = 0
        calibrations.didChange = { _, _ in changes += 1 }
        var wasKnown: Result<Bool, CalibrationFault>?
        calibrations.forget(resource, now: again.now) { result, _ in wasKnown = result }
        again.finish()
        #expect(wasKnown == .success(true) && changes == 1 && again.disk.isEmpty)
        #expect(
            calibrations.errors(of: resource) == SensorErrors(gyroscope: resource.sensor, forgotten: 1),
            "it is learnt anew")
        calibrations.forget(resource, now: again.now) { result, _ in wasKnown = result }
        again.finish()
        #expect(wasKnown == .success(false) && changes == 1)

        let set = try CalibratedBroker(on: broker.disk)
        _ = try set.set(calibration())
        set.finish()
        set.finish()
        #expect(set.disk.count == 1 && set.broker.calibrations.errors(of: set.resource).learnt == nil)
        // An older one that could not be removed does not count.
        for (name, text) in broker.disk { set.disk[name] = text }
        let date = try #require(SensorCalibration(offset: .zero, error: 0.001, utcSeconds: 4_000_000_000))
        let sensor = try #require(set.resource.sensor)
        let newer = try #require(StoredCalibration(sensor, date))
        set.disk[newer.fileName] = newer.text
        let last = try CalibratedBroker(on: set.disk)
        #expect(
            last.broker.calibrations.errors(of: last.resource) == SensorErrors(gyroscope: sensor, calibration: date))
    }

    @Test("what cannot be removed from the disk is not forgotten, and that is reported")
    func notForgotten() throws {
        let first = try CalibratedBroker()
        first.broker.calibrations.learnt.learn(
            Motion.GyroscopeBias(bias, uncertain: 0.001), of: first.resource, now: first.now, isLast: false)
        first.finish()
        let broker = try CalibratedBroker(on: first.disk)
        let (calibrations, resource) = (broker.broker.calibrations, broker.resource)
        let before = calibrations.errors(of: resource)
        var answers: [Result<Bool, CalibrationFault>] = []
        let readOnly = CalibrationFault("the disk is read-only")
        calibrations.forget(resource, now: broker.now) { result, _ in answers.append(result) }
        #expect(answers.isEmpty, "it is still on the disk")
        broker.finish(readOnly)
        #expect(answers == [.failure(readOnly)])
        #expect(calibrations.errors(of: resource) == before && calibrations.all.count == 1)
        calibrations.forget(resource, now: broker.now) { result, _ in answers.append(result) }
        broker.finish()
        #expect(answers.last == .success(true) && broker.disk.isEmpty)
        let absent = try CalibratedBroker(identity: nil, on: first.disk)
        absent.broker.calibrations.forget(absent.resource, now: absent.now) { result, _ in answers.append(result) }
        guard case .failure = answers.last else {
            Issue.record("nobody knows which device is meant")
            return
        }
    }

    @Test("one that only a later version can use is used by that, unless it was forgotten or replaced")
    func later() throws {
        let first = try CalibratedBroker()
        _ = try first.set(calibration())
        first.finish()
        let name = try #require(first.disk.keys.first)
        let text = String(decoding: try #require(first.disk[name]), as: UTF8.self)
        let later = [name: Array(text.replacing("\"error\"", with: "\"slope\":1,\"error\"").utf8)]
        let older = try CalibratedBroker(on: later)
        #expect(older.known == nil && older.faults.map(\.file) == [name] && older.disk == later)
        older.broker.calibrations.forget(older.resource, now: older.now) { _, _ in }
        older.finish()
        #expect(older.disk.isEmpty)
        let replaced = try CalibratedBroker(on: later)
        _ = try replaced.set(calibration())
        replaced.finish()
        #expect(try CalibratedBroker(on: replaced.disk).known == calibration())
    }

    @Test("a file's name is one, whatever the device is called")
    func names() throws {
        let names = try ["", "../../etc/passwd", "a/b", "ä\u{0}\n", String(repeating: "x", count: 5_000)].map {
            device in
            let sensor = StoredCalibration.Sensor(device: device, quantity: Quantity(.magneticField, input: 1))
            let stored = try #require(StoredCalibration(sensor, calibration()))
            #expect(try StoredCalibration(parsing: stored.text) == stored)
            return stored.fileName
        }
        #expect(Set(names).count == names.count)
        for name in names {
            #expect(name.hasPrefix("magnetometer-1-") && name.hasSuffix(".json") && name.utf8.count == 36)
            #expect(!name.contains("/"))
        }
    }
}
