internal import Printable

/// What a conversion reports at its end: what it left out, with the reason, and what it assumed that a file leaves open.
public struct ConversionNotes: Equatable, Sendable {
    /// What was left out for one reason.
    private struct Omission: Equatable {
        let noun: String
        let reason: String
        var count: Int
        let line: Int?
    }

    /// More reasons, of a hostile file, are counted together.
    private static let mostReasons = 20

    private var omissions: [Omission] = []
    private var others = 0
    private var remarks: [String] = []

    /// Creates notes without anything in them.
    public init() {}

    /// Adds things that were left out for a reason; only the line of the first is given.
    public mutating func leaveOut(_ noun: String, _ reason: String, line: Int? = nil, count: Int = 1) {
        guard count > 0 else { return }
        if let known = omissions.firstIndex(where: { $0.noun == noun && $0.reason == reason }) {
            omissions[known].count += count
        } else if omissions.count < Self.mostReasons {
            omissions.append(Omission(noun: noun, reason: reason, count: count, line: line))
        } else {
            others += count
        }
    }

    /// Adds what other notes have.
    public mutating func add(_ notes: ConversionNotes) {
        for omission in notes.omissions {
            leaveOut(omission.noun, omission.reason, line: omission.line, count: omission.count)
        }
        others += notes.others
        for sentence in notes.remarks { remark(sentence) }
    }

    /// Adds a sentence; the same one only once.
    public mutating func remark(_ sentence: String) {
        if !remarks.contains(sentence), remarks.count < Self.mostReasons { remarks.append(sentence) }
    }

    /// How many things were left out.
    public var leftOutCount: Int { omissions.reduce(others) { $0 + $1.count } }

    /// As parts of a line: `left out: 2 rows without a time (the first in line 3)`.
    public var texts: [String] {
        var parts = omissions.map { omission in
            let place = omission.line.map { omission.count == 1 ? " (line \($0))" : " (the first in line \($0))" }
            let reason = omission.reason.isEmpty ? "" : " " + omission.reason
            return "\(omission.count.counted(omission.noun))\(reason)\(place ?? "")"
        }
        if others > 0 { parts.append("\(others) more for other reasons") }
        return (parts.isEmpty ? [] : ["left out: " + parts.joined(separator: ", ")]) + remarks
    }
}
