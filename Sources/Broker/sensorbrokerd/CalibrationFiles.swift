internal import Platform
internal import Readings
internal import Service

/// The files in which calibrations are stored, one for each sensor.
///
/// They are read once, at the start. A change is written by a thread of its own, since the loop must not wait for a disk;
/// changes are carried out in their order. A file that cannot be used stays where it is, and the reason is logged: a later
/// version may be able to use it, and a calibration of that sensor replaces it.
final class CalibrationFiles {
    private typealias Done = (CalibrationFault?, BootTime) -> Void

    private let files: StateFiles
    private let journal: Journal
    private let work: Work
    /// Who waits for a change, in the order of the changes.
    private var waiting: [Done] = []

    private static let mostFiles = 512
    private static let mostBytes = 16_384
    private static let suffix = ".json"

    /// The files in a directory, which is made when the first one is written.
    init(in directory: String, _ journal: Journal) throws(SystemError) {
        let files = StateFiles(in: directory)
        work = try Work { (change) throws(SystemError) in
            if let text = change.text {
                try files.replace(change.name, with: text)
            } else {
                try files.remove(change.name)
            }
        }
        self.files = files
        self.journal = journal
    }

    /// Gives the broker what was stored, and stores what comes.
    func serve(_ broker: Broker, on server: Server) throws(SystemError) {
        try server.watch(work.results.wakeDescriptor) { [self] now in finish(now) }
        let store: CalibrationStore = { [self] change, done in
            waiting.append(done)
            do throws(SystemError) { try work.add(change) } catch { work.results.put(error) }
        }
        for (file, fault) in broker.keepCalibrations(in: store, read()) { report(file, fault) }
    }

    private func read() -> [CalibrationFile] {
        let names: [String]
        do throws(SystemError) { names = try files.names().filter { $0.hasSuffix(Self.suffix) } } catch {
            journal.write(.warning, "calibrations cannot be read: \(error)")
            return []
        }
        if names.count > Self.mostFiles {
            journal.write(
                .warning, "\(files.directory) has more than \(Self.mostFiles) calibrations: the others are not used")
        }
        return names.prefix(Self.mostFiles).compactMap { name in
            do throws(SystemError) {
                let text = try files.read(name, maximumBytes: Self.mostBytes)
                return text.map { CalibrationFile(name: name, text: $0) }
            } catch {
                report(name, CalibrationFault("\(error)"))
                return nil
            }
        }
    }

    private func report(_ name: String, _ fault: CalibrationFault) {
        let path = files.path(of: name)
        journal.write(.warning, "\(path) is not used: \(fault); calibrate that sensor again, or remove the file")
    }

    /// Waits until all is stored, at most so long.
    func finish(nanoseconds: Int64) { work.finish(nanoseconds: nanoseconds) }

    private func finish(_ now: BootTime) {
        for result in work.results.take() where !waiting.isEmpty {
            let done = waiting.removeFirst()
            done(result.map { CalibrationFault("it cannot be stored: \($0)") }, now)
        }
    }
}

/// Changes that wait for a thread, and what became of them.
private final class Work: Sendable {
    private struct State {
        var changes: [CalibrationFile.Change] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let act: @Sendable (CalibrationFile.Change) throws(SystemError) -> Void
    let results: WakeQueue<SystemError?>
    /// Set whenever nothing is left to do.
    private let idle: WakeEvent

    init(_ act: @escaping @Sendable (CalibrationFile.Change) throws(SystemError) -> Void) throws(SystemError) {
        self.act = act
        results = try WakeQueue()
        idle = try WakeEvent()
    }

    /// Carries out a change on a thread, after those before it.
    func add(_ change: CalibrationFile.Change) throws(SystemError) {
        let mustStart = state.withLock { state in
            state.changes.append(change)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        do throws(SystemError) {
            try Thread.start(name: "calibrations") { [self] in while let change = next() { carryOut(change) } }
        } catch {
            state.withLock { $0 = State() }
            throw error
        }
    }

    private func carryOut(_ change: CalibrationFile.Change) {
        do throws(SystemError) {
            try act(change)
            results.put(nil)
        } catch { results.put(error) }
    }

    private func next() -> CalibrationFile.Change? {
        state.withLock { state in
            guard state.changes.isEmpty else { return state.changes.removeFirst() }
            state.isRunning = false
            idle.signal()
            return nil
        }
    }

    /// Waits until nothing is left to do, at most so long.
    func finish(nanoseconds: Int64) {
        let deadline = Clock.monotonicNanoseconds() + nanoseconds
        while state.withLock({ $0.isRunning }), deadline > Clock.monotonicNanoseconds() {
            _ = Wait.untilReadable(idle.descriptor, nanoseconds: deadline - Clock.monotonicNanoseconds())
            idle.clear()
        }
    }
}
