internal import Formats
internal import Platform
internal import Printable
internal import Programs
internal import Readings
internal import Replay

/// Writes the locations of a recording as paths, broken where `PathBreaks` breaks them.
///
/// The recording is read once to see what there is, and once for each resource, since paths stand one after the other.
extension Export {
    func writePaths(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        progress.begin(pass: 0, of: 2)
        let survey = try RecordingSurvey(input, progress)
        let chosen = try chosen(of: survey) { $0 == .location }
        var files = ColumnFiles(of: output.name)
        var writer = writer
        var (samples, gaps) = (0, 0)
        for (pass, number) in chosen.enumerated() {
            progress.begin(pass: pass + 1, of: chosen.count + 1)
            samples += survey.contents[number].samples
            gaps += survey.contents[number].gaps
            writer.begin(survey.contents[number].name)
            try write(number, &writer, &files, &output)
            writer.endPath()
        }
        writer.end()
        try files.carryOut(writer.take(), to: &output)
        let pieces = writer.pieceCount.counted("piece")
        let names = chosen.map { survey.contents[$0].name }.joined(separator: ", ")
        var summary = ExportSummary("\(writer.pointCount.counted("point")) of \(names) in \(pieces)", gaps: gaps)
        summary.notes.leaveOut("reading", "without a position", count: samples - writer.pointCount)
        summary.omit(survey, but: chosen, reason("locations only"))
        return summary
    }

    private var writer: PathWriter {
        switch options.target {
        case .gpx: .gpx(creator: "sensorctl \(Version.text)")
        case .kml: .kml
        case .geojson, .csv, .mcap, .ndjson: .geoJSON
        }
    }

    private func write(
        _ number: Int, _ writer: inout PathWriter, _ files: inout ColumnFiles, _ output: inout CommandOutput
    ) throws(Failure) {
        var breaks = PathBreaks()
        var clocks: RecordedClocks?
        try input.events(progress) { event, _ in
            switch event {
            case .session(let next):
                clocks = next
                breaks.beginSession()
            case .sample(number, let sequence, let stamp, .location(var location)):
                // The receiver's own time has priority.
                location.utcMicroseconds = location.utcMicroseconds ?? clocks?.utcMicroseconds(atBoot: stamp)
                if breaks.isBroken(before: stamp, sequence: sequence, hasPosition: location.coordinate != nil) {
                    writer.interrupt()
                }
                writer.add(location)
                progress.count += 1
            case .gap(number, let gap, _): breaks.note(gap)
            case .state(number, let state, let instant): breaks.note(state, at: instant)
            default: break
            }
        } after: { () throws(Failure) in
            try files.carryOut(writer.take(), to: &output)
        }
    }
}

extension Export {
    /// The resources of a recording that are exported; throws if there is none with a reading.
    func chosen(of survey: RecordingSurvey, fitting fits: (Kind) -> Bool) throws(Failure) -> [Int] {
        let contents = survey.contents
        let there = contents.indices.filter { contents[$0].samples > 0 }
        guard !there.isEmpty else { throw Failure(.data, "\(input.name): \(RecordingError.empty)") }
        let wanted = there.filter { options.isWanted(contents[$0].resource.name) }
        let chosen = wanted.filter { fits(contents[$0].resource.kind) }
        guard chosen.isEmpty else { return chosen }
        func names(_ numbers: [Int]) -> String {
            numbers.map { "\(contents[$0].name) (\(contents[$0].resource.kind.wire))" }.joined(separator: ", ")
        }
        if wanted.isEmpty, let name = options.resource {
            throw Failure(.data, "there are no readings of \(name) in it, only of \(names(there))")
        }
        throw Failure(.data, "it has no readings that \(options.target.rawValue) can hold, only \(names(wanted))")
    }

    /// Why other resources are left out.
    func reason(_ limit: String) -> String {
        options.resource.map { "--resource \($0)" } ?? "\(options.target.rawValue) holds \(limit)"
    }
}
