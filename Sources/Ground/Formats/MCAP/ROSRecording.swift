public import Readings

/// Measurements, gaps and states as an MCAP file of ROS 2 messages, which Foxglove, PlotJuggler, Rerun and `ros2 bag` open.
///
/// A resource is a topic: `/accelerometer`, `/accelerometer_1`; a location has its velocity in `/location/velocity`, and `/imu/data` has
/// the first accelerometer and gyroscope together, with the orientation. Gaps and states are entries of `/diagnostics`. Times are UTC in
/// nanoseconds. docs/recording.md has the table of types.
public struct ROSRecording {
    private static let diagnostics = "/diagnostics"
    private static let inertial = "/imu/data"

    private var writer: MCAPWriter
    private var schemas: [(schema: ROSSchema, number: UInt16)] = []
    /// The topics so far, each with its channel.
    private var topics: [(name: String, channel: UInt16)] = []
    /// The topic of each resource.
    private var resources: [(resource: ResourceName, topic: String)] = []
    private var series = InertialSeries()

    /// Begins a file, with the name of the program that writes it.
    ///
    /// Chunks are compressed by a function, if there is one; its name is one that MCAP knows, such as `zstd`. Where it returns nil, the
    /// chunk is written as it is.
    public init(program: String, compression: (name: String, compress: ([UInt8]) -> [UInt8]?)? = nil) {
        writer = MCAPWriter(library: program, compression: compression)
    }

    /// Adds a measurement.
    package mutating func add(_ measurement: Measurement, of resource: ResourceName, atNanoseconds time: Int64) {
        let time = max(0, time)
        let topic = self.topic(of: resource)
        let metadata = [("resource", resource.description), ("kind", measurement.kind.wire)]
        add(ROSMessage(measurement, atNanoseconds: time), to: topic, metadata, time)
        switch measurement {
        case .location(let location):
            guard let velocity = ROSMessage(velocityOf: location, atNanoseconds: time) else { return }
            add(velocity, to: topic + "/velocity", metadata, time)
        case .values(let values):
            series.take(values, of: resource, atNanoseconds: time)
            addMoments()
        case .orientation: return
        }
    }

    private mutating func addMoments() {
        while let moment = series.takeMoment() {
            add(ROSMessage(moment), to: Self.inertial, [], moment.nanoseconds)
        }
    }

    /// Adds missing readings, at the end of their span.
    public mutating func add(
        gap cause: String, missing: Int?, fromNanoseconds: Int64, untilNanoseconds: Int64, of resource: ResourceName
    ) {
        let values = [
            ("cause", cause), ("count", missing.map { "\($0)" } ?? ""), ("fromNanoseconds", "\(fromNanoseconds)"),
            ("untilNanoseconds", "\(untilNanoseconds)"),
        ]
        diagnose(resource, level: 1, "gap: \(cause)", values, untilNanoseconds)
    }

    /// Adds a state that holds from here on.
    public mutating func add(state: String, reason: String?, of resource: ResourceName, atNanoseconds time: Int64) {
        let level: UInt8 =
            switch state {
            case "active", "idle", "warm", "starting": 0
            case "stale": 3
            case "unavailable": 2
            default: 1
            }
        let values = [("state", state)] + (reason.map { [("reason", $0)] } ?? [])
        diagnose(resource, level: level, state, values, time)
    }

    /// Takes the bytes that can be written.
    public mutating func take() -> [UInt8] { writer.take() }

    /// Makes everything so far readable, even if the file is never ended.
    public mutating func flush() { writer.flush() }

    /// Ends the file.
    public mutating func finish() {
        series.end()
        addMoments()
        writer.finish()
    }

    private mutating func diagnose(
        _ resource: ResourceName, level: UInt8, _ message: String, _ values: [(String, String)], _ time: Int64
    ) {
        let time = max(0, time)
        let diagnosis = ROSMessage(
            diagnosing: "sensorbroker: \(resource)", level, message, values, atNanoseconds: time)
        add(diagnosis, to: Self.diagnostics, [], time)
    }

    private mutating func add(
        _ message: ROSMessage, to topic: String, _ metadata: @autoclosure () -> [(String, String)], _ time: Int64
    ) {
        let channel = topics.first { $0.name == topic }?.channel ?? self.channel(topic, message.schema, metadata())
        writer.add(message.bytes, channel: channel, atNanoseconds: UInt64(time))
    }

    private mutating func channel(_ topic: String, _ schema: ROSSchema, _ metadata: [(String, String)]) -> UInt16 {
        let number: UInt16
        if let known = schemas.first(where: { $0.schema == schema }) {
            number = known.number
        } else {
            number = writer.addSchema(schema.name, schema.text)
            schemas.append((schema, number))
        }
        let channel = writer.addChannel(topic, schema: number, metadata: metadata)
        topics.append((topic, channel))
        return channel
    }

    /// The topic of a resource: names in ROS have letters, digits and underscores only.
    private mutating func topic(of resource: ResourceName) -> String {
        if let known = resources.first(where: { $0.resource == resource }) { return known.topic }
        let plain = "/" + String(resource.description.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        var topic = plain
        var number = 2
        while topic == Self.diagnostics || resources.contains(where: { $0.topic == topic }) {
            topic = "\(plain)_\(number)"
            number += 1
        }
        resources.append((resource, topic))
        return topic
    }
}
