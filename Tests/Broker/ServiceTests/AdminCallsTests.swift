import Testing
import Varlink

@testable import Service

@Suite("The administrator's interfaces") struct AdminCallsTests {
    private let client: AdmittedClient

    init() throws { client = try AdmittedClient(.administrators) }

    /// The reply to a fault that no interface is asked for; empty: one is.
    private func refusal(_ calls: AdminCalls) -> String {
        var writer = JSONWriter()
        _ = calls.information.answer(Call("io.sensorbroker.Mock.Inject"), into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("are those that are served: where no faults can be injected, there is none for faults")
    func faults() {
        let without = AdminCalls(client.broker) { _ in }
        #expect(!without.information.interfaces.map(\.name).contains("io.sensorbroker.Mock"))
        #expect(refusal(without).contains("org.varlink.service.InterfaceNotFound"))
        #expect(refusal(AdminCalls(client.broker, mock: { _, _, _ in }) { _ in }).isEmpty)
    }
}
