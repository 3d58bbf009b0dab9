internal import Delivery
internal import Readings
internal import Varlink

extension Request {
    /// Reads a request from an object; unknown members, wrong types and negative values are refused.
    init(_ parameters: Parameters) throws(VarlinkError) {
        try parameters.allowOnly(
            "resource", "label", "intervalNanoseconds", "batchNanoseconds", "filter", "minimumChange", "satellites",
            "packed", "alignTo")
        let name = try parameters.string("resource")
        guard let resource = ResourceName(name) else { throw .noSuchResource(name) }
        self.init(resource: resource)
        label = try parameters.optionalString("label")
        if let label, !Self.isLabel(label) { throw .invalidParameter("label") }
        intervalNanoseconds = try parameters.optionalInteger("intervalNanoseconds", in: 0 ... .max)
        batchNanoseconds = try parameters.optionalInteger("batchNanoseconds", in: 0 ... .max)
        filter = try parameters.optionalEnumeration("filter", Filter.self)
        minimumChange = try parameters.optionalNumber("minimumChange")
        wantsSatellites = try parameters.optionalBool("satellites") ?? false
        wantsPacked = try parameters.optionalBool("packed") ?? false
        alignTo = try parameters.optionalString("alignTo")
        if let alignTo, ResourceName(alignTo) == nil, !Self.isLabel(alignTo) { throw .noSuchResource(alignTo) }
        if let minimumChange, minimumChange < 0 { throw .invalidParameter("minimumChange") }
    }

    /// Reads a list of requests: a bounded number, and no name twice.
    static func list(_ objects: [Parameters]) throws(VarlinkError) -> [Request] {
        guard objects.count <= Limits.requestsPerSubscription else {
            throw .tooManyRequests(limit: Limits.requestsPerSubscription)
        }
        var requests: [Request] = []
        var names: Set<String> = []
        for object in objects {
            let request = try Request(object)
            guard names.insert(request.name).inserted else { throw .invalidParameter("requests") }
            requests.append(request)
        }
        return requests
    }

    /// Whether a label is short and simple: it is in every reading, and in texts for people.
    private static func isLabel(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy(\.mayStandInSuffix)
    }

    /// The requests of a stream as `aligned` has them.
    static func linked(_ requests: [Request]) throws(VarlinkError) -> [Request] {
        guard requests.count(where: { $0.alignTo != nil }) <= Limits.companionsPerSubscription else {
            throw .tooManyRequests(limit: Limits.companionsPerSubscription)
        }
        do throws(AlignmentFault) { return try aligned(requests) } catch {
            throw .invalidParameter(error == .minimumChange ? "minimumChange" : "alignTo")
        }
    }
}

extension Parameters {
    func optionalKind(_ name: String) throws(VarlinkError) -> Kind? {
        guard let text = try optionalString(name) else { return nil }
        guard let kind = Kind(wire: text) else { throw .invalidParameter(name) }
        return kind
    }

    func kind(_ name: String) throws(VarlinkError) -> Kind {
        guard let kind = try optionalKind(name) else { throw .invalidParameter(name) }
        return kind
    }
}
