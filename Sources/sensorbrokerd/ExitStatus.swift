/// How the daemon ends; its own numbers are sysexits.h's.
struct ExitStatus: RawRepresentable, Equatable, Sendable {
    /// What the process exits with.
    let rawValue: Int32

    /// Stopped as it was told to.
    static let done = Self(rawValue: 0)
    /// The command line cannot be understood.
    static let usage = Self(rawValue: 64)
    /// The recording cannot be played.
    static let data = Self(rawValue: 65)
    /// Another copy, or another program, has what this one needs.
    static let unavailable = Self(rawValue: 69)
    /// The system refused something that it should not refuse.
    static let system = Self(rawValue: 71)
    /// A file or socket cannot be created.
    static let cannotCreate = Self(rawValue: 73)
    /// The output cannot be written.
    static let inputOutput = Self(rawValue: 74)
    /// Not allowed.
    static let notPermitted = Self(rawValue: 77)
    /// The configuration, or a scenario, cannot be used.
    static let configuration = Self(rawValue: 78)
    /// The program that was to be run cannot be; as shells have it.
    static let notRunnable = Self(rawValue: 126)
    /// There is no such program; as shells have it.
    static let notFound = Self(rawValue: 127)
}
