internal import Fleet
internal import Glibc
internal import MQTT
internal import Platform
internal import Printable
internal import Programs
internal import Readings

/// `sensorctl fleet record`: a recording of each host in a directory, in the order of the numbers.
struct RecordCommand: ~Copyable {
    /// How long a message waits for those before it, unless another time is set.
    private static let usualPatienceNanoseconds = 60 * Nanoseconds.second
    /// What waits of all hosts takes no more memory than this, and of one host no more than that.
    private static let mostBytes = 256 << 20
    private static let mostBytesOfHost = 8 << 20
    private static let pulseNanoseconds = Nanoseconds.second / 4
    private static let askPulseNanoseconds = Nanoseconds.second

    private let arguments: Arguments
    private let prefix: String
    private let directory: String
    private let lock: InstanceLock
    private let longestName: Int
    private let intake: FleetIntake
    private let note: (String) -> Void
    /// Hosts of which it was noted that something is not recorded.
    private var noted: Set<String> = []
    /// Hosts whose files cannot be continued.
    private var refused: Set<String> = []
    private var account: FleetAccount
    private var inquiry = Inquiry(delayNanoseconds: 2 * Nanoseconds.second)
    private var hosts: [String: HostRecording] = [:]
    private var waiting: Set<String> = []
    private var askDue: Int64 = 0

    private static let mostHosts = 200_000
    /// A hostile server has as many names as it likes.
    private static let mostNoted = 1_000
    private static let longestNameNoted = 150

    init(
        _ arguments: Arguments, _ settings: FleetSettings, note: @escaping (String) -> Void = Output.note
    ) throws(Failure) {
        let directory = arguments.directory ?? "."
        self.init(arguments, settings, in: directory, try Self.lock(directory), note)
    }

    private init(
        _ arguments: Arguments, _ settings: FleetSettings, in directory: String, _ lock: consuming InstanceLock,
        _ note: @escaping (String) -> Void
    ) {
        self.note = note
        self.arguments = arguments
        self.directory = directory
        self.lock = lock
        prefix = settings.prefix
        longestName = unsafe pathconf(directory, Int32(_PC_NAME_MAX))
        intake = FleetIntake(prefix: settings.prefix, hosts: arguments.hosts)
        account = FleetAccount(from: .joining, resources: arguments.resources)
    }

    /// Makes a directory, unless it is there, and keeps other programs from recording to it.
    private static func lock(_ directory: String) throws(Failure) -> InstanceLock {
        if unsafe mkdir(directory, 0o777) != 0, errno != EEXIST {
            throw Failure(.cannotCreate, "cannot make \(directory): \(SystemError.words(for: errno))")
        }
        do throws(LockFailure) { return try InstanceLock(path: "\(directory)/.lock") } catch {
            switch error {
            case .held, .taken:
                throw Failure(.cannotCreate, "another program records to \(directory): name another one")
            case .system(let error): throw Failure(.cannotCreate, "cannot write to \(directory): \(error)")
            }
        }
    }

    /// Runs until a signal or the end of the time; the exit status.
    consuming func run(_ link: ConsumerLink) throws(Failure) -> ExitStatus {
        let end = arguments.durationNanoseconds.map { Clock.bootNanoseconds().addingSaturating($0) } ?? .max
        var turnDue: Int64 = 0
        while link.stops == 0 {
            let now = Clock.bootNanoseconds()
            guard now < end else { break }
            for message in try link.turn(until: min(end, waiting.isEmpty ? now + Nanoseconds.second : turnDue)) {
                try take(message, Clock.bootNanoseconds())
            }
            let after = Clock.bootNanoseconds()
            if after >= turnDue {
                try advance(after)
                turnDue = after + Self.pulseNanoseconds
            }
            if link.isOnline { link.send(asks(after)) }
        }
        link.close()
        note(try finish())
        return .done
    }

    /// What hosts are to be asked for now.
    mutating func asks(_ now: Int64) -> [Inquiry.Ask] {
        guard now >= askDue, arguments.resends ?? true else { return [] }
        askDue = now + Self.askPulseNanoseconds
        return inquiry.asks(for: account.findMissing(), now)
    }

