import Fleet
import Spool
import Varlink

@testable import sensorbroker_fleet

/// A consumer of a host: all that came, whether it is complete, and the same each time.
struct Receiver {
    struct Key: Hashable {
        let resource: String
        let epoch: Identity
        let number: UInt64
    }

    private(set) var account = FleetAccount(from: .beginning)
    private(set) var messages: [(resource: String, isLate: Bool, message: FleetMessage)] = []
    private(set) var reports: [HostReport] = []
    /// How often each message came.
    private(set) var counts: [Key: Int] = [:]
    /// How many payloads were groups.
    private(set) var groups = 0
    private(set) var unreadable = 0
    /// Whether a number came with other bytes than before.
    private(set) var hasContradiction = false

    private var objects: [Key: FleetMessage] = [:]
    private let intake = FleetIntake(prefix: "fleet", hosts: "*")

    /// Takes what the server delivers.
    mutating func take(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
        if payload.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { groups += 1 }
        var items: [(String, FleetIntake.Item)] = []
        intake.read(topic, payload, isRetained: isRetained) { items.append(($0, $1)) }
        for (host, item) in items {
            account.take(item, of: host)
            switch item {
            case .report(let report, _): reports.append(report)
            case .unreadable: unreadable += 1
            case .message(let message, let resource, let isLate):
                let key = Key(resource: resource, epoch: message.epoch, number: message.number)
                counts[key, default: 0] += 1
                hasContradiction = hasContradiction || objects[key].map { $0 != message } ?? false
                objects[key] = message
                messages.append((resource, isLate, message))
            }
        }
    }

    /// What is missing and was not reported as lost.
    var missing: [Missing] { account.missing(of: "truck") }

    /// What was reported as lost, by cause.
    var losses: [String: [ClosedRange<UInt64>]] {
        Dictionary(grouping: messages.compactMap(\.message.lost), by: \.cause).mapValues { $0.map(\.numbers) }
    }

    /// The numbers of a resource that came at least once.
    func numbers(of resource: String) -> Set<UInt64> {
        Set(counts.keys.filter { $0.resource == resource }.map(\.number))
    }

    /// The epochs of a resource, in the order of their beginnings.
    func epochs(of resource: String) -> [Identity] {
        Set(counts.keys.filter { $0.resource == resource }.map(\.epoch)).sorted { $0.description < $1.description }
    }

    /// The gaps of a resource.
    func gaps(of resource: String) -> [(cause: String, from: Int64, until: Int64)] {
        messages.filter { $0.resource == resource }.flatMap { $0.message.objects("gaps") }.compactMap { gap in
            guard case .string(let cause)? = gap["cause"], let from = gap.integer("fromNanoseconds"),
                let until = gap.integer("untilNanoseconds")
            else { return nil }
            return (cause, from, until)
        }
    }

    /// The instants of all samples of a resource in an epoch, in order.
    func samples(of resource: String, in epoch: Identity) -> [Int64] {
        let readings = messages.filter { $0.resource == resource && $0.message.epoch == epoch }.flatMap {
            $0.message.objects("readings")
        }
        let stamps = readings.flatMap { reading -> [Int64] in
            guard case .object(let values)? = reading["values"],
                case .array(let stamps)? = values["timestampsNanoseconds"]
            else { return [reading.integer("timestampNanoseconds")].compactMap(\.self) }
            return stamps.compactMap { if case .integer(let stamp) = $0 { stamp } else { nil } }
        }
        return Set(stamps).sorted()
    }

    /// The instants of a resource's readings, in the order of arrival.
    func stamps(of resource: String) -> [Int64] {
        messages.filter { $0.resource == resource }.flatMap { $0.message.objects("readings") }.compactMap {
            $0.integer("timestampNanoseconds")
        }
    }
}
