internal import Certification
internal import Readings
internal import Service
internal import Varlink

/// Answers the calls of one certification client after the other.
final class CertificationCalls: CallHandler {
    private var service = CertificationService()
    let information = ServiceInformation(
        vendor: "SensorBroker", product: "certification-server", version: "1", url: "https://sensorbroker.io/",
        interfaces: [CertificationService.interface])

    func answer(_ call: Call, from connection: Connection, now: BootTime, into writer: inout JSONWriter) {
        service.answer(call, into: &writer)
    }

    func didDrain(_ connection: Connection, now: BootTime) {}

    func didClose(_ connection: Connection, now: BootTime) {}
}
