/// An error that a call is answered with.
public enum VarlinkError: Error, Equatable, Sendable {
    /// The service has no such interface.
    case interfaceNotFound(String)
    /// The interface has no such method; by its qualified name.
    case methodNotFound(String)
    /// The interface has the method, the service does not; by its qualified name.
    case methodNotImplemented(String)
    /// A parameter is missing, unknown, of the wrong type or out of range; by its bare name.
    case invalidParameter(String)
    /// The caller may not do this.
    case permissionDenied
    /// The method must be called with `more`.
    case expectedMore
    /// The method must be called with `upgrade`.
    case expectedUpgrade
    /// An interface's own error, by its qualified name.
    case other(name: String, parameters: JSONObject)

    /// An error by its qualified name, as it came in a reply; one of Varlink's own without its parameter is `other`.
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

    /// What the error says beside its name.
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
