/// The names of the broker's interfaces, as far as they are used here.
enum Interface {
    static let listResources = broker + "ListResources"
    static let read = broker + "Read"
    static let subscribe = broker + "Subscribe"
    static let modify = broker + "Modify"
    static let getStatus = admin + "GetStatus"
    static let release = admin + "Release"
    static let reacquire = admin + "Reacquire"
    static let reload = admin + "Reload"

    /// The qualified name of one of the broker's errors.
    static func error(_ name: String) -> String { broker + name }

    /// The qualified name of one of the errors of the administrator's interface.
    static func adminError(_ name: String) -> String { admin + name }

    private static let admin = "io.sensorbroker.Admin."
    private static let broker = "io.sensorbroker.Broker."
}
