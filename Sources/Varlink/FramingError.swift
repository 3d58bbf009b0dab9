/// Why a byte stream cannot be cut into messages any further.
public enum FramingError: Error, Equatable {
    /// A message, finished or not, is longer than its reader takes.
    case messageTooLarge(maximumBytes: Int)
}
