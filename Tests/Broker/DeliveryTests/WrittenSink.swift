import Readings
import Simulation

@testable import Delivery

/// Writes down what it is handed; its clients' sockets are full or have room.
final class WrittenSink: Sink {
    var isFull = false
    private var lines: [String] = []
    /// The gaps that were sent, to all clients.
    private(set) var gaps: [Gap] = []

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func send(_ message: LaneMessage, to members: inout [Member], of resource: OwnedResource, now: BootTime) {
        message.send(to: &members) { content, client in
            if message.isAlone {
                lines += message.readings.map { "\(client): \(resource.name) alone \($0.sequence)" }
                return true
            }
            guard !isFull else { return false }
            gaps += message.gaps(in: content)
            let words =
                message.gaps(in: content).map(\.cause.rawValue) + message.readings(in: content).map { "\($0.sequence)" }
            lines.append("\(client): \(resource.name) \(words.joined(separator: " "))")
            return true
        }
    }

    func sendMissed(
        _ gaps: [Gap], _ reading: Sample?, of resource: OwnedResource, withSatellites: Bool, to client: Client,
        now: BootTime
    ) {
        let causes = gaps.map(\.cause.rawValue).joined(separator: " ")
        lines.append("\(client): \(resource.name) missed \(causes)\(reading.map { ", newest \($0.sequence)" } ?? "")")
    }

    func answer(_ read: WaitingRead, _ outcome: WaitingRead.Outcome, of resource: OwnedResource, now: BootTime) {
        let words =
            switch outcome {
            case .sample(let sample): "\(sample.sequence)"
            case .failed(let reason): reason
            case .timedOut: "timed out"
            case .forbidden: "forbidden"
            case .dropped: "dropped"
            }
        lines.append("answer \(read.connection.slot): \(resource.name) \(words)")
    }

    func didChangeState(of resource: OwnedResource, now: BootTime) {
        lines.append("\(resource.name) \(resource.core.state.name)")
    }

    func didChangeDemand(of device: Device, now: BootTime) {
        let kinds = device.demand.map { demand in device.resources.filter { demand.kinds.contains($0.kind) } } ?? []
        lines.append("demand " + kinds.map(\.name.description).joined(separator: " "))
    }

    func willSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {}
    func didSend(from resource: OwnedResource, onlyGathering: Bool, now: BootTime) {}
    func willChangeState(of resource: OwnedResource, now: BootTime) {}
    func didChangeProfile(of resource: OwnedResource, now: BootTime) {}
    func didOpen(_ resource: OwnedResource, now: BootTime) {}
    func didFail(_ resource: OwnedResource, reason: String, now: BootTime) {}
    func didChangeInterest(in device: Device) {}
}
