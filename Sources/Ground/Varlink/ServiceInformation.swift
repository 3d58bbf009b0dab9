/// A service's description of itself, and its answers to calls outside its own interfaces.
public struct ServiceInformation: Equatable, Sendable {
    /// The vendor.
    public let vendor: String
    /// The product.
    public let product: String
    /// The product's version.
    public let version: String
    /// A page about the product.
    public let url: String
    /// The interfaces it implements; `org.varlink.service` first.
    public let interfaces: [InterfaceDescription]

    /// Describes a service that implements these interfaces, and `org.varlink.service` by means of `answer`.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [.service] + interfaces
    }

    /// Answers a call of `org.varlink.service`, or of a method that no interface declares; returns whether it did.
    ///
    /// If it returns false, another interface declares the method and the caller must answer. No method supports
    /// `upgrade`, so such calls are answered as not implemented. A oneway call gets no reply.
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
