import BrokerClient
import Programs
import Varlink

@testable import sensorctl

/// Objects as a broker sends them.
enum Examples {
    static let resources: [JSONValue] = [
        [
            "name": "location", "kind": "location", "state": "active", "simulated": false,
            "minimumIntervalNanoseconds": 100_000_000, "maximumIntervalNanoseconds": 3_600_000_000_000,
            "defaultIntervalNanoseconds": 1_000_000_000, "description": "gpsd, /dev/ttyACM0",
        ],
        [
            "name": "accelerometer", "kind": "acceleration", "state": "unavailable", "reason": "no \u{1B}[31mdevice",
            "simulated": true, "minimumIntervalNanoseconds": 5_000_000, "maximumIntervalNanoseconds": 5_000_000,
            "defaultIntervalNanoseconds": 100_000_000,
        ],
    ]

    static let location: JSONObject = [
        "resource": "location", "sequence": 7, "timestampNanoseconds": 4_512_345_678,
        "location": [
            "fix": "3d", "utcMicroseconds": 1_795_262_584_000_000, "latitudeDegrees": 48.1173,
            "longitudeDegrees": -11.5167, "altitudeMeters": 545.4, "horizontalErrorMeters": 4.1,
            "speedMetersPerSecond": 1.2, "trackDegrees": 84.4, "satellitesUsed": 9, "satellitesVisible": 12,
        ],
    ]

    static let noFix: JSONObject = [
        "resource": "location", "sequence": 8, "timestampNanoseconds": 5_000_000_000,
        "location": ["fix": "none", "satellitesVisible": 3],
    ]

    static let acceleration: JSONObject = [
        "resource": "accelerometer", "sequence": 40, "timestampNanoseconds": 1_000_000_000,
        "values": [
            "columns": ["x": [0.012, 0.5], "y": [-0.034, -1.0], "z": [9.807, -10.25]],
            "periodNanoseconds": 20_000_000,
        ],
    ]

    /// Accelerations with a location and a pressure at their times.
    static let aligned: JSONObject = [
        "resource": "accelerometer", "sequence": 40, "timestampNanoseconds": 1_000_000_000,
        "values": [
            "columns": ["x": [0.012, 0.5], "y": [-0.034, -1.0], "z": [9.807, -10.25]],
            "periodNanoseconds": 20_000_000,
        ],
        "aligned": [
            [
                "resource": "location", "alignment": "interpolated",
                "columns": ["latitudeDegrees": [48.25, .null], "longitudeDegrees": [-11.5, .null]],
            ],
            ["resource": "pressure", "alignment": "absent"],
        ],
    ]

    static let orientation: JSONObject = [
        "resource": "orientation", "sequence": 3, "timestampNanoseconds": 2_000_000_000, "orientation": "left-up",
    ]

    static let grant: JSONObject = [
        "resource": "accelerometer", "intervalNanoseconds": 20_000_000, "batchNanoseconds": 1_000_000_000,
        "deviceIntervalNanoseconds": 10_000_000,
    ]

    static let gap: JSONObject = [
        "resource": "accelerometer", "cause": "deviceOverflow", "count": 12, "fromNanoseconds": 1_000_000_000,
        "untilNanoseconds": 1_240_000_000,
    ]

    /// The clock of a host that was started at 2026-11-21T12:00:00Z.
    static let clock = WallClock(bootRealtimeNanoseconds: 1_795_262_400_000_000_000)

    static func reading(_ object: JSONObject) throws -> Reading { try Reading(Parameters(object)) }

    static func resource(_ index: Int) throws -> Resource {
        guard case .object(let object) = resources[index] else { throw UsageError("no object") }
        return try Resource(Parameters(object))
    }
}
