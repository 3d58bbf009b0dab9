internal import Certification
internal import Readings
internal import Service
internal import Varlink

/// Answers the calls of one certification client after the other.
final class CertificationCalls: CallHandler {
    private var service = CertificationService()
    private let information = ServiceInformation(
        vendor: "SensorBroker", product: "certification-server", version: "1", url: "https://sensorbroker.io/",
        interfaces: [CertificationService.interface])

    func handle(_ call: Call, from connection: Connection, now: BootTime) {
        var writer = JSONWriter(capacity: 1_024)
        if !information.answer(call, into: &writer) { service.answer(call, into: &writer) }
        if !writer.bytes.isEmpty { connection.reply(writer.bytes, now: now) }
    }

    func didDrain(_ connection: Connection, now: BootTime) {}

    func didClose(_ connection: Connection, now: BootTime) {}
}
