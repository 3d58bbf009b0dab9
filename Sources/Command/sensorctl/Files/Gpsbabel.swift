internal import Printable
internal import Platform
internal import Programs

/// Makes GPX of other programs' files with `gpsbabel`, which reads 150 formats of receivers, watches and maps.
///
/// It gets nothing but the file as its standard input, which no name can make an option of. What it writes is a stranger's GPX.
enum Gpsbabel {
    private static let limits = OtherProgram.Limits(memoryBytes: 2 << 30, outputBytes: 1 << 30)

    static func gpx(of input: InputFile, as format: String) throws(Failure) -> InputFile {
        let source = try input.copy()
        if format == "igc" {
            // A flight recorder's log becomes two tracks: in one of them the altitudes are those of a barometer.
            let made = try gpx(of: source, input.name, as: format, ["-x", "track,name=GNSSALTTRK"])
            if try made.firstPieceContains("<trkpt") { return made }
        }
        return try gpx(of: source, input.name, as: format, [])
    }

    private static func gpx(
        of source: borrowing Descriptor, _ name: String, as format: String, _ filter: [String]
    ) throws(Failure) -> InputFile {
        let result = try TemporaryFile(toBuffer: name).release()
        let words =
            ["gpsbabel", "-i", format, "-f", "/proc/self/fd/0"] + filter + ["-o", "gpx,gpxver=1.0", "-F", "-"]
        guard let ended = try OtherProgram.run(words, source, result, limits) else {
            throw Failure(
                .unavailable,
                "this format is read by gpsbabel, which is not installed: apt install gpsbabel, or convert the file to GPX elsewhere"
            )
        }
        let reason = ended.errors.split(separator: "\n").first.map { ": \(String($0).printable)" } ?? ""
        guard ended.status == 0 else {
            throw Failure(.data, "\(name): gpsbabel cannot read it as \(format)\(reason)")
        }
        return try InputFile(result, named: "\(name), by gpsbabel")
    }
}
