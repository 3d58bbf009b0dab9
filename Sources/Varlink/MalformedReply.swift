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
