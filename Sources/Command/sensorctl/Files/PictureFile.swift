internal import Glibc
internal import Platform
internal import Printable
internal import Programs
internal import Reports

/// Pictures of a report as files, made by other programs, which are found at run time.
///
/// The report's page draws them, in JavaScript; an engine in this program would be larger than the program, and on each host on which
/// a broker runs, for pictures that few of them ever make. The same holds for cairo, pango and fonts, which a PNG needs.
enum PictureFile {
    /// Engines reserve far more addresses than they use.
    private static let limits = OtherProgram.Limits(memoryBytes: 16 << 30, outputBytes: 256 << 20)

    /// One picture, or all of them below each other, as SVG.
    static func svg(of report: Report, title: String, picture: String?) throws(Failure) -> [UInt8] {
        let bytes = try TemporaryDirectory.with("pictures.js") { path throws(Failure) in
            var program = try OutputFile(path, replaces: false)
            try ReportPage.writeProgram(report, title: title, picture: picture) { (bytes) throws(Failure) in
                try program.write(bytes)
            }
            try program.finish()
            let nothing = try TemporaryFile(toBuffer: "a picture").release()
            // Any of them will do.
            for engine in ["node", "gjs", "qjs"] {
                if let bytes = try output(of: [engine, path], nothing) { return bytes }
            }
            throw Failure(
                .unavailable,
                "a .svg is drawn by the page's own program, and none of node, gjs and qjs is installed to "
                    + "run it: apt install nodejs, or write a .html and save its pictures from there")
        }
        guard bytes.first == UInt8(ascii: "<") else {
            let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "'\($0)'" }
            guard !names.isEmpty else { throw Failure(.data, "there is nothing in this recording that can be drawn") }
            throw Failure(
                .data,
                "there is no picture '\(picture ?? "")' of this recording, only \(names.joined(separator: ", "))")
        }
        return bytes
    }

    /// The same as PNG.
    static func png(of report: Report, title: String, picture: String?) throws(Failure) -> [UInt8] {
        var source = try TemporaryFile(toBuffer: "a picture")
        try source.append(svg(of: report, title: title, picture: picture), of: "a picture")
        guard let bytes = try output(of: ["rsvg-convert", "--format=png"], source.release()) else {
            throw Failure(
                .unavailable,
                "a .png is made by rsvg-convert, which is not installed: apt install librsvg2-bin, or write a .svg")
        }
        return bytes
    }

    /// What a program writes; nil if it is not installed.
    private static func output(of words: [String], _ input: borrowing Descriptor) throws(Failure) -> [UInt8]? {
        let result = try TemporaryFile(toBuffer: "a picture").release()
        guard let ended = try OtherProgram.run(words, input, result, limits) else { return nil }
        guard ended.status == 0 else {
            throw Failure(.unavailable, "no picture was made: \(ended.errors.printable)")
        }
        guard let bytes = result.bytes(at: 0, Int(max(0, lseek(result.number, 0, SEEK_END)))) else {
            throw Failure(.noInput, "cannot read the picture: \(SystemError.current("read"))")
        }
        return bytes
    }
}

/// A directory that only this user can read, and that ends with what it is for.
private enum TemporaryDirectory {
    /// Makes one for a file of this name.
    static func with<Result>(_ name: String, _ act: (String) throws(Failure) -> Result) throws(Failure) -> Result {
        let directory = try make()
        defer {
            unsafe unlink("\(directory)/\(name)")
            unsafe rmdir(directory)
        }
        return try act("\(directory)/\(name)")
    }

    /// Makes one. `mkdtemp(3)`
    private static func make() throws(Failure) -> String {
        let parent = EnvironmentVariable.value("TMPDIR") ?? "/tmp"
        var template = Array("\(parent)/sensorctl-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, let path = unsafe mkdtemp(base) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else {
            throw Failure(
                .cannotCreate, "cannot make a picture: \(SystemError.current("make a directory in \(parent)"))")
        }
        return made
    }
}
