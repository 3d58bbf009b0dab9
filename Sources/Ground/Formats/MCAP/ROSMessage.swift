internal import Glibc
internal import Readings

/// A measurement as a ROS 2 message.
struct ROSMessage {
    let schema: ROSSchema
    let bytes: [UInt8]

    /// What vectors and rotations are along: the axes of REP 103, x ahead, y to the left, z up, where ahead is the device's top edge.
    ///
    /// A robot's base_link has such axes as well, but how the device is mounted on it is a matter of tf. The example of a ROS node
    /// has the same frame.
    private static let deviceFrame = "imu_link"
    /// Where a position is.
    private static let receiverFrame = "gps"
    /// What a velocity is along: east, north, up.
    private static let velocityFrame = "gps_enu"
    /// A ninth of a matrix means that there are no values at all.
    private static let notMeasured = [-1.0, 0, 0, 0, 0, 0, 0, 0, 0]
    /// The values are there, but nobody knows how exact they are.
    private static let unknown = [Double](repeating: 0, count: 9)

    /// The message of a measurement at a time.
    init(_ measurement: Measurement, atNanoseconds time: Int64) {
        var writer = CDRWriter()
        switch measurement {
        case .location(let location):
            schema = .navSatFix
            writer.putHeader(time, frame: Self.receiverFrame)
            Self.put(location, &writer)
        case .orientation(let orientation):
            schema = ROSSchema(.orientation)
            writer.putHeader(time, frame: Self.deviceFrame)
            writer.put(orientation.rawValue)
        case .values(let values):
            schema = ROSSchema(values.kind)
            writer.putHeader(time, frame: Self.deviceFrame)
            Self.put(values, &writer)
        }
        bytes = writer.bytes
    }

    /// The message of all that an IMU's sensors measured at a time.
    init(_ moment: InertialSeries.Moment) {
        schema = .imu
        var writer = CDRWriter()
        writer.putHeader(moment.nanoseconds, frame: Self.deviceFrame)
        if let orientation = moment.orientation {
            let covariance = moment.error.map { Self.covariance($0, of: orientation.kind) } ?? Self.unknown
            writer.put(Self.turned(orientation.numbers, .quaternion) + covariance)
        } else {
            writer.put([0, 0, 0, 1] + Self.notMeasured)
        }
        writer.put(Self.turned(moment.rate.numbers, .imu) + Self.unknown)
        writer.put(Self.turned(moment.acceleration.numbers, .imu) + Self.unknown)
        bytes = writer.bytes
    }

    /// About east, north and up; the heading of an attitude began anywhere, so nothing is known of north.
    private static func covariance(_ error: Values, of kind: Kind) -> [Double] {
        let (tilt, heading) = (error[0] * .pi / 180, kind == .attitude ? .pi : error[1] * .pi / 180)
        return [tilt * tilt, 0, 0, 0, tilt * tilt, 0, 0, 0, heading * heading]
    }

    /// The velocity of a location, to the east, the north and up; nil if its direction is unknown.
    init?(velocityOf location: Location, atNanoseconds time: Int64) {
        guard let speed = location.speedMetersPerSecond, let track = location.trackDegrees else { return nil }
        schema = .twist
        var writer = CDRWriter()
        writer.putHeader(time, frame: Self.velocityFrame)
        let radians = track * .pi / 180
        writer.put([
            speed * sin(radians), speed * cos(radians), location.climbMetersPerSecond ?? .nan, .nan, .nan, .nan,
        ])
        bytes = writer.bytes
    }

    /// An entry of `/diagnostics`.
    init(
        diagnosing name: String, _ level: UInt8, _ message: String, _ values: [(String, String)],
        atNanoseconds time: Int64
    ) {
        schema = .diagnostics
        var writer = CDRWriter()
        writer.putHeader(time, frame: "")
        writer.put(1 as UInt32)
        writer.put(level)
        writer.put(name)
        writer.put(message)
        writer.put("")
        writer.put(UInt32(values.count))
        for (key, value) in values {
            writer.put(key)
            writer.put(value)
        }
        bytes = writer.bytes
    }

    private static func put(_ values: Values, _ writer: inout CDRWriter) {
        let form = values.kind.row.ros
        let numbers = turned(values.numbers, form)
        switch form {
        case .imu:
            let isAcceleration = values.kind == .acceleration
            let nothing = [0.0, 0, 0]
            writer.put([0, 0, 0, 1] + notMeasured)
            writer.put(isAcceleration ? nothing + notMeasured : numbers + unknown)
            writer.put(isAcceleration ? numbers + unknown : nothing + notMeasured)
        case .magneticField: writer.put(numbers.map { $0 / 1e6 } + unknown)
        case .number(_, _, let divisor): writer.put(numbers.map { $0 / divisor } + [0])
        case .vector, .quaternion, .own: writer.put(numbers)
        }
    }

    /// The numbers along the axes of the frame, which is the device's after a quarter turn about z.
    private static func turned(_ numbers: [Double], _ form: KindRow.ROSMessage) -> [Double] {
        switch form {
        case .imu, .magneticField, .vector: return [numbers[1], -numbers[0], numbers[2]]
        case .quaternion:
            let half = 0.5.squareRoot()
            let (x, y, z, w) = (numbers[0], numbers[1], numbers[2], numbers[3])
            return [half * (x + y), half * (y - x), half * (z + w), half * (w - z)]
        case .number, .own: return numbers
        }
    }

    private static func put(_ location: Location, _ writer: inout CDRWriter) {
        let isKnown = location.latitudeDegrees != nil && location.longitudeDegrees != nil && location.fix != .noPosition
        writer.put(isKnown ? FixQuality(location).ros : -1)
        writer.put(1 as UInt16)
        // Above the ellipsoid, not above the sea.
        let height =
            location.ellipsoidHeightMeters
            ?? location.altitudeMeters.flatMap { altitude in location.geoidSeparationMeters.map { altitude + $0 } }
        writer.put([location.latitudeDegrees ?? .nan, location.longitudeDegrees ?? .nan, height ?? .nan])
        guard let horizontal = location.horizontalErrorMeters, let vertical = location.verticalErrorMeters else {
            writer.put(unknown)
            return writer.put(0 as UInt8)
        }
        // 95 % of positions are within 2.45 standard deviations in two dimensions, and within 1.96 in one.
        let (flat, upright) = (horizontal / 2.4477, vertical / 1.96)
        writer.put([flat * flat, 0, 0, 0, flat * flat, 0, 0, 0, upright * upright])
        writer.put(2 as UInt8)
    }
}
