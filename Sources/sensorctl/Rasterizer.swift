internal import Glibc
internal import Platform
internal import Printable

/// Makes a PNG of an SVG with `rsvg-convert`.
///
/// It is found at run time: as a library it would bring cairo, pango and fonts to each host on which a broker runs, for a picture
/// that few of them ever make.
enum Rasterizer {
    private static let mostBytes = 256 << 20

    /// The PNG; throws if there is no such program, or if it fails.
    static func png(of svg: String) throws(Failure) -> [UInt8] {
        let directory = try temporaryDirectory()
        let (source, result) = ("\(directory)/picture.svg", "\(directory)/picture.png")
        defer {
            unsafe unlink(source)
            unsafe unlink(result)
            unsafe rmdir(directory)
        }
        var file = try OutputFile(source, replaces: false)
        try file.write(Array(svg.utf8))
        try file.finish()
        let output = ProgramOutput.of("exec rsvg-convert --format=png --output=\"$2\" \"$1\" 2>&1", [source, result])
        guard let output, output.status != 127 else {
            throw Failure(
                .unavailable,
                "a .png is made by rsvg-convert, which is not installed: apt install librsvg2-bin, or write a .svg")
        }
        guard output.status == 0 else {
            throw Failure(.unavailable, "rsvg-convert made no picture: \(output.text.printable)")
        }
        return try InputFile(result).bytes(atMost: mostBytes)
    }

    /// A directory that only this user can read. `mkdtemp(3)`
    private static func temporaryDirectory() throws(Failure) -> String {
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
