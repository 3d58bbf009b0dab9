internal import Formats
internal import Varlink

/// A report as one file for any browser; it needs nothing from the network, and may not ask for it.
///
/// Its pictures are drawn by its program alone, since only that has the samples when somebody zooms. The same program draws files,
/// run by a JavaScript engine, so that there is one way to draw a picture.
public enum ReportPage {
    /// The parts of the program that draw, in their order.
    private static let drawing: [[UInt8]] = [
        PackageResources.data_js, PackageResources.axis_js, PackageResources.pen_js, PackageResources.chart_js,
        PackageResources.map_js, PackageResources.spectrum_js, PackageResources.pictures_js,
    ]

    /// Writes the page piece by piece, so that only one resource at a time is in memory twice.
    public static func write<Failure: Error>(
        _ report: Report, title: String, program: String, to write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try write(Array("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n".utf8))
        // A browser that finds an error in this program still does not let the page fetch or send anything.
        let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
        try write(Array("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n".utf8))
        try write(Array("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n".utf8))
        try write(Array("<title>\(XMLText.escaped(title))</title>\n<style>\n".utf8))
        try write(PackageResources.page_css)
        try write(Array("</style>\n</head>\n<body>\n<main id=\"report\"></main>\n".utf8))
        try write(
            Array("<noscript>This report draws its pictures with JavaScript, which is switched off.</noscript>\n".utf8))
        try write(Array("<script type=\"application/json\" id=\"data\">".utf8))
        try ReportData.write(report, title: title, program: program, to: write)
        try write(Array("</script>\n<script>\n\"use strict\";\n".utf8))
        for script in drawing { try write(script) }
        try write(PackageResources.page_js)
        try write(Array("</script>\n</body>\n</html>\n".utf8))
    }

    /// Writes a program that prints one picture, or all of them below each other, as SVG; if there is none of that name, the names of
    /// all, a line each.
    public static func writeProgram<Failure: Error>(
        _ report: Report, title: String, picture: String?, to write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try write(Array("\"use strict\";\nconst data = ".utf8))
        try ReportData.write(report, title: title, program: "", to: write)
        try write(Array(";\n".utf8))
        for script in drawing { try write(script) }
        let style = text(String(decoding: PackageResources.page_css, as: UTF8.self))
        let name = picture.map { text($0) } ?? "null"
        // Engines differ in how they print.
        let end = "(typeof print === \"function\" ? print : console.log)(fileOf(data, \(style), \(name)));\n"
        try write(Array(end.utf8))
    }

    /// A text as JavaScript.
    private static func text(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
