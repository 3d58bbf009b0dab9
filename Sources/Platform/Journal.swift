internal import CLinux
internal import Glibc
internal import Synchronization

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

    /// Lines that could not be written since the last one that could.
    private static let lost = Atomic<Int>(0)
    /// Characters of a line, so that a pipe takes it as a whole.
    private static let longest = 960

    private let prefixesPriority: Bool
    private let isSilent: Bool

    /// Looks once whether stderr is the journal; a silent one writes nothing, since the program is somebody else's.
    public init(isSilent: Bool = false) {
        prefixesPriority = unsafe getenv("JOURNAL_STREAM") != nil
        self.isSilent = isSilent
    }

    /// Writes one line, in one call; control characters from outside cannot forge a second one. `write(2)`
    ///
    /// Never waits: where nobody reads the log, lines are lost, and the next one says how many.
    public func write(_ priority: Priority, _ text: String) {
        guard !isSilent else { return }
        let lost = Self.lost.exchange(0, ordering: .relaxed)
        let before = lost > 0 ? "(\(lost) lines before this one were lost) " : ""
        let clean = text.unicodeScalars.prefix(Self.longest)
            .map { $0.value < 0x20 || $0.value == 0x7f ? "?" : String($0) }.joined()
        let start = prefixesPriority ? "<\(priority.rawValue)>" : "sensorbrokerd: "
        let line = Array((start + before + clean + "\n").utf8)
        if unsafe clinux_write_now(STDERR_FILENO, line, line.count) < 0 { Self.lost.add(lost + 1, ordering: .relaxed) }
    }
}
