/// A method call, received or to be sent.
public struct Call: Equatable, Sendable {
    /// What kind of answer the caller expects; the raw value is the flag on the wire.
    public enum Mode: String, CaseIterable, Sendable {
        /// One reply.
        case plain
        /// No reply, not even an error.
        case oneway
        /// One reply or more.
        case more
        /// One reply, after which the connection speaks another protocol.
        case upgrade
    }

    /// The method's qualified name: `io.sensorbroker.Broker.Read`.
    public let qualifiedMethod: String
    /// The method's parameters.
    public let parameters: Parameters
    /// What kind of answer the caller expects.
    public let mode: Mode

    /// A call of a method by its qualified name.
    public init(_ qualifiedMethod: String, parameters: JSONObject = [:], mode: Mode = .plain) {
        self.qualifiedMethod = qualifiedMethod
        self.parameters = Parameters(parameters)
        self.mode = mode
    }

    /// The interface, which is the part before the last dot; empty if there is no dot, and no interface has such a
    /// method.
    public var interface: String { lastDot.map { String(qualifiedMethod[..<$0]) } ?? "" }

    /// The method's name within its interface.
    public var method: String {
        lastDot.map { String(qualifiedMethod[qualifiedMethod.utf8.index(after: $0)...]) } ?? qualifiedMethod
    }

    private var lastDot: String.Index? { qualifiedMethod.utf8.lastIndex(of: UInt8(ascii: ".")) }
}

extension Call {
    /// Decodes a call from a message without its final NUL.
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

    /// Members named in reverse-domain form are third-party extensions, which are ignored.
    private static func isKnown(_ key: String) -> Bool {
        switch key {
        case "method", "parameters", "oneway", "more", "upgrade": true
        default: InterfaceName.isValid(key)
        }
    }
}

/// Why a message is not a call.
///
/// The server does not reply to such a message; it closes the connection.
public enum MalformedCall: Error, Equatable {
    /// Not valid JSON.
    case json(JSONError)
    /// Valid JSON, but not an object.
    case notAnObject
    /// The method is missing or not a string.
    case methodMissing
    /// The parameters are neither an object nor null.
    case parametersNotAnObject
    /// `oneway`, `more` or `upgrade` is not a boolean.
    case flagNotBoolean(String)
    /// More than one of `oneway`, `more` and `upgrade` is set.
    case severalFlags
    /// A member that Varlink does not define and that is not named in reverse-domain form.
    case unknownMember(String)
}
