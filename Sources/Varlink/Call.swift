/// A method call, as it came or as it will be sent.
public struct Call: Equatable, Sendable {
    /// What kind of answer the caller expects; the raw value is the flag on the wire.
    public enum Mode: String, CaseIterable, Sendable {
        /// One reply.
        case plain
        /// None, not even an error.
        case oneway
        /// One reply or more.
        case more
        /// One reply, after which the connection speaks another protocol.
        case upgrade
    }

    /// The method with its interface: `io.sensorbroker.Broker.Read`.
    public let qualifiedMethod: String
    /// What the method gets.
    public let parameters: Parameters
    /// What kind of answer the caller expects.
    public let mode: Mode

    /// A call of a method by its qualified name.
    public init(_ qualifiedMethod: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        self.qualifiedMethod = qualifiedMethod
        self.parameters = Parameters(parameters)
        self.mode = mode
    }

    /// The interface: what is before the last dot; empty where there is no dot, and then no interface has the method.
    public var interface: String { lastDot.map { String(qualifiedMethod[..<$0]) } ?? "" }

    /// The method's name within its interface.
    public var method: String {
        lastDot.map { String(qualifiedMethod[qualifiedMethod.utf8.index(after: $0)...]) } ?? qualifiedMethod
    }

    private var lastDot: String.Index? { qualifiedMethod.utf8.lastIndex(of: UInt8(ascii: ".")) }
}

extension Call {
    /// The call in a message, which is without its NUL.
    public init(parsing message: [UInt8], limits: JSONLimits = .calls) throws(MalformedCall) {
        let value: JSONValue
        do { value = try JSONReader.read(message, limits: limits) } catch { throw .json(error) }
        guard case .object(let header) = value else { throw .notAnObject }
        guard case .string(let method) = header["method"] else { throw .methodMissing }
        self.init(method, parameters: try Self.parameters(in: header), mode: try Self.mode(in: header))
        for member in header.members where !Self.isKnown(member.key) { throw .unknownMember(member.key) }
    }

    private static func parameters(in header: JSONObject) throws(MalformedCall) -> JSONObject {
        switch header["parameters"] {
        case .object(let parameters): return parameters
        case nil, .null: return [:]
        default: throw .parametersNotAnObject
        }
    }

    private static func mode(in header: JSONObject) throws(MalformedCall) -> Mode {
        var mode = Mode.plain
        for flag in Mode.allCases where flag != .plain {
            switch header[flag.rawValue] {
            case nil, .bool(false): break
            case .bool(true) where mode == .plain: mode = flag
            case .bool(true): throw .severalFlags
            default: throw .flagNotBoolean(flag.rawValue)
            }
        }
        return mode
    }

    /// Members in reverse-domain form are extensions of others, to be ignored.
    private static func isKnown(_ key: String) -> Bool {
        switch key {
        case "method", "parameters", "oneway", "more", "upgrade": true
        default: InterfaceName.isValid(key)
        }
    }
}

/// Why a message is not a call.
///
/// There is no reply to it: the server closes the connection.
public enum MalformedCall: Error, Equatable {
    /// Not the JSON that is accepted.
    case json(JSONError)
    /// JSON, but no object.
    case notAnObject
    /// No method, or one that is not a string.
    case methodMissing
    /// Parameters that are neither an object nor null.
    case parametersNotAnObject
    /// `oneway`, `more` or `upgrade` is not a boolean.
    case flagNotBoolean(String)
    /// More than one of `oneway`, `more` and `upgrade`.
    case severalFlags
    /// A member that Varlink does not know and that is not named in reverse-domain form.
    case unknownMember(String)
}
