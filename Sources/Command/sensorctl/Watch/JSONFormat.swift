internal import BrokerClient
internal import Varlink

/// Prints one object per line: readings as the broker sends them, everything else under its own key.
struct JSONFormat: StreamFormat {
    let showsEvents = true

    func begin(_ resources: [Resource]) -> [String] { [] }

    func rows(of reading: Reading) -> [String] { [Self.line(reading.object)] }

    func line(about event: StreamEvent, atNanoseconds now: Int64) -> String? {
        switch event {
        case .subscription(let name): Self.line(["subscription": .string(name)])
        case .grant(let grant, let revision):
            Self.line(
                JSONObject([("grant", .object(grant.object))] + (revision.map { [("revision", .integer($0))] } ?? [])))
        case .resource(let resource):
            Self.line(["resource": .object(resource.object), "atNanoseconds": .integer(now)])
        case .gap(let gap): Self.line(["gap": .object(gap.object)])
        case .ended(let reason): Self.line(["ended": .string(reason)])
        }
    }

    static func line(_ object: JSONObject) -> String {
        String(decoding: object.bytes, as: UTF8.self)
    }
}
