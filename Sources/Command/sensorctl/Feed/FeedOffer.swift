internal import BrokerClient
internal import Readings
internal import Varlink

/// What a feed provides, as the broker and its clients are to know it.
struct FeedOffer: Equatable {
    let kind: Kind
    let name: String
    /// The program and its device, as text for people.
    var description: String?
    /// The interval of its samples, as far as it is known.
    var intervalNanoseconds: Int64?
    /// How long it may send nothing although it works.
    var restNanoseconds: Int64?
    var isSimulated = false

    /// The call that provides it.
    var call: Call {
        var parameters: JSONObject = [
            "resources": [["name": .string(name), "kind": .string(kind.wire)]]
        ]
        if let description { _ = parameters.append("description", .string(description)) }
        if let intervalNanoseconds { _ = parameters.append("intervalNanoseconds", .integer(intervalNanoseconds)) }
        if let restNanoseconds { _ = parameters.append("restNanoseconds", .integer(restNanoseconds)) }
        if isSimulated { _ = parameters.append("simulated", true) }
        return Call(FeedInterface.provide, parameters: parameters, mode: .more)
    }

    /// How many samples fit one call with room to spare: the broker takes 64 KiB.
    static let mostSamples = 256

    /// The call that sends samples, which are in order and of the kind; of locations it takes one.
    func push(_ samples: ArraySlice<FedSample>) -> Call {
        assert(!samples.isEmpty && samples.count <= Self.mostSamples)
        var object: JSONObject = ["resource": .string(name)]
        let stamps = samples.map(\.timestampNanoseconds)
        _ = object.append("timestampNanoseconds", .integer(stamps.first ?? 0))
        if case .location(let location)? = samples.first?.measurement {
            assert(samples.count == 1)
            _ = object.append("location", .object(location.object))
        } else {
            var values: JSONObject = ["columns": .object(columns(samples))]
            if stamps.count > 1 {
                _ = values.append("timestampsNanoseconds", .array(stamps.map { .integer($0) }))
            }
            _ = object.append("values", .object(values))
        }
        return Call(FeedInterface.push, parameters: ["samples": [.object(object)]], mode: .oneway)
    }

    private func columns(_ samples: ArraySlice<FedSample>) -> JSONObject {
        JSONObject(
            kind.channels.enumerated().map { channel, name in
                (name, .array(samples.map { .number($0.measurement.number(ofChannel: channel) ?? 0) }))
            })
    }
}

/// The names that this program uses of the interface for programs that are sensors.
enum FeedInterface {
    static let provide = prefix + "Provide"
    static let push = prefix + "Push"

    /// The qualified name of one of its errors.
    static func error(_ name: String) -> String { prefix + name }

    private static let prefix = "io.sensorbroker.Feed."
}

/// What the clients of a feed want, as the broker reports it.
struct FeedDemand: Equatable {
    /// Whether anybody wants samples.
    let isWanted: Bool
    /// How long they may be gathered.
    let latencyNanoseconds: Int64
    /// How many samples were refused, and why the last one was.
    let refused: (count: Int64, reason: String)?

    init(_ reply: Parameters) throws(VarlinkError) {
        isWanted = try reply.bool("wanted")
        latencyNanoseconds = try reply.optionalInteger("latencyNanoseconds") ?? 0
        refused = try reply.optionalObject("refused").map { refusal throws(VarlinkError) in
            (try refusal.integer("count"), try refusal.string("reason"))
        }
    }

    static func == (first: Self, second: Self) -> Bool {
        first.isWanted == second.isWanted && first.latencyNanoseconds == second.latencyNanoseconds
    }
}
