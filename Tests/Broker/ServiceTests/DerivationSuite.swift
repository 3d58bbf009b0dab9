import Foundation
import Readings
import Testing
import Varlink

/// A suite of tests of the orientation and the tilt: how the device is held, and what clients receive.
protocol DerivationSuite {}

extension DerivationSuite {
    static var flat: Acceleration { Acceleration(x: 0, y: 0, z: 9.81) }
    static var upright: Acceleration { Acceleration(x: 0, y: 9.81, z: 0) }
    static var turned: Acceleration { Acceleration(x: 9.81, y: 0, z: 0) }

    /// The acceleration of an upright device whose screen then leans back by an angle.
    static func leaning(_ degrees: Double) -> Acceleration {
        let angle = degrees * .pi / 180
        return Acceleration(x: 0, y: 9.81 * cos(angle), z: 9.81 * sin(angle))
    }

    func subscribe(_ broker: ServedBroker, intervalNanoseconds: Int64? = nil) throws -> BrokerClient {
        var members: [(String, JSONValue)] = [("resource", .string("orientation"))]
        if let intervalNanoseconds { members.append(("intervalNanoseconds", .integer(intervalNanoseconds))) }
        var client = try BrokerClient(broker)
        client.send("Subscribe", ["requests": .array([.object(JSONObject(members))])], mode: .more)
        _ = try client.answer()
        return client
    }

    /// Subscribes to several, each with its name as the label.
    func subscribe(_ broker: ServedBroker, labelling names: [String]) throws -> BrokerClient {
        var client = try BrokerClient(broker)
        let requests = names.map { name in
            JSONValue.object(
                JSONObject([
                    ("resource", .string(name)), ("label", .string(name)),
                    ("intervalNanoseconds", .integer(100_000_000)),
                ]))
        }
        client.send("Subscribe", ["requests": .array(requests)], mode: .more)
        _ = try client.answer()
        return client
    }

    /// The next orientations in a stream, without the states in between.
    func orientations(_ client: inout BrokerClient, _ count: Int) throws -> [String] {
        var received: [String] = []
        while received.count < count {
            let readings = try client.answer().optionalObjects("readings") ?? []
            received += try readings.compactMap { try $0.optionalString("orientation") }
        }
        return received
    }

    func state(_ client: inout BrokerClient, until wanted: String) throws {
        while true {
            let resources = try client.answer().optionalObjects("resources") ?? []
            if try resources.contains(where: { try $0.string("state") == wanted }) { return }
        }
    }
}