    /// Writes everything, and waits until it is on the disk; the sum in words.
    mutating func finish() throws(Failure) -> String {
        for host in hosts.keys.sorted() { try hosts[host]?.finish(account) }
        let missing = account.missing.reduce(UInt64(0)) { $0.addingSaturating($1.count) }
        let count = hosts.values.reduce(0) { $0 + $1.messages }
        let words = "\(count.counted("message")) of \(hosts.count.counted("host"))"
        return "\(words), \(missing) missing that were not reported as lost"
    }

    mutating func take(_ message: ServerMessage, _ now: Int64) throws(Failure) {
        if let host = FleetTopic.hostThatIsTooLong(message.topic, prefix: prefix) {
            return noteOnce("its name is longer than \(FleetTopic.longestHost) bytes", of: String(host))
        }
        var items: [(String, FleetIntake.Item)] = []
        intake.read(message.topic, message.payload, isRetained: message.isRetained) { items.append(($0, $1)) }
        for (host, item) in items {
            // Names of other bytes can be equal as texts, and must not share a recording.
            if let known = hosts.index(forKey: host), !hosts[known].key.utf8.elementsEqual(host.utf8) {
                noteOnce("its name looks like that of another host", of: "\(host) (\(host.utf8.count) bytes)")
                continue
            }
            if hosts[host] == nil, let recording = begin(host) { hosts[host] = recording }
            if case .report(let report, _) = item, let clock = report.clock {
                try hosts[host]?.take(clock, of: report.epoch)
            }
            let isNew = account.take(item, of: host)
            if case .unreadable = item { noteOnce("it sent something that cannot be read", of: host) }
            guard case .message(let message, let resource, let isLate) = item else { continue }
            if !isNew, account.isOverrun(host) {
                noteOnce("it has more epochs, resources or holes than can be kept account of", of: host)
            }
            guard isNew else { continue }
            try hosts[host]?.take(message, of: resource, isLate: isLate, account, now)
            if hosts[host]?.isWaiting ?? false { waiting.insert(host) }
        }
    }

    /// Notes once of a host that something is not recorded, and why.
    private mutating func noteOnce(_ reason: String, of host: String) {
        guard noted.count < Self.mostNoted, noted.insert(host).inserted else { return }
        let name = host.printable(atMost: Self.longestNameNoted)
        note("not everything of \(name) is recorded: \(reason)")
        if noted.count == Self.mostNoted { note("of further hosts this is not said") }
    }

    /// The recording of a host, which may be there already; nil if there can be none.
    private mutating func begin(_ host: String) -> HostRecording? {
        guard !refused.contains(host) else { return nil }
        guard hosts.count < Self.mostHosts else {
            noteOnce("there are more hosts than can be kept account of", of: host)
            return nil
        }
        guard let name = RecordingPath.name(of: host, atMost: longestName < 0 ? 255 : longestName) else {
            noteOnce("its name is too long for the files in \(directory)", of: host)
            return nil
        }
        var recording = HostRecording(
            host, path: "\(directory)/\(name)",
            patienceNanoseconds: arguments.holdNanoseconds ?? Self.usualPatienceNanoseconds)
        do throws(Failure) {
            for part in try recording.resume() {
                account.resume(host, part.epoch, part.resource, part.numbers, after: part.last)
            }
            return recording
        } catch {
            // A host chooses its name: one that meets another file in the directory must not end the recordings of all.
            refused.insert(host)
            noteOnce(error.description, of: host)
            return nil
        }
    }

    /// Writes what has waited long enough.
    mutating func advance(_ now: Int64) throws(Failure) {
        let share = min(Self.mostBytesOfHost, Self.mostBytes / max(1, waiting.count))
        for host in waiting {
            try hosts[host]?.turn(now, mostBytes: share, account)
            if !(hosts[host]?.isWaiting ?? false) { waiting.remove(host) }
        }
    }
}
