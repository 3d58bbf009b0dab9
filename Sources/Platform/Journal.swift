internal import Glibc

/// Lines for the administrator, on stderr; under systemd with the priority that the journal understands.
public struct Journal: Sendable {
    /// How serious a line is; the raw value is syslog's.
    public enum Priority: Int, Sendable {
        /// Something does not work.
        case error = 3
        /// Something is not as it should be.
        case warning = 4
        /// Something worth knowing happened.
        case notice = 5
    }

    private let prefixesPriority: Bool
    private let isSilent: Bool
    private let mostPriority: Int

    /// Looks once whether stderr is the journal; a silent one writes nothing, since the program is somebody else's, and one
    /// that is asked only for what is serious leaves out the rest.
    public init(isSilent: Bool = false, atLeast priority: Priority = .notice) {
        mostPriority = priority.rawValue
        prefixesPriority = unsafe getenv("JOURNAL_STREAM") != nil
        self.isSilent = isSilent
    }

    /// Writes one line, in one call; control characters from outside cannot forge a second one. `write(2)`
    public func write(_ priority: Priority, _ text: String) {
        guard !isSilent, priority.rawValue <= mostPriority else { return }
        let clean = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "?" : String($0) }.joined()
        let line = Array(((prefixesPriority ? "<\(priority.rawValue)>" : "sensorbrokerd: ") + clean + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, line, line.count)
    }
}
