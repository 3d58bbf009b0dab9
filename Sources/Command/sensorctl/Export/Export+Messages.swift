internal import Compression
internal import Formats
internal import Platform
internal import Printable
internal import Programs
internal import Readings
internal import Replay

/// Converts a recording to MCAP, piece by piece.
extension Export {
    func writeMessages(to output: inout CommandOutput) throws(Failure) -> ExportSummary {
        var recording = ROSRecording.compressed
        var clocks: RecordedClocks?
        // What had no time of its own happened at that of the event before.
        var latest: Int64 = 0
        var (samples, gaps, others) = (0, 0, 0)
        /// UTC; without clocks the time since the host's start, so that distances are right.
        func utc(_ instant: Int64) -> Int64 { clocks?.utcNanoseconds(atBoot: instant) ?? instant }
        let unreadable = try input.events(progress) { event, resources in
            switch event {
            case .session(let next):
                clocks = next
                latest = next?.bootNanoseconds ?? latest
            case .sample(let number, _, let stamp, let measurement):
                guard options.isWanted(resources[number].name) else { return others += 1 }
                latest = stamp
                samples += 1
                progress.count = samples
                recording.add(measurement, of: resources[number].name, atNanoseconds: utc(stamp))
            case .gap(let number, let gap, let cause) where options.isWanted(resources[number].name):
                gaps += 1
                recording.add(
                    gap: cause, missing: gap.count, fromNanoseconds: utc(gap.from.nanoseconds),
                    untilNanoseconds: utc(gap.until.nanoseconds), of: resources[number].name)
            case .state(let number, let state, let instant) where options.isWanted(resources[number].name):
                latest = instant ?? latest
                recording.add(
                    state: state.name, reason: state.reason, of: resources[number].name, atNanoseconds: utc(latest))
            default: break
            }
        } after: { () throws(Failure) in
            try output.write(recording.take())
        }
        guard samples > 0 else {
            let words = options.resource.map { "there are no readings of \($0) in it" }
            throw Failure(.data, "\(input.name): \(words ?? "\(RecordingError.empty)")")
        }
        recording.finish()
        try output.write(recording.take())
        var summary = ExportSummary(samples.counted("reading"), gaps: gaps)
        summary.notes.leaveOut("reading", "of other resources (\(reason("everything")))", count: others)
        summary.notes.add(unreadable)
        return summary
    }
}

extension ROSRecording {
    /// Begins a file of this program; its chunks are compressed, which every reader of MCAP undoes by itself.
    static var compressed: ROSRecording {
        ROSRecording(
            program: "sensorctl \(Version.text)",
            compression: (
                "zstd",
                { chunk in
                    guard var compressor = try? ZstdCompressor() else { return nil }
                    return try? compressor.add(chunk, .frame)
                }
            ))
    }
}
