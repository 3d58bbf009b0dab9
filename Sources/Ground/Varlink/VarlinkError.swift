/// An error reply to a call.
public enum VarlinkError: Error, Equatable, Sendable {
    /// The service has no such interface.
    case interfaceNotFound(String)
    /// The interface has no method of this qualified name.
    case methodNotFound(String)
    /// The interface declares the method of this qualified name, but the service does not implement it.
    case methodNotImplemented(String)
    /// The parameter of this bare name is missing, unknown, of the wrong type or out of range.
    case invalidParameter(String)
    /// The caller may not do this.
    case permissionDenied
    /// The method must be called with `more`.
    case expectedMore
    /// The method must be called with `upgrade`.
    case expectedUpgrade
    /// An error of this qualified name that an interface defines.
    case other(name: String, parameters: JSONObject)

    /// Decodes an error from a reply; a standard error that lacks its parameter becomes `other`.
    public init(name: String, parameters: JSONObject) {
        func text(_ key: String) -> String? { try? Parameters(parameters).string(key) }
        let own: Self? =
            switch name {
            case Self.prefix + "InterfaceNotFound": text("interface").map { .interfaceNotFound($0) }
            case Self.prefix + "MethodNotFound": text("method").map { .methodNotFound($0) }
            case Self.prefix + "MethodNotImplemented": text("method").map { .methodNotImplemented($0) }
            case Self.prefix + "InvalidParameter": text("parameter").map { .invalidParameter($0) }
            case Self.prefix + "PermissionDenied": .permissionDenied
            case Self.prefix + "ExpectedMore": .expectedMore
            case Self.prefix + "ExpectedUpgrade": .expectedUpgrade
            default: nil
            }
        self = own ?? .other(name: name, parameters: parameters)
    }

    /// The qualified name.
    public var name: String {
        switch self {
        case .interfaceNotFound: Self.prefix + "InterfaceNotFound"
        case .methodNotFound: Self.prefix + "MethodNotFound"
        case .methodNotImplemented: Self.prefix + "MethodNotImplemented"
        case .invalidParameter: Self.prefix + "InvalidParameter"
        case .permissionDenied: Self.prefix + "PermissionDenied"
        case .expectedMore: Self.prefix + "ExpectedMore"
        case .expectedUpgrade: Self.prefix + "ExpectedUpgrade"
        case .other(let name, _): name
        }
    }

    /// The error's parameters.
    public var parameters: JSONObject {
        switch self {
        case .interfaceNotFound(let interface): ["interface": .string(interface)]
        case .methodNotFound(let method), .methodNotImplemented(let method): ["method": .string(method)]
        case .invalidParameter(let parameter): ["parameter": .string(parameter)]
        case .permissionDenied, .expectedMore, .expectedUpgrade: [:]
        case .other(_, let parameters): parameters
        }
    }

    private static let prefix = "org.varlink.service."
}
