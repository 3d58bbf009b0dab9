internal import SensorValues
internal import Varlink

/// What Home Assistant is told of a kind, beside its unit, which is in the table of kinds.
struct HomeAssistantRow {
    /// The kind, by its name on the wire.
    let kind: String
    /// `sensor` or `device_tracker`.
    var component = "sensor"
    /// One of Home Assistant's classes, which must allow the kind's unit.
    var deviceClass: String?
    /// Whether its statistics mean anything: not those of an angle on a circle.
    var hasStatistics = true
    /// Channels that are 0 or 1.
    var switches: [String] = []

    /// A row for each kind.
    static let table: [HomeAssistantRow] = [
        HomeAssistantRow(kind: "location", component: "device_tracker", hasStatistics: false),
        HomeAssistantRow(kind: "acceleration"),
        HomeAssistantRow(kind: "orientation", deviceClass: "enum", hasStatistics: false),
        HomeAssistantRow(kind: "angularVelocity"),
        HomeAssistantRow(kind: "magneticField"),
        HomeAssistantRow(kind: "heading", hasStatistics: false),
        HomeAssistantRow(kind: "gravity"),
        HomeAssistantRow(kind: "linearAcceleration"),
        HomeAssistantRow(kind: "rotation", hasStatistics: false),
        HomeAssistantRow(kind: "inclination", hasStatistics: false),
        HomeAssistantRow(kind: "illuminance", deviceClass: "illuminance"),
        HomeAssistantRow(kind: "proximity", switches: ["near"]),
        HomeAssistantRow(kind: "pressure", deviceClass: "atmospheric_pressure"),
        HomeAssistantRow(kind: "temperature", deviceClass: "temperature"),
        HomeAssistantRow(kind: "humidity", deviceClass: "humidity"),
        HomeAssistantRow(kind: "voltage", deviceClass: "voltage"),
        HomeAssistantRow(kind: "current", deviceClass: "current"),
        HomeAssistantRow(kind: "tilt"),
        HomeAssistantRow(kind: "power", deviceClass: "power"),
        HomeAssistantRow(kind: "energy"),
        HomeAssistantRow(kind: "resistance"),
        HomeAssistantRow(kind: "ambientTemperature", deviceClass: "temperature"),
        HomeAssistantRow(kind: "objectTemperature", deviceClass: "temperature"),
        HomeAssistantRow(kind: "carbonDioxide", deviceClass: "carbon_dioxide"),
        HomeAssistantRow(kind: "volatileOrganicCompounds", deviceClass: "volatile_organic_compounds_parts"),
        HomeAssistantRow(kind: "oxygen"),
        HomeAssistantRow(kind: "pm1", deviceClass: "pm1"),
        HomeAssistantRow(kind: "pm2p5", deviceClass: "pm25"),
        HomeAssistantRow(kind: "pm4"),
        HomeAssistantRow(kind: "pm10", deviceClass: "pm10"),
    ]
}

/// What Home Assistant needs to find the sensors of a host by itself. MQTT discovery
public struct HomeAssistant: Sendable {
    private let discovery: String
    private let host: String
    private let node: String
    private let status: String
    private let version: String

    /// `discovery` is the first part of the topics on which Home Assistant listens.
    public init(discovery: String, host: String, status: String, version: String) {
        self.discovery = discovery
        self.host = host
        self.status = status
        self.version = version
        node = "sensorbroker_" + Self.identifier(host)
    }

    /// One for each axis of a resource, whose newest values are on a topic; none if its kind is not known.
    public func announcements(of resource: String, newest: String) -> [(topic: String, text: [UInt8])] {
        guard let kind = Kind(resource: resource.prefix { $0 != ":" })?.row,
            let row = HomeAssistantRow.table.first(where: { $0.kind == kind.wire })
        else { return [] }
        switch kind.form {
        case .location: return [tracker(resource, row, newest)]
        case .orientation:
            var object = entity(resource, "", newest, value: "value")
            _ = object.append("device_class", "enum")
            _ = object.append("options", .array(Orientation.allCases.map { .string($0.rawValue) }))
            return [announcement(row.component, resource, "value", object)]
        case .values:
            return kind.channels.map { channel in
                let name = "\(channel)"
                let isSwitch = row.switches.contains(name)
                var object = entity(resource, kind.channels.count > 1 ? name : "", newest, value: name)
                if isSwitch {
                    _ = object.append("payload_on", "1")
                    _ = object.append("payload_off", "0")
                } else {
                    if !kind.unit.symbol.isEmpty { _ = object.append("unit_of_measurement", .string(kind.unit.symbol)) }
                    if let deviceClass = row.deviceClass { _ = object.append("device_class", .string(deviceClass)) }
                    if row.hasStatistics { _ = object.append("state_class", "measurement") }
                    _ = object.append("suggested_display_precision", .integer(Int64(kind.unit.decimals)))
                }
                return announcement(isSwitch ? "binary_sensor" : row.component, resource, name, object)
            }
        }
    }

    private func tracker(_ resource: String, _ row: HomeAssistantRow, _ newest: String) -> (String, [UInt8]) {
        var object = common(resource, "", "position")
        _ = object.append("json_attributes_topic", .string(newest))
        _ = object.append("source_type", "gps")
        return announcement(row.component, resource, "position", object)
    }

    private func entity(_ resource: String, _ axis: String, _ newest: String, value: String) -> JSONObject {
        var object = common(resource, axis, value)
        _ = object.append("state_topic", .string(newest))
        // 1.0 is no payload of a switch.
        let isWhole = HomeAssistantRow.table.contains { $0.switches.contains(value) }
        _ = object.append("value_template", .string("{{ value_json.\(value)\(isWhole ? " | int" : "") }}"))
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
        var writer = JSONWriter()
        writer.value(.object(object))
        let topic = "\(discovery)/\(component)/\(node)/\(Self.identifier(resource))_\(part)/config"
        return (topic, writer.bytes)
    }

    /// The characters that Home Assistant allows in topics: letters, digits, `_` and `-`.
    private static func identifier(_ text: String) -> String {
        String(
            decoding: text.utf8.map { byte in
                let isPlain =
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                return isPlain ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
    }
}
