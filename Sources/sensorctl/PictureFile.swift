internal import Glibc
internal import Platform
internal import Printable
internal import Reports

/// Pictures of a report as files, made by other programs, which are found at run time.
///
/// The report's page draws them, in JavaScript; an engine in this program would be larger than the program, and on each host on which
/// a broker runs, for pictures that few of them ever make. The same holds for cairo, pango and fonts, which a PNG needs.
enum PictureFile {
    private static let mostBytes = 256 << 20

    /// One picture, or all of them below each other, as SVG.
    static func svg(of report: Report, title: String, picture: String?) throws(Failure) -> [UInt8] {
        let bytes = try TemporaryDirectory.with(["pictures.js", "pictures"]) { directory throws(Failure) in
            var program = try OutputFile("\(directory)/pictures.js", replaces: false)
            try ReportPage.writeProgram(report, title: title, picture: picture) { (bytes) throws(Failure) in
                try program.write(bytes)
            }
            try program.finish()
            // Any of them will do.
            let output = ProgramOutput.of(
                """
                for engine in node gjs qjs; do
                    command -v $engine >/dev/null && exec $engine "$1/pictures.js" 2>&1 >"$1/pictures"
                done
                exit 127
                """, [directory])
            return try result(
                output, "\(directory)/pictures",
                missing: "a .svg is drawn by the page's own program, and none of node, gjs and qjs is installed to "
                    + "run it: apt install nodejs, or write a .html and save its pictures from there")
        }
        guard bytes.first == UInt8(ascii: "<") else {
            let names = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "'\($0)'" }
            throw Failure(
                .data,
                "there is no picture '\(picture ?? "")' of this recording, only \(names.joined(separator: ", "))")
        }
        return bytes
    }

    /// The same as PNG.
    static func png(of report: Report, title: String, picture: String?) throws(Failure) -> [UInt8] {
        let svg = try svg(of: report, title: title, picture: picture)
        return try TemporaryDirectory.with(["picture.svg", "picture.png"]) { directory throws(Failure) in
            var source = try OutputFile("\(directory)/picture.svg", replaces: false)
            try source.write(svg)
            try source.finish()
            let output = ProgramOutput.of(
                "exec rsvg-convert --format=png --output=\"$1/picture.png\" \"$1/picture.svg\" 2>&1", [directory])
            return try result(
                output, "\(directory)/picture.png",
                missing: "a .png is made by rsvg-convert, which is not installed: apt install librsvg2-bin, "
                    + "or write a .svg")
        }
    }

    /// What a program wrote into a file.
    private static func result(
        _ output: (status: Int32, text: String)?, _ path: String, missing: String
    ) throws(Failure) -> [UInt8] {
        guard let output, output.status != 127 else { throw Failure(.unavailable, missing) }
        guard output.status == 0 else {
            throw Failure(.unavailable, "no picture was made: \(output.text.printable)")
        }
        return try InputFile(path).bytes(atMost: mostBytes)
    }
}

/// A directory that only this user can read, and that ends with what it is for.
private enum TemporaryDirectory {
    /// Makes one for files of these names.
    static func with<Result>(
        _ names: [String], _ act: (String) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let path = try make()
        defer {
            for name in names { unsafe unlink("\(path)/\(name)") }
            unsafe rmdir(path)
        }
        return try act(path)
    }

    /// Makes one. `mkdtemp(3)`
    private static func make() throws(Failure) -> String {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
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
