/// The names of the interface for faults of simulated devices, as far as they are used here.
enum MockInterface {
    static let inject = prefix + "Inject"
    static let clear = prefix + "Clear"

    /// The qualified name of one of its errors.
    static func error(_ name: String) -> String { prefix + name }

    private static let prefix = "io.sensorbroker.Mock."
}
