internal import Formats

/// A report as one file for any browser; it needs nothing from the network, and may not ask for it.
public enum ReportPage {
    /// The parts of the page's program, in their order.
    private static let scripts: [[UInt8]] = [
        PackageResources.data_js, PackageResources.axis_js, PackageResources.chart_js, PackageResources.map_js,
        PackageResources.spectrum_js, PackageResources.page_js,
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
        try write(ReportData.head(report, title: title, program: program))
        var isFirst = true
        for resource in report.resources where !resource.isEmpty {
            if !isFirst { try write([UInt8(ascii: ",")]) }
            isFirst = false
            try write(ReportData.resource(resource))
        }
        try write(ReportData.tail)
        try write(Array("</script>\n<script>\n\"use strict\";\n".utf8))
        for script in scripts { try write(script) }
        try write(Array("</script>\n</body>\n</html>\n".utf8))
    }
}
