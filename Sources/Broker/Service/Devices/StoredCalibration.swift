internal import Delivery
internal import Motion
internal import Readings
internal import Varlink

/// A calibration with the sensor that it is for: what identifies the device, and what it measures.
struct StoredCalibration: Equatable {
    /// Identifies a sensor, whatever resource it has at present.
    struct Sensor: Hashable {
        let device: String
        let quantity: Quantity
    }

    let sensor: Sensor
    let calibration: SensorCalibration
    /// Whether no administrator measured it: the broker learnt it itself.
    let isLearnt: Bool

    /// A calibration whose offset is possible for the kind; nil: it is not.
    init?(_ sensor: Sensor, _ calibration: SensorCalibration, isLearnt: Bool = false) {
        guard let most = Self.mostOffset(of: sensor.quantity.kind), calibration.offset.isWithin(most),
            calibration.error <= most, !isLearnt || sensor.quantity.kind == .angularVelocity
        else { return nil }
        self.sensor = sensor
        self.calibration = calibration
        self.isLearnt = isLearnt
    }

    /// How far a sensor of a kind may be off, in its unit; nil: the kind cannot be calibrated.
    static func mostOffset(of kind: Kind) -> Double? {
        switch kind {
        case .acceleration: 20
        case .angularVelocity: 1
        case .magneticField: 5_000
        default: nil
        }
    }

    // MARK: as text

    var fileName: String { (isLearnt ? "learnt-" : "") + Self.fileName(of: sensor) }

    /// The name of the file for an administrator's calibration: the kind, and a number that follows from the sensor.
    static func fileName(of sensor: Sensor) -> String {
        let input = sensor.quantity.input == 0 ? "" : "-\(sensor.quantity.input)"
        return "\(sensor.quantity.kind.row.resource)\(input)-\(number(sensor.device)).json"
    }

    /// FNV-1a, as sixteen digits.
    private static func number(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Hexadecimal.text(hash)
    }

    var text: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        write(resource: nil, to: &writer)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// Writes its members; the interface and the files have the same.
    func write(resource: String?, to writer: inout JSONWriter) {
        writer.member("resource", resource)
        writer.member("device", sensor.device)
        writer.member("kind", sensor.quantity.kind.wire)
        if sensor.quantity.input > 0 { writer.member("input", Int64(sensor.quantity.input)) }
        let offset = calibration.offset
        writer.key("offset")
        writer.numbers([offset.x, offset.y, offset.z])
        writer.key("matrix")
        writer.numbers(calibration.matrix.rows)
        writer.member("error", calibration.error)
        writer.member("utcSeconds", calibration.utcSeconds)
        writer.member("temperatureCelsius", calibration.celsius)
        if isLearnt { writer.member("isLearnt", true) }
    }

    /// Reads the bytes of a file, which may be anybody's.
    init(parsing text: [UInt8]) throws(CalibrationFault) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(text) } catch {
            throw CalibrationFault("it is no JSON: \(error)")
        }
        guard case .object(let object) = value else { throw CalibrationFault("it is no JSON object") }
        do throws(VarlinkError) {
            let parameters = Parameters(object)
            try parameters.allowOnly(
                "device", "kind", "input", "offset", "matrix", "error", "utcSeconds", "temperatureCelsius",
                "isLearnt")
            let quantity = Quantity(
                try parameters.kind("kind"), input: UInt8(try parameters.optionalInteger("input", in: 0...255) ?? 0))
            let sensor = Sensor(device: try parameters.string("device"), quantity: quantity)
            let utcSeconds = try parameters.integer("utcSeconds")
            guard let calibration = try SensorCalibration(parameters, utcSeconds: utcSeconds),
                let stored = Self(
                    sensor, calibration, isLearnt: try parameters.optionalBool("isLearnt") ?? false)
            else { throw VarlinkError.invalidParameter("offset") }
            self = stored
        } catch {
            guard case .invalidParameter(let name) = error else { throw CalibrationFault(error.name) }
            throw CalibrationFault("its '\(name)' is missing, or not possible")
        }
    }
}

extension OwnedResource {
    /// What identifies its sensor; nil: nothing does.
    var sensor: StoredCalibration.Sensor? {
        device?.identity.map { StoredCalibration.Sensor(device: $0, quantity: quantity) }
    }
}

extension SensorCalibration {
    /// Reads offset, matrix, error and temperature from an object; nil: no sensor is so far off.
    init?(_ parameters: Parameters, utcSeconds: Int64) throws(VarlinkError) {
        let offset = try parameters.numbers("offset", count: 3) ?? []
        guard offset.count == 3 else { throw .invalidParameter("offset") }
        let matrix = try parameters.numbers("matrix", count: 9).flatMap(Matrix3.init(rows:))
        self.init(
            offset: Vector3(x: offset[0], y: offset[1], z: offset[2]), matrix: matrix ?? .identity,
            error: try parameters.number("error"), utcSeconds: utcSeconds,
            celsius: try parameters.optionalNumber("temperatureCelsius"))
    }
}

extension Parameters {
    /// So many numbers, if the member is there.
    fileprivate func numbers(_ name: String, count: Int) throws(VarlinkError) -> [Double]? {
        guard let elements = try optionalArray(name) else { return nil }
        guard elements.count == count else { throw .invalidParameter(name) }
        return try elements.map { element throws(VarlinkError) in
            switch element {
            case .number(let value): value
            case .integer(let value): Double(value)
            default: throw .invalidParameter(name)
            }
        }
    }
}
