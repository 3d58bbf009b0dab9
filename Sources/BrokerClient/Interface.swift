/// The names of the broker's interfaces, as far as its clients use them.
public enum Interface {
    /// The method that lists the resources.
    public static let listResources = broker + "ListResources"
    /// The method for one reading.
    public static let read = broker + "Read"
    /// The method that begins a stream.
    public static let subscribe = broker + "Subscribe"
    /// The method that changes one.
    public static let modify = broker + "Modify"
    /// The administrator's method that tells of devices and clients.
    public static let getStatus = "io.sensorbroker.Admin.GetStatus"

    /// The qualified name of one of the broker's errors.
    public static func error(_ name: String) -> String { broker + name }

    private static let broker = "io.sensorbroker.Broker."
}
