import BrokerClient
import Readings
import Varlink

@testable import sensorbroker_desktop

let second: Int64 = 1_000_000_000
let seat: UInt32 = 1_000

/// A resource of the broker, available unless another state is given.
func resource(_ name: String, unit: String? = nil, state: String = "idle") throws -> Resource {
    var object: JSONObject = [
        "name": .string(name), "kind": .string(name), "state": .string(state), "simulated": .bool(false),
        "minimumIntervalNanoseconds": .integer(1), "maximumIntervalNanoseconds": .integer(2),
        "defaultIntervalNanoseconds": .integer(1),
    ]
    if let unit {
        let channel: JSONObject = ["name": .string("value"), "unit": .string(unit)]
        _ = object.append("channels", .array([.object(channel)]))
    }
    return try Resource(Parameters(object))
}

/// The resources of a tablet.
func tablet(without missing: String? = nil) throws -> [Resource] {
    try ["orientation", "tilt", "light", "proximity", "heading"].filter { $0 != missing }.map {
        try resource($0, unit: $0 == "light" ? "lx" : nil)
    }
}

/// A reading of an orientation.
func orientation(_ word: String) throws -> Reading {
    try Reading(
        Parameters([
            "resource": .string("orientation"), "sequence": .integer(1), "timestampNanoseconds": .integer(1),
            "orientation": .string(word),
        ]))
}

/// A reading of numbers, by the names of their columns.
func values(_ resource: String, _ columns: [(String, Double)]) throws -> Reading {
    var object: JSONObject = [:]
    for (name, number) in columns { _ = object.append(name, .array([.number(number)])) }
    return try Reading(
        Parameters([
            "resource": .string(resource), "sequence": .integer(1), "timestampNanoseconds": .integer(1),
            "values": .object(["columns": .object(object)]),
        ]))
}

extension SensorProxy {
    /// A proxy of a tablet whose first list was seen, with nothing to do.
    static func ofTablet(without missing: String? = nil) throws -> Self {
        var proxy = Self(now: 0)
        proxy.take(try tablet(without: missing))
        _ = proxy.takeActs()
        return proxy
    }

    /// Takes the list of a broker that is there.
    mutating func take(_ resources: [Resource]) { take(resources, now: 0) }

    /// What is to be done, but for notes.
    mutating func takeActs() -> [Effect] { takeEffects().filter { $0 != .noteClaims } }

    /// Claims for the usual user; returns what is done at once.
    mutating func claiming(_ sensor: DesktopSensor, by sender: String, _ call: Int, at now: Int64 = 0) -> [Effect] {
        claim(sensor, by: sender, of: seat, call, now: now)
        return takeActs()
    }

    /// Takes a reading; returns what is done at once.
    mutating func taking(_ reading: Reading, for sensor: DesktopSensor) -> [Effect] { taking([reading], for: sensor) }

    /// Takes readings of one message; returns what is done at once.
    mutating func taking(_ readings: [Reading], for sensor: DesktopSensor) -> [Effect] {
        take(readings, for: sensor)
        return takeActs()
    }

    /// Lets time pass; returns what is done.
    mutating func expiring(at now: Int64) -> [Effect] {
        expire(now: now)
        return takeActs()
    }
}
