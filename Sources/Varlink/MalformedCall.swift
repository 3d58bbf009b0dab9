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
