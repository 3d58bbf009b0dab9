internal import BrokerClient
internal import Varlink

/// The reply to `GetStatus`: the broker's devices, and what each client gets.
struct BrokerStatus {
    /// One device.
    struct Device {
        let resource: String
        let state: String
        let clients: Int64
        let lanes: Int64
        let intervalNanoseconds: Int64?
        let samples: Int64
        let opens: Int64
        let reuses: Int64
        let evictions: Int64
        let faults: Int64
        let lastFault: String?

        init(_ parameters: Parameters) throws(VarlinkError) {
            resource = try parameters.string("resource")
            state = try parameters.string("state")
            clients = try parameters.integer("subscribers")
            lanes = try parameters.integer("lanes")
            intervalNanoseconds = try parameters.optionalInteger("deviceIntervalNanoseconds")
            samples = try parameters.integer("samples")
            opens = try parameters.integer("opens")
            reuses = try parameters.integer("reuses")
            evictions = try parameters.integer("evictions")
            faults = try parameters.integer("faults")
            lastFault = try parameters.optionalString("lastFault")
        }
    }

    /// What a client gets of one resource.
    struct Part {
        let resource: String
        let intervalNanoseconds: Int64
        let batchNanoseconds: Int64
        let filter: String
        let minimumChange: Double?
        let delivered: Int64
        let lost: Int64
        /// Readings lost, by the cause of the gap.
        let causes: [(cause: String, count: Int64)]

        init(_ parameters: Parameters) throws(VarlinkError) {
            resource = try parameters.string("resource")
            intervalNanoseconds = try parameters.integer("intervalNanoseconds")
            batchNanoseconds = try parameters.integer("batchNanoseconds")
            filter = try parameters.string("filter")
            minimumChange = try parameters.optionalNumber("minimumChange")
            delivered = try parameters.integer("deliveredReadings")
            lost = try parameters.integer("lostReadings")
            let lost = try parameters.object("lost")
            causes = try lost.object.members.map { member throws(VarlinkError) in
                (member.key, try lost.integer(member.key))
            }.sorted { ($1.count, $0.cause) < ($0.count, $1.cause) }
        }
    }

    /// One connection.
    struct Client {
        let processID: Int64
        let userID: Int64
        let connectedNanoseconds: Int64
        let subscription: String?
        let queuedBytes: Int64
        let parts: [Part]
        /// The reply's own object, with members that this program does not know.
        let object: JSONObject

        init(_ parameters: Parameters) throws(VarlinkError) {
            processID = try parameters.integer("processId")
            userID = try parameters.integer("userId")
            connectedNanoseconds = try parameters.integer("connectedNanoseconds")
            subscription = try parameters.optionalString("subscription")
            queuedBytes = try parameters.integer("queuedBytes")
            parts = try parameters.objects("resources").map { part throws(VarlinkError) in try Part(part) }
                .sorted { $0.resource < $1.resource }
            object = parameters.object
        }
    }

    let version: String
    let processID: Int64
    let startedNanoseconds: Int64
    /// Sorted by name.
    let devices: [Device]
    /// Sorted by process, and then by the time of connection.
    let clients: [Client]

    /// Reads a reply; leaves out the connection of the process that asked for it.
    init(_ parameters: Parameters, askedBy process: Int64) throws(VarlinkError) {
        version = try parameters.string("version")
        processID = try parameters.integer("processId")
        startedNanoseconds = try parameters.integer("startedNanoseconds")
        devices = try parameters.objects("devices").map { device throws(VarlinkError) in try Device(device) }
            .sorted { $0.resource < $1.resource }
        clients = try parameters.objects("clients").map { client throws(VarlinkError) in try Client(client) }
            .filter { $0.processID != process || $0.subscription != nil }
            .sorted { ($0.processID, $0.connectedNanoseconds) < ($1.processID, $1.connectedNanoseconds) }
    }
}
