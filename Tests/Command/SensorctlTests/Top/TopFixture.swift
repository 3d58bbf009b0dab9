import BrokerClient
import Varlink

@testable import sensorctl

/// A broker's words, for tests of `top` without a broker.
struct TopFixture {
    static let second: Int64 = 1_000_000_000

    static func resource(
        _ name: String, kind: String, state: String = "active", reason: String? = nil, channels: [String] = [],
        unit: String = ""
    ) throws -> Resource {
        var object: JSONObject = [
            "name": .string(name), "kind": .string(kind), "state": .string(state), "simulated": false,
            "minimumIntervalNanoseconds": 1_000_000, "maximumIntervalNanoseconds": 1_000_000_000,
            "defaultIntervalNanoseconds": 100_000_000, "deviceIntervalNanoseconds": 10_000_000,
            "channels": .array(channels.map { ["name": .string($0), "unit": .string(unit)] }),
        ]
        if let reason { _ = object.append("reason", .string(reason)) }
        return try Resource(Parameters(object))
    }

    static func accelerometer(state: String = "active") throws -> Resource {
        try resource("accelerometer", kind: "acceleration", state: state, channels: ["x", "y", "z"], unit: "m/s²")
    }

    /// An update with a grant, or with a reading of three axes.
    static func grant(_ name: String) throws -> Update {
        try Update(
            Parameters([
                "grants": [
                    [
                        "resource": .string(name), "intervalNanoseconds": 100_000_000, "batchNanoseconds": 0,
                        "deviceIntervalNanoseconds": 10_000_000,
                    ]
                ]
            ]))
    }

    static func axes(_ x: Double, _ y: Double, _ z: Double, sequence: Int64, at time: Int64) throws -> Update {
        try Update(
            Parameters([
                "readings": [
                    [
                        "resource": "accelerometer", "sequence": .integer(sequence),
                        "timestampNanoseconds": .integer(time),
                        "values": ["columns": ["x": [.number(x)], "y": [.number(y)], "z": [.number(z)]]],
                    ]
                ]
            ]))
    }

    static func part(_ resource: String, delivered: Int64, lost: Int64 = 0, requested: Int64? = nil) -> JSONValue {
        var object: JSONObject = [
            "resource": .string(resource), "intervalNanoseconds": 20_000_000, "batchNanoseconds": 0, "filter": "newest",
            "deliveredReadings": .integer(delivered), "lostReadings": .integer(lost), "lost": [:],
        ]
        if let requested { _ = object.append("requestedIntervalNanoseconds", .integer(requested)) }
        return .object(object)
    }

    static func client(_ id: Int64, process: Int64, lag: Int64 = 0, _ parts: [JSONValue]) -> JSONValue {
        [
            "id": .integer(id), "processId": .integer(process), "userId": 1000, "connectedNanoseconds": .integer(id),
            "subscription": .string("\(id)"), "queuedBytes": 0, "lagNanoseconds": .integer(lag), "deliveredReadings": 0,
            "lostReadings": 0, "resources": .array(parts),
        ]
    }

    static func status(_ clients: [JSONValue], samples: Int64 = 0) throws -> BrokerStatus {
        try BrokerStatus(
            Parameters([
                "version": "0.1.0", "processId": 7, "startedNanoseconds": 0,
                "devices": [
                    [
                        "resource": "accelerometer", "state": "active", "subscribers": 2, "lanes": 1,
                        "samples": .integer(samples), "opens": 1, "reuses": 0, "evictions": 0, "faults": 0,
                    ]
                ],
                "clients": .array(clients),
            ]), askedBy: own)
    }

    /// The process of `top`.
    static let own: Int64 = 99

    static let names = AccountNames(
        process: { [1: "navigator", 2: "\u{1B}]0;evil\u{7}", 99: "sensorctl"][$0] },
        user: { $0 == 1000 ? "robot" : nil })

    /// A model with an accelerometer, a light sensor that is missing, two clients and `top` itself.
    static func model(page: TopView.Page = .overview) throws -> TopModel {
        var data = TopData(ownProcess: own, names: names)
        data.take([
            try accelerometer(),
            try resource(
                "light", kind: "illuminance", state: "unavailable", reason: "no \u{1B}[2Jdriver", channels: ["value"],
                unit: "lx"),
        ])
        for name in ["accelerometer", "light"] { data.take(try grant(name)) }
        for step in 0..<20 as Range<Int64> {
            data.take(try axes(0, 0, 9.81, sequence: step * 10, at: step * 100_000_000))
        }
        for (delivered, time) in [(50, second), (100, 2 * second)] as [(Int64, Int64)] {
            data.take(
                try status(
                    [
                        client(5, process: 1, [part("accelerometer", delivered: delivered, requested: 15_000_000)]),
                        client(
                            6, process: 2, lag: 400_000_000, [part("accelerometer", delivered: delivered / 2, lost: 12)]
                        ),
                        client(7, process: own, [part("accelerometer", delivered: 1), part("light", delivered: 1)]),
                    ], samples: delivered * 2), nowNanoseconds: time)
        }
        return TopModel(data, TopView(page: page), WallClock(bootRealtimeNanoseconds: 0, isUTC: true))
    }
}

extension TopModel {
    /// The page as text.
    func lines(width: Int = 80, height: Int = 20, at now: Int64 = 2 * TopFixture.second) -> [String] {
        canvas(width: width, height: height, nowNanoseconds: now).lines
    }

    /// Types keys; returns the last deed.
    mutating func type(_ keys: [TopKey]) -> TopAction? {
        var action: TopAction?
        for key in keys { action = take(key, rows: 10, nowNanoseconds: 2 * TopFixture.second) }
        return action
    }

    mutating func type(_ text: String) -> TopAction? { type(text.map { .character($0) }) }
}
