internal import SensorValues
internal import Varlink

/// What Home Assistant needs to find the sensors of a host by itself. MQTT discovery
package struct HomeAssistant: Sendable {
    private let discovery: String
    private let host: String
    private let node: String
    private let status: String
    private let version: String

    /// `discovery` is the first part of the topics on which Home Assistant listens.
    package init(discovery: String, host: String, status: String, version: String) {
        self.discovery = discovery
        self.host = host
        self.status = status
        self.version = version
        node = "sensorbroker_" + Self.identifier(host)
    }

    /// One for each axis of a resource, whose newest values are on a topic; none if its kind is not known.
    package func announcements(of resource: String, newest: String) -> [(topic: String, text: [UInt8])] {
        guard let row = Kind(resource: resource.prefix { $0 != ":" })?.row else { return [] }
        switch row.form {
        case .location: return [tracker(resource, newest)]
        case .orientation:
            var object = entity(resource, "", newest, value: "value")
            object.member("device_class", "enum")
            object.member("options", .array(Orientation.allCases.map { .string($0.rawValue) }))
            return [announcement("sensor", resource, "value", object)]
        case .values:
            return row.channels.enumerated().map { index, channel in
                let name = "\(channel)"
                let isSwitch = index == 0 && row.change == .normOrSwitch
                var object = entity(
                    resource, row.channels.count > 1 ? name : "", newest, value: name, isWhole: isSwitch)
                if isSwitch {
                    object.member("payload_on", "1")
                    object.member("payload_off", "0")
                } else {
                    if !row.unit.symbol.isEmpty { object.member("unit_of_measurement", row.unit.symbol) }
                    object.member("device_class", row.homeAssistantClass)
                    if Self.hasStatistics(row) { object.member("state_class", "measurement") }
                    object.member("suggested_display_precision", Int64(row.unit.decimals))
                }
                return announcement(isSwitch ? "binary_sensor" : "sensor", resource, name, object)
            }
        }
    }

    /// Whether its statistics mean anything: not those of an angle on a circle.
    private static func hasStatistics(_ row: KindRow) -> Bool {
        ![.circular, .spherical].contains(row.mean) && row.unit.symbol != "rad"
    }

    private func tracker(_ resource: String, _ newest: String) -> (String, [UInt8]) {
        var object = common(resource, "", "position")
        object.member("json_attributes_topic", newest)
        object.member("source_type", "gps")
        return announcement("device_tracker", resource, "position", object)
    }

    /// An entity whose value is a member of the newest values; 1.0 is no payload of a switch, so its value is whole.
    private func entity(
        _ resource: String, _ axis: String, _ newest: String, value: String, isWhole: Bool = false
    ) -> JSONObject {
        var object = common(resource, axis, value)
        object.member("state_topic", newest)
        object.member("value_template", "{{ value_json.\(value)\(isWhole ? " | int" : "") }}")
        return object
    }

    private func common(_ resource: String, _ axis: String, _ part: String) -> JSONObject {
        [
            "name": .string(axis.isEmpty ? resource : "\(resource) \(axis)"),
            "unique_id": .string("\(node)_\(Self.identifier(resource))_\(part)"),
            "availability_topic": .string(status),
            "availability_template": "{{ 'online' if value_json.state == 'online' else 'offline' }}",
            "device": ["identifiers": [.string(node)], "name": .string(host)],
            "origin": ["name": "sensorbroker-mqtt", "sw_version": .string(version)],
        ]
    }

    private func announcement(_ component: String, _ resource: String, _ part: String, _ object: JSONObject)
        -> (String, [UInt8])
    {
        let topic = "\(discovery)/\(component)/\(node)/\(Self.identifier(resource))_\(part)/config"
        return (topic, object.bytes)
    }

    /// The characters that Home Assistant allows in topics: letters, digits, `_` and `-`.
    private static func identifier(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }
}
