/// A reply to a call, as it was received.
public enum Reply: Equatable, Sendable {
    /// Success; if it continues, more replies to the same call follow.
    case success(Parameters, continues: Bool)
    /// An error; the call has ended.
    case failure(VarlinkError)

    /// Decodes a reply from a message without its final NUL.
    ///
    /// Members that Varlink does not define are ignored.
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

/// Why a message is not a reply; the connection is unusable from then on.
public enum MalformedReply: Error, Equatable {
    /// Not valid JSON.
    case json(JSONError)
    /// Valid JSON, but not an object.
    case notAnObject
    /// The parameters are neither an object nor null.
    case parametersNotAnObject
    /// `continues` is not a boolean.
    case continuesNotBoolean
    /// The error is not a string, or the reply has both an error and `continues`.
    case errorMisplaced
}
