internal import Platform
internal import Varlink

extension ServiceInformation {
    /// What the daemon says of itself on a socket that serves these interfaces.
    static func sensorbrokerd(_ interfaces: [InterfaceDescription]) -> ServiceInformation {
        ServiceInformation(
            vendor: "SensorBroker", product: "sensorbrokerd", version: Version.text, url: "https://sensorbroker.io/",
            interfaces: interfaces)
    }
}
