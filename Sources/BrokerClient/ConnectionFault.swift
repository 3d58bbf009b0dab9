/// Why a connection is of no use any more.
public enum ConnectionFault: Error, Equatable {
    /// The other end closed it, or the socket failed.
    case closed
    /// What is at the other end does not talk as a broker does; what it did instead, in words.
    case unintelligible(String)

    /// A reply lacks what the interface promises, or has it in another form.
    static func improper(_ field: String) -> Self { .unintelligible("its answer has no proper '\(field)'") }
}
