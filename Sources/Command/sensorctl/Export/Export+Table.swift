internal import Formats
internal import Printable
internal import Programs
internal import Readings
internal import Replay

/// Writes the readings of one kind as a table, in the order of the recording.
///
/// The recording is read once to see what there is, so that nothing is written of one that has several kinds.
extension Export {
    func writeTable(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        progress.begin(pass: 0, of: 2)
        let survey = try RecordingSurvey(input, progress)
        let chosen = try chosen(of: survey) { _ in true }
        let names = chosen.map { survey.contents[$0].name }
        guard let kind = chosen.first.map({ survey.contents[$0].resource.kind }),
            chosen.allSatisfy({ survey.contents[$0].resource.kind == kind })
        else {
            throw Failure(
                .usage,
                "csv has the columns of one kind, but there are \(names.joined(separator: ", ")): "
                    + "choose with --resource NAME")
        }
        progress.begin(pass: 1, of: 2)
        var clocks: RecordedClocks?
        var rows = 0
        var text = Array((CSVFormat.row(CSVFormat.columns(of: kind)) + "\n").utf8)
        try input.events(progress) { event, resources in
            switch event {
            case .session(let next): clocks = next
            case .sample(let number, let sequence, let stamp, let measurement) where chosen.contains(number):
                let utc = clocks.map { CalendarTime.text(microseconds: $0.utcMicroseconds(atBoot: stamp)) }
                let cells = [resources[number].name.description, "\(sequence)", "\(stamp)", utc ?? ""]
                text += CSVFormat.row(cells + CSVFormat.cells(measurement)).utf8
                text.append(UInt8(ascii: "\n"))
                rows += 1
                progress.count = rows
            default: break
            }
        } after: { () throws(Failure) in
            try output.write(text)
            text.removeAll(keepingCapacity: true)
        }
        var summary = ExportSummary("\(rows.counted("row")) of \(names.joined(separator: ", "))")
        let gaps = chosen.reduce(0) { $0 + survey.contents[$1].gaps }
        summary.notes.leaveOut("gap", "(a table has readings only)", count: gaps)
        summary.omit(survey, but: chosen, reason("one kind"))
        return summary
    }
}
