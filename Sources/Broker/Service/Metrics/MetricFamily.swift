internal import Delivery
internal import Devices
internal import Readings
internal import Varlink

/// A family of metrics, as `Describe` lists it and as `List` fills it: a row of the one table of metrics.
///
/// A name follows Prometheus' rules once it is written in snake case: the unit comes last, and a counter ends in
/// `Total`. docs/metrics.md lists them; a test compares it with this table.
struct MetricFamily: Sendable {
    /// The types of systemd's interface.
    enum Form: String, Sendable {
        case counter
        case gauge
        case string
    }

    /// What its metrics are about, and how they are found out.
    enum Source: Sendable {
        /// The broker as a whole.
        case broker(@Sendable (Broker, BootTime) -> [Metric])
        /// A device; it has the name of its first resource.
        case device(@Sendable (DeviceCounters) -> [Metric])
        /// A resource, with what its clients have received and lost.
        case resource(@Sendable (OwnedResource, DeliveryTotals) -> [Metric])
    }

    /// The name behind `io.sensorbroker.`.
    let name: String
    let form: Form
    /// The explanation, in one sentence without a full stop.
    let help: String
    let source: Source

    init(_ name: String, _ form: Form, _ help: String, _ source: Source) {
        self.name = name
        self.form = form
        self.help = help
        self.source = source
    }

    var qualifiedName: String { "io.sensorbroker." + name }
}

/// A metric of a family: its value, and what distinguishes it from others.
struct Metric {
    let value: JSONValue
    let fields: [(name: String, value: String)]

    init(_ value: JSONValue, _ fields: [(name: String, value: String)] = []) {
        self.value = value
        self.fields = fields
    }

    init(_ value: some BinaryInteger, _ fields: [(name: String, value: String)] = []) {
        self.init(.integer(Int64(clamping: value)), fields)
    }
}
