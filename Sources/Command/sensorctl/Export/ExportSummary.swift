internal import Formats
internal import Printable

/// What an export wrote, and what it left out, in a line.
struct ExportSummary {
    /// What was written: `1200 points of location in 3 pieces`.
    private let written: String
    /// The gaps of the resources that were written.
    private let gaps: Int?
    /// What was left out and why.
    var notes = ConversionNotes()

    /// A summary of what was written, with a number of gaps if gaps are looked at.
    init(_ written: String, gaps: Int? = nil) { (self.written, self.gaps) = (written, gaps) }

    /// Adds all that an export leaves out without looking at it: resources, and what nobody knows.
    mutating func omit(_ survey: RecordingSurvey, but chosen: [Int], _ reason: String) {
        let others = survey.contents.indices.filter { !chosen.contains($0) && survey.contents[$0].samples > 0 }
        let names = others.prefix(3).map { survey.contents[$0].name }.joined(separator: ", ")
        let more = others.count > 3 ? " and \(others.count - 3) more" : ""
        let samples = others.reduce(0) { $0 + survey.contents[$1].samples }
        notes.leaveOut("reading", "of \(names)\(more) (\(reason))", count: samples)
        notes.add(survey.unreadable)
    }

    var text: String {
        let counted = gaps.map { ", " + GapText.text(count: $0) } ?? ""
        return ([written + counted] + notes.texts).joined(separator: "; ")
    }
}
