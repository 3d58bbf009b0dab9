internal import CLinux
internal import Glibc
internal import Synchronization

/// Lines for the administrator, on stderr; under systemd with the priority that the journal understands.
///
/// Events go to the journal itself, with fields that programs can tell them by, where stderr leads there. Everything else
/// stays on stderr: the last words of a daemon that ends would come too late for the journal to see whose they are.
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

    /// Where the journal takes entries in its native form.
    private static let nativeSocket = "/run/systemd/journal/socket"
    /// Lines that could not be written since the last one that could.
    private static let lost = Atomic<Int>(0)
    /// Characters of a line, so that a pipe takes it as a whole.
    private static let longest = 960

    private let socket: String?
    private let isSilent: Bool
    private let mostPriority: Int

    /// Looks once whether stderr is the journal; a silent one writes nothing, since the program is somebody else's, and one
    /// that is asked only for what is serious leaves out the rest.
    public init(isSilent: Bool = false, atLeast priority: Priority = .notice) {
        self.init(isSilent: isSilent, atLeast: priority, socket: Self.hasStandardError ? Self.nativeSocket : nil)
    }

    init(isSilent: Bool = false, atLeast priority: Priority = .notice, socket: String?) {
        mostPriority = priority.rawValue
        self.isSilent = isSilent
        self.socket = socket
    }

    /// Writes one line, in one call; control characters from outside cannot forge a second one. `write(2)`
    ///
    /// Never waits: where nobody reads the log, lines are lost, and the next one says how many.
    public func write(_ priority: Priority, _ text: String) {
        guard !isSilent, priority.rawValue <= mostPriority else { return }
        let lost = Self.lost.exchange(0, ordering: .relaxed)
        let before = lost > 0 ? "(\(lost) lines before this one were lost) " : ""
        let prefix = socket == nil ? "sensorbrokerd: " : "<\(priority.rawValue)>"
        let clean = JournalEntry.clean(String(text.unicodeScalars.prefix(Self.longest)))
        let line = Array((prefix + before + clean + "\n").utf8)
        if unsafe clinux_write_now(STDERR_FILENO, line, line.count) < 0 { Self.lost.add(lost + 1, ordering: .relaxed) }
    }

    /// Writes one line that is an event, with its fields where the journal hears them. `sendto(2)`
    public func write(
        _ priority: Priority, _ text: String, _ event: JournalEvent, _ fields: [JournalField: String] = [:]
    ) {
        guard !isSilent, priority.rawValue <= mostPriority else { return }
        let entry = JournalEntry(priority: priority, text: text, event: event, fields: fields)
        if let socket, unsafe clinux_notify(socket, entry.datagram) == 0 { return }
        // A journal that is busy, or gone, gets at least the words.
        write(priority, text)
    }

    /// Whether stderr leads to the journal, as systemd says it does: the variable alone may be an ancestor's. `fstat(2)`
    private static var hasStandardError: Bool {
        var status = stat()
        guard let stream = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return unsafe String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }
}

/// A field of the journal that only this project has.
public enum JournalField: String, CaseIterable, Sendable {
    /// The name of the resource that an event is about.
    case resource = "SENSORBROKER_RESOURCE"
    /// Why it is as it is, in words.
    case reason = "SENSORBROKER_REASON"
    /// The configuration file that an event is about.
    case file = "SENSORBROKER_FILE"
    /// The line in it, from 1.
    case line = "SENSORBROKER_LINE"
}
