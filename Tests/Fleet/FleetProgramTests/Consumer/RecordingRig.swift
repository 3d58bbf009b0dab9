import Fleet
import MQTT
import TestTools
import Varlink

@testable import sensorbroker_fleet

private let second: Int64 = 1_000_000_000

/// A recording of a fleet in a directory, on virtual time.
struct RecordingRig: ~Copyable {
    let folder: TemporaryDirectory
    var command: RecordCommand
    var now: Int64 = 1_000 * second

    /// What it noted.
    let notes: Notes

    final class Notes {
        var all: [String] = []
    }

    init(_ folder: TemporaryDirectory, hold: Int64 = 2, resends: Bool = false) throws {
        var arguments = try Arguments(["record", folder.path])
        arguments.holdNanoseconds = hold * second
        arguments.resends = resends
        let notes = Notes()
        self.init(folder, notes, try RecordCommand(arguments, FleetSettings()) { notes.all.append($0) })
    }

    private init(_ folder: TemporaryDirectory, _ notes: Notes, _ command: consuming RecordCommand) {
        self.folder = folder
        self.notes = notes
        self.command = command
    }

    mutating func take(_ messages: ServerMessage...) throws {
        for message in messages { try command.take(message, now) }
        try command.advance(now)
    }

    mutating func wait(_ seconds: Int64) throws {
        now += seconds * second
        try command.advance(now)
    }

    func lines(_ name: String = "van.ndjson") -> [JSONObject] {
        (folder.text(of: name) ?? "").split(separator: "\n").compactMap { line in
            guard case .object(let object)? = try? JSONReader.read(Array(line.utf8), limits: .replies) else {
                return nil
            }
            return object
        }
    }

    func objects(_ key: String, _ name: String = "van.ndjson") -> [JSONObject] {
        lines(name).compactMap { if case .object(let object)? = $0[key] { object } else { nil } }
    }

    func numbers(_ name: String = "van.ndjson") -> [Int64] {
        objects("message", name).compactMap { $0.integer("number") }
    }
}
