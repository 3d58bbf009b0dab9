/// An answer to a call, as it came.
public enum Reply: Equatable, Sendable {
    /// It went well; where it continues, more replies to the same call follow.
    case success(Parameters, continues: Bool)
    /// It did not; the call is over.
    case failure(VarlinkError)

    /// The reply in a message, which is without its NUL.
    ///
    /// Members that Varlink does not know are passed over.
    public init(parsing message: [UInt8], limits: JSONLimits = .replies) throws(MalformedReply) {
        let value: JSONValue
        do { value = try JSONReader.read(message, limits: limits) } catch { throw .json(error) }
        guard case .object(let header) = value else { throw .notAnObject }
        let parameters = try Self.parameters(in: header)
        let continues = try Self.continues(in: header)
        switch header["error"] {
        case nil, .null: self = .success(Parameters(parameters), continues: continues)
        case .string(let name) where !continues: self = .failure(VarlinkError(name: name, parameters: parameters))
        default: throw .errorMisplaced
        }
    }

    private static func parameters(in header: JSONObject) throws(MalformedReply) -> JSONObject {
        switch header["parameters"] {
        case .object(let parameters): return parameters
        case nil, .null: return [:]
        default: throw .parametersNotAnObject
        }
    }

    private static func continues(in header: JSONObject) throws(MalformedReply) -> Bool {
        switch header["continues"] {
        case nil: return false
        case .bool(let continues): return continues
        default: throw .continuesNotBoolean
        }
    }
}

/// Why a message is not a reply; the connection is of no use any more.
public enum MalformedReply: Error, Equatable {
    /// Not the JSON that is accepted.
    case json(JSONError)
    /// JSON, but no object.
    case notAnObject
    /// Parameters that are neither an object nor null.
    case parametersNotAnObject
    /// `continues` is not a boolean.
    case continuesNotBoolean
    /// An error that is not a string, or one that continues.
    case errorMisplaced
}
