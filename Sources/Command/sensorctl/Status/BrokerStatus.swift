internal import Varlink

/// The reply to `GetStatus`: the broker's devices, and what each client gets.
struct BrokerStatus {
    let version: String
    let processID: Int64
    let startedNanoseconds: Int64
    /// Sorted by name.
    let devices: [Device]
    /// Sorted by process, and then by the time of connection.
    let clients: [Client]

    /// Reads a reply; leaves out the connection of the process that asked for it.
    init(_ reply: Parameters, askedBy process: Int64) throws(VarlinkError) {
        version = try reply.string("version")
        processID = try reply.integer("processId")
        startedNanoseconds = try reply.integer("startedNanoseconds")
        devices = try reply.objects("devices").map(Device.init).sorted { $0.resource < $1.resource }
        clients = try reply.objects("clients").map(Client.init)
            .filter { $0.processID != process || $0.subscription != nil }
            .sorted { ($0.processID, $0.connectedNanoseconds) < ($1.processID, $1.connectedNanoseconds) }
    }

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

        init(_ device: Parameters) throws(VarlinkError) {
            resource = try device.string("resource")
            state = try device.string("state")
            clients = try device.integer("subscribers")
            lanes = try device.integer("lanes")
            intervalNanoseconds = try device.optionalInteger("deviceIntervalNanoseconds")
            samples = try device.integer("samples")
            opens = try device.integer("opens")
            reuses = try device.integer("reuses")
            evictions = try device.integer("evictions")
            faults = try device.integer("faults")
            lastFault = try device.optionalString("lastFault")
        }
    }

    struct Client {
        /// The connection's number for `sensorctl disconnect`.
        let id: Int64
        let processID: Int64
        let userID: Int64
        let connectedNanoseconds: Int64
        let subscription: String?
        let queuedBytes: Int64
        /// About how far it lags behind; nil: it has no stream.
        let lagNanoseconds: Int64?
        let parts: [Part]
        /// The reply's own object, with members that this program does not know.
        let object: JSONObject

        init(_ client: Parameters) throws(VarlinkError) {
            id = try client.integer("id")
            processID = try client.integer("processId")
            userID = try client.integer("userId")
            connectedNanoseconds = try client.integer("connectedNanoseconds")
            subscription = try client.optionalString("subscription")
            queuedBytes = try client.integer("queuedBytes")
            lagNanoseconds = try client.optionalInteger("lagNanoseconds")
            parts = try client.objects("resources").map(Part.init).sorted {
                ($0.resource, $0.intervalNanoseconds) < ($1.resource, $1.intervalNanoseconds)
            }
            object = client.object
        }
    }

    /// A client's share of one resource, by one of its requests.
    struct Part {
        let resource: String
        /// The label of the request, if it has one.
        let label: String?
        /// What was asked for; nil: the resource's default.
        let requestedIntervalNanoseconds: Int64?
        let intervalNanoseconds: Int64
        let batchNanoseconds: Int64
        let filter: String
        let minimumChange: Double?
        let delivered: Int64
        let lost: Int64
        /// Readings lost, by the cause of the gap; most first.
        let causes: [(cause: String, count: Int64)]

        /// The resource, with the label of the request.
        var name: String { label.map { "\(resource) (\($0))" } ?? resource }

        init(_ part: Parameters) throws(VarlinkError) {
            resource = try part.string("resource")
            label = try part.optionalString("label")
            requestedIntervalNanoseconds = try part.optionalInteger("requestedIntervalNanoseconds")
            intervalNanoseconds = try part.integer("intervalNanoseconds")
            batchNanoseconds = try part.integer("batchNanoseconds")
            filter = try part.string("filter")
            minimumChange = try part.optionalNumber("minimumChange")
            delivered = try part.integer("deliveredReadings")
            lost = try part.integer("lostReadings")
            let causes = try part.object("lost")
            self.causes = try causes.object.members.map { member throws(VarlinkError) in
                (member.key, try causes.integer(member.key))
            }.sorted { ($1.count, $0.cause) < ($0.count, $1.cause) }
        }
    }
}
