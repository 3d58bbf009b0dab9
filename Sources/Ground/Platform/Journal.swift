internal import CLinux
internal import Glibc
internal import Printable
internal import Synchronization

/// Writes lines for the administrator to stderr; under systemd with the priority that the journal understands.
///
/// If stderr leads to the journal, events are sent to the journal directly, with fields that programs can match.
/// Everything else stays on stderr, because the journal does not know who sent a datagram if the daemon ends right
/// after it.
public struct Journal: Sendable {
    /// The priority of a line; the raw value is syslog's.
    public enum Priority: Int, Sendable {
        /// Something failed.
        case error = 3
        /// Something is wrong, but the daemon can continue.
        case warning = 4
        /// Something worth knowing happened.
        case notice = 5
    }

    /// The socket where the journal accepts native entries.
    private static let nativeSocket = "/run/systemd/journal/socket"
    /// Lines lost since the last successful write.
    private static let lost = Atomic<Int>(0)
    /// The most characters in a line, so that a pipe takes it as a whole.
    private static let longest = 960

    private let program: String
    private let socket: String?
    private let isSilent: Bool
    private let mostPriority: Int
    private let take: (@Sendable (Priority, String) -> Void)?

    /// Checks once whether stderr is the journal.
    ///
    /// A silent journal writes nothing, since stderr belongs to another program; `priority` leaves out less serious
    /// lines.
    public init(isSilent: Bool = false, atLeast priority: Priority = .notice, program: String = "sensorbrokerd") {
        let socket = Self.hasStandardError ? Self.nativeSocket : nil
        self.init(isSilent: isSilent, atLeast: priority, program: program, socket: socket)
    }

    init(
        isSilent: Bool = false, atLeast priority: Priority = .notice, program: String = "sensorbrokerd", socket: String?
    ) {
        mostPriority = priority.rawValue
        self.program = program
        self.isSilent = isSilent
        self.socket = socket
        take = nil
    }

    /// A journal whose lines a function takes, instead of stderr.
    public init(handingTo take: @escaping @Sendable (Priority, String) -> Void) {
        mostPriority = Priority.notice.rawValue
        (program, socket, isSilent) = ("", nil, false)
        self.take = take
    }

    /// Writes one line in one call, with its control characters escaped, so that outside text cannot forge a second line.
    /// `write(2)`
    ///
    /// Never waits: if nobody reads the log, lines are lost, and the next one reports how many.
    public func write(_ priority: Priority, _ text: String) {
        guard !isSilent, priority.rawValue <= mostPriority else { return }
        if let take { return take(priority, text) }
        let lost = Self.lost.exchange(0, ordering: .relaxed)
        let before = lost > 0 ? "(\(lost.counted("line")) before this one lost) " : ""
        let prefix = socket == nil ? "\(program): " : "<\(priority.rawValue)>"
        let line = Array((prefix + before + Self.clean(text) + "\n").utf8)
        if unsafe clinux_write_now(STDERR_FILENO, line, line.count) < 0 { Self.lost.add(lost + 1, ordering: .relaxed) }
    }

    /// Writes one line that is an event, with fields if the journal accepts them. `sendto(2)`
    public func write(
        _ priority: Priority, _ text: String, _ event: JournalEvent, _ fields: [JournalField: String] = [:]
    ) {
        guard !isSilent, priority.rawValue <= mostPriority else { return }
        let entry = JournalEntry(priority: priority, text: text, event: event, fields: fields, program: program)
        if let socket, unsafe clinux_notify(socket, entry.datagram) == 0 { return }
        // If the journal is busy or gone, write at least the text.
        write(priority, text)
    }

    /// A text as one line, no longer than that with its escapes; `…` stands for the rest.
    fileprivate static func clean(_ text: String) -> String { text.printable.printable(atMost: longest) }

    /// Whether stderr leads to the journal, by systemd's variable; that alone may be inherited from an ancestor.
    /// `fstat(2)`
    private static var hasStandardError: Bool {
        var status = stat()
        guard let stream = EnvironmentVariable.value("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}

/// A field of the journal that this project defines.
public enum JournalField: String, CaseIterable, Sendable {
    /// The name of the resource that an event is about.
    case resource = "SENSORBROKER_RESOURCE"
    /// The reason, in words.
    case reason = "SENSORBROKER_REASON"
    /// The configuration file that an event is about.
    case file = "SENSORBROKER_FILE"
    /// The line in it, from 1.
    case line = "SENSORBROKER_LINE"
}

/// One entry of the journal in native form, one field per line. systemd.journal-fields(7)
///
/// A value is one line: control characters are escaped, so outside text cannot forge another field.
struct JournalEntry {
    let priority: Journal.Priority
    let text: String
    let event: JournalEvent
    let fields: [JournalField: String]
    var program = "sensorbrokerd"

    /// The bytes of the datagram, as text.
    var datagram: String {
        let own = fields.map { ($0.rawValue, $1) }.sorted { $0.0 < $1.0 }
        let all =
            [
                ("MESSAGE", text), ("PRIORITY", "\(priority.rawValue)"), ("MESSAGE_ID", event.rawValue),
                ("SYSLOG_IDENTIFIER", program),
            ] + own
        return all.map { "\($0)=\(Journal.clean($1))\n" }.joined()
    }
}

/// An event that an administrator may want to be alerted to, by its `MESSAGE_ID` in the journal.
///
/// The ids stay the same when the text changes. `systemd/sensorbroker.catalog` explains each: `journalctl -x`.
public enum JournalEvent: String, CaseIterable, Sendable {
    /// The daemon is ready.
    case serving = "b949311c8ff94056b74965b37bd5862c"
    /// A resource's device is missing or does not work.
    case resourceUnavailable = "7ba3df2cc3134e11be23f92b252d1885"
    /// A resource is available again.
    case resourceAvailable = "fcf83aa992bf4f129c4bd0a974e44e9d"
    /// An administrator released a device.
    case resourceReleased = "8d5135aadaf74ba990c848cc432388ba"
    /// A released device belongs to the broker again.
    case resourceReacquired = "1c899705913a4d929293e9c8866a77fe"
    /// A device was to be released, but its driver does not return.
    case driverHangs = "ea08da7122a04fe09ce3b2e050d37d7a"
    /// A new configuration is in force.
    case configurationApplied = "f9d5b42002ad4f8bb1c20003cfa0f1db"
    /// A configuration has an error, so the previous one stays in force.
    case configurationRefused = "e44a99ea700f4e09a6bc1f00cc695176"
    /// The fleet's server takes messages.
    case fleetConnected = "3c6f0b7d52f64a5c9d4e18a1b7c2e905"
    /// The fleet's server cannot be reached, or does not take this host.
    case fleetDisconnected = "91d0a4c83be74f0f8a6d25e7c3f1b846"
    /// Messages for the fleet's server are lost.
    case fleetLost = "c7e25f906a1d4b38b0f4937d6e8a51c2"
}
