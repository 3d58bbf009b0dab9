/// The names of the broker's interfaces, as far as they are used here.
enum Interface {
    static let listResources = broker + "ListResources"
    static let read = broker + "Read"
    static let subscribe = broker + "Subscribe"
    static let modify = broker + "Modify"
    static let getStatus = "io.sensorbroker.Admin.GetStatus"

    /// The qualified name of one of the broker's errors.
    static func error(_ name: String) -> String { broker + name }

    private static let broker = "io.sensorbroker.Broker."
}
