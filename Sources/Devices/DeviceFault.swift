public import Platform

/// Why a device cannot be used; ends up as the `reason` of an unavailable resource.
public struct DeviceFault: Error, Equatable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Kind: String, Sendable {
        /// Not there: no such device, nobody listening.
        case missing
        /// There, but this process may not use it.
        case denied
        /// There, but something else has it.
        case busy
        /// Was there and went away.
        case lost
        /// There, but does not do what it should.
        case failed
    }

    /// What kind of trouble it is.
    public let kind: Kind
    /// What happened and, where somebody can do something about it, what: one sentence for people.
    public let description: String
    /// The system call that failed, if one did.
    public let cause: SystemError?

    /// A fault of a kind, in words.
    public init(_ kind: Kind, _ description: String, cause: SystemError? = nil) {
        self.kind = kind
        self.description = description
        self.cause = cause
    }
}

/// Words of a sensor or a program, which may say what they like, made fit for a terminal: short, and without control
/// characters.
public func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(64).map { scalar -> Unicode.Scalar in
        scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) ? "?" : scalar
    }
    return String(String.UnicodeScalarView(scalars))
}
