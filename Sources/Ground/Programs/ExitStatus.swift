/// The exit status of a program; most numbers are those of sysexits.h.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// A status by its number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// All was done, or the program was asked to stop.
    public static let done = Self(rawValue: 0)
    /// Something is missing: the verdict of a check.
    public static let incomplete = Self(rawValue: 1)
    /// The command line is invalid.
    public static let usage = Self(rawValue: 64)
    /// The input has an error.
    public static let data = Self(rawValue: 65)
    /// An input file cannot be read.
    public static let noInput = Self(rawValue: 66)
    /// Another program has what this one needs, or the other side is not there.
    public static let unavailable = Self(rawValue: 69)
    /// The system refused a resource.
    public static let system = Self(rawValue: 71)
    /// A file or socket cannot be created.
    public static let cannotCreate = Self(rawValue: 73)
    /// A file or the output cannot be written.
    public static let inputOutput = Self(rawValue: 74)
    /// No answer, or no reading, came in time.
    public static let timedOut = Self(rawValue: 75)
    /// Not allowed.
    public static let notPermitted = Self(rawValue: 77)
    /// The configuration, or a scenario, cannot be used.
    public static let configuration = Self(rawValue: 78)
    /// A command cannot be run, as in shells.
    public static let notRunnable = Self(rawValue: 126)
    /// A command does not exist, as in shells.
    public static let notFound = Self(rawValue: 127)
}
