internal import Glibc
internal import Platform

/// The claims of all programs as text, for the process after this one.
///
/// A program keeps its name on a bus as long as both live, and no other program ever gets that name. So whoever has claimed a
/// sensor need not learn that this service was upgraded, or died. The first line is the bus's identity; then there is a line for
/// each program, with its name and what it has claimed.
struct ClaimNotes: Equatable, Sendable {
    /// What each program has claimed, by its name on the bus.
    var claims: [String: [DesktopSensor]] = [:]

    /// The most bytes that are read: programs of many users, each with as many as the bus allows.
    static let mostBytes = 1 << 18

    /// The text for a bus.
    func text(ofBus bus: String) -> String {
        let lines = claims.sorted { $0.key < $1.key }.map { sender, sensors in
            ([sender] + sensors.map(\.row.word)).joined(separator: " ")
        }
        return ([bus] + lines).joined(separator: "\n") + "\n"
    }

    /// No claims.
    init() {}

    /// The claims of a text, if it is of this bus; what is no claim is left out.
    init(_ text: String, ofBus bus: String) {
        // What follows the last end of a line was cut off.
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard lines.popFirst().map(String.init) == bus else { return }
        for line in lines {
            let words = line.split(separator: " ")
            guard let sender = words.first, sender.first == ":" else { continue }
            let sensors = DesktopSensor.allCases.filter { words.dropFirst().contains($0.row.word[...]) }
            if !sensors.isEmpty { claims[String(sender)] = sensors }
        }
    }
}

/// Where the notes are kept: in the service's directory under /run, which the service manager keeps when it restarts the service.
struct ClaimFile {
    /// nil: nothing is kept.
    private let path: String?

    /// The file in `$RUNTIME_DIRECTORY`, if there is one.
    init() { path = EnvironmentVariable.firstDirectory("RUNTIME_DIRECTORY").map { "\($0)/claims" } }

    /// The notes of this bus; none if they cannot be read.
    func read(ofBus bus: String) -> ClaimNotes {
        guard let path, let bytes = try? WholeFile.read(path, maximumBytes: ClaimNotes.mostBytes) else {
            return ClaimNotes()
        }
        return ClaimNotes(String(decoding: bytes, as: UTF8.self), ofBus: bus)
    }

    /// Replaces the notes as a whole.
    ///
    /// If that fails, there are none: programs have to claim again after a restart.
    func write(_ notes: ClaimNotes, ofBus bus: String) {
        guard let path else { return }
        let bytes = Array(notes.text(ofBus: bus).utf8)
        do throws(SystemError) { try WholeFile.replace(path, through: "\(path).next", with: bytes) } catch {
            unsafe unlink(path)
        }
    }
}
