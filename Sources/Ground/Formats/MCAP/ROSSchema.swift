internal import Readings

/// The type of a ROS 2 message, with its definition as `.msg` files have it, and those of the types that it contains.
struct ROSSchema: Equatable {
    /// The name, with the package: `sensor_msgs/msg/Imu`.
    let name: String
    /// The definition.
    let text: String

    private init(_ package: String, _ type: String, _ fields: String, _ parts: String...) {
        name = "\(package)/msg/\(type)"
        text = fields + parts.joined()
    }

    private static func part(_ name: String, _ fields: String) -> String {
        String(repeating: "=", count: 80) + "\nMSG: \(name)\n" + fields
    }

    private static let header =
        part("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n")
        + part("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n")
    private static let vector = part("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n")
    private static let quaternion = part(
        "geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n")
    private static let stamped = "std_msgs/Header header\n"

    static let imu = Self(
        "sensor_msgs", "Imu",
        stamped + "geometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
            + "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
            + "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n",
        header, vector, quaternion)
    static let magneticField = Self(
        "sensor_msgs", "MagneticField",
        stamped + "geometry_msgs/Vector3 magnetic_field\nfloat64[9] magnetic_field_covariance\n", header, vector)
    static let navSatFix = Self(
        "sensor_msgs", "NavSatFix",
        "uint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\nuint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\n"
            + "uint8 COVARIANCE_TYPE_KNOWN=3\n" + stamped + "sensor_msgs/NavSatStatus status\nfloat64 latitude\n"
            + "float64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\nuint8 position_covariance_type\n",
        header,
        part(
            "sensor_msgs/NavSatStatus",
            "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\n"
                + "uint16 SERVICE_GPS=1\nint8 status\nuint16 service\n"))
    static let twist = Self(
        "geometry_msgs", "TwistStamped", stamped + "geometry_msgs/Twist twist\n", header,
        part("geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n"), vector)
    static let vectorStamped = Self(
        "geometry_msgs", "Vector3Stamped", stamped + "geometry_msgs/Vector3 vector\n", header, vector)
    static let quaternionStamped = Self(
        "geometry_msgs", "QuaternionStamped", stamped + "geometry_msgs/Quaternion quaternion\n", header, quaternion)
    static let diagnostics = Self(
        "diagnostic_msgs", "DiagnosticArray", stamped + "diagnostic_msgs/DiagnosticStatus[] status\n", header,
        part(
            "diagnostic_msgs/DiagnosticStatus",
            "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\nstring message\n"
                + "string hardware_id\ndiagnostic_msgs/KeyValue[] values\n"),
        part("diagnostic_msgs/KeyValue", "string key\nstring value\n"))

    /// The type for the readings of a kind.
    init(_ kind: Kind) {
        switch kind.row.ros {
        case .imu: self = .imu
        case .magneticField: self = .magneticField
        case .vector: self = .vectorStamped
        case .quaternion: self = .quaternionStamped
        case .number(let type, let field, _):
            self = Self(
                "sensor_msgs", type, Self.stamped + "float64 \(field)\nfloat64 variance\n", Self.header)
        case .own: self = .own(kind)
        }
    }

    /// A type of our own for a kind that ROS has none for: a field for each channel.
    private static func own(_ kind: Kind) -> Self {
        let type = kind.wire.prefix(1).uppercased() + kind.wire.dropFirst()
        if case .orientation = kind.row.form {
            return Self("sensorbroker_msgs", type, stamped + "string value\n", header)
        }
        let unit = kind.row.unit.plain.isEmpty ? "" : "  # \(kind.row.unit.plain)"
        let fields = kind.row.channels.map { "float64 \($0)\(unit)\n" }.joined()
        return Self("sensorbroker_msgs", type, stamped + fields, header)
    }
}
