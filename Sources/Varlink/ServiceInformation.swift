/// What a service says of itself, and what it does with calls that are not for one of its interfaces.
public struct ServiceInformation: Equatable, Sendable {
    /// Who made it.
    public let vendor: String
    /// What it is.
    public let product: String
    /// Its version.
    public let version: String
    /// Where to read about it.
    public let url: String
    /// The interfaces it implements; `org.varlink.service` first.
    public let interfaces: [InterfaceDescription]

    /// A service that implements these interfaces and, by `answer`, `org.varlink.service`.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [.service] + interfaces
    }

    /// Answers a call of `org.varlink.service`, or of what no interface declares; true if it did.
    ///
    /// False: one of the other interfaces declares the method, and it is for the caller to answer. No method can be
    /// upgraded here, and saying yes would promise another protocol, so that is answered as not implemented. To a oneway
    /// call nothing is written.
    public func answer(_ call: Call, into writer: inout JSONWriter) -> Bool {
        do {
            try check(call)
            guard call.interface == InterfaceDescription.service.name else { return false }
            let reply = call.method == "GetInfo" ? try information(call) : try description(call)
            if call.mode != .oneway { writer.reply(reply) }
        } catch {
            if call.mode != .oneway { writer.reply(error) }
        }
        return true
    }

    private func check(_ call: Call) throws(VarlinkError) {
        guard let interface = interfaces.first(where: { $0.name == call.interface }) else {
            throw .interfaceNotFound(call.interface)
        }
        guard interface.methods.contains(call.method) else { throw .methodNotFound(call.qualifiedMethod) }
        guard call.mode != .upgrade else { throw .methodNotImplemented(call.qualifiedMethod) }
    }

    private func information(_ call: Call) throws(VarlinkError) -> JSONObject {
        try call.parameters.allowOnly()
        return [
            "vendor": .string(vendor), "product": .string(product), "version": .string(version), "url": .string(url),
            "interfaces": .array(interfaces.map { .string($0.name) }),
        ]
    }

    private func description(_ call: Call) throws(VarlinkError) -> JSONObject {
        try call.parameters.allowOnly("interface")
        let name = try call.parameters.string("interface")
        guard let interface = interfaces.first(where: { $0.name == name }) else { throw .interfaceNotFound(name) }
        return ["description": .string(interface.text)]
    }
}
