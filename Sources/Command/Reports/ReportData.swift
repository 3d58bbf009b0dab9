internal import Readings
internal import Varlink

/// A report as JSON, which the page reads: a head, and then the resources one by one.
enum ReportData {
    /// Writes it piece by piece.
    static func write<Failure: Error>(
        _ report: Report, title: String, program: String, to write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        try write(head(report, title: title, program: program))
        var isFirst = true
        for resource in report.resources where !resource.isEmpty {
            if !isFirst { try write([UInt8(ascii: ",")]) }
            isFirst = false
            try write(Self.resource(resource))
        }
        try write(Array("]}".utf8))
    }

    /// What holds for the whole recording; ends inside of the list of resources.
    private static func head(_ report: Report, title: String, program: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("title", title)
        writer.member("program", program)
        writer.seconds("end", report.end)
        writer.member("sessionCount", report.sessionCount)
        writer.beginArray("sessions")
        for session in report.sessions {
            writer.beginObject()
            writer.seconds("start", session.start)
            writer.member("utcMilliseconds", session.utcNanoseconds.map { Double($0) / 1e6 })
            writer.member("isMoved", session.isMoved)
            writer.endObject()
        }
        writer.endArray()
        writer.beginArray("resources")
        return escaped(writer.bytes)
    }

    /// A resource with its samples.
    private static func resource(_ resource: ReportedResource) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", resource.name.description)
        writer.member("kind", resource.kind.wire)
        writer.member("isStepped", resource.isStepped)
        writer.member("isCircular", resource.series.isCircular)
        writer.known("spreadRadians", resource.rotations?.spreadRadians)
        if case .orientation = resource.kind.row.form {
            writer.beginArray("labels")
            for orientation in Orientation.allCases { writer.string(orientation.rawValue) }
            writer.endArray()
        }
        writer.member("samples", resource.sampleCount)
        writer.member("backwards", resource.backwards)
        writer.known("rate", resource.rate)
        if resource.spacings.count > 0 { spacings(of: resource, &writer) }
        columns(of: resource, &writer)
        bands(of: resource, &writer)
        if let spectrum = resource.spectrum?.result { write(spectrum, &writer) }
        writer.beginObject("series")
        writer.member("count", resource.series.count)
        writer.member("samplesPerEntry", resource.series.samplesPerEntry)
        // Entries with fewer samples, and how many.
        writer.key("short")
        writer.integers(
            resource.series.counts.enumerated().filter { $0.element < resource.series.samplesPerEntry }
                .flatMap { [Int64($0.offset), Int64($0.element)] })
        writer.key("words")
        writer.packed(PackedSeries(resource.series).words)
        writer.endObject()
        if !resource.path.points.isEmpty { path(resource.path, &writer) }
        writer.endObject()
        return escaped(writer.bytes)
    }

    private static func spacings(of resource: ReportedResource, _ writer: inout JSONWriter) {
        writer.beginObject("spacing")
        writer.known("median", resource.spacings.quantile(0.5) / 1e9)
        writer.known("percentile99", resource.spacings.quantile(0.99) / 1e9)
        writer.known("longest", Double(resource.spacings.longestNanoseconds) / 1e9)
        writer.endObject()
    }

    private static func columns(of resource: ReportedResource, _ writer: inout JSONWriter) {
        writer.beginArray("columns")
        for (index, (column, statistics)) in zip(resource.columns, resource.statistics).enumerated() {
            writer.beginObject()
            writer.member("name", column.name)
            writer.member("picture", column.picture)
            writer.member("unit", column.unit)
            writer.member("decimals", column.decimals)
            writer.member("colour", column.colour)
            writer.member("known", statistics.count)
            writer.known("least", statistics.extremes?.least)
            writer.known("greatest", statistics.extremes?.greatest)
            writer.known("mean", statistics.mean ?? resource.rotations?.value?[index])
            writer.known("deviation", statistics.deviation)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func bands(of resource: ReportedResource, _ writer: inout JSONWriter) {
        writer.beginArray("bands")
        for band in resource.bands.all {
            writer.beginObject()
            writer.seconds("from", band.from)
            writer.seconds("until", band.until)
            writer.member("name", band.name)
            writer.member("reason", band.reason)
            writer.member("number", band.number)
            if band.name == "gap" { write(band.missing, &writer) }
            writer.endObject()
        }
        writer.endArray()
        writer.beginArray("gaps")
        for gap in resource.bands.gaps {
            writer.beginObject()
            writer.member("cause", gap.cause)
            writer.member("count", gap.count)
            write(gap.missing, &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ missing: Missing, _ writer: inout JSONWriter) {
        writer.member("missing", missing.count)
        writer.member("unknownGaps", missing.unknownGaps)
    }

    private static func write(
        _ spectrum: (stepHertz: Double, windows: Int, densities: [[Double]]), _ writer: inout JSONWriter
    ) {
        writer.beginObject("spectrum")
        writer.known("stepHertz", spectrum.stepHertz)
        writer.member("windows", spectrum.windows)
        writer.beginArray("densities")
        // As 32-bit numbers, which are packed.
        for densities in spectrum.densities { writer.packed(densities.map { $0.isFinite ? min($0, 1e38) : 0 }) }
        writer.endArray()
        writer.endObject()
    }

    private static func path(_ path: Path, _ writer: inout JSONWriter) {
        writer.beginObject("path")
        writer.known("lengthMeters", path.lengthMeters)
        writer.known("toleranceMeters", path.toleranceMeters)
        writer.key("breaks")
        writer.integers(path.points.indices.filter { path.points[$0].isBroken }.map { Int64($0) })
        // Time, latitude and longitude of each point, 64 bits each.
        writer.key("words")
        writer.packed(
            path.points.flatMap { point in
                [Double(point.time) / 1e9, point.latitudeDegrees, point.longitudeDegrees].flatMap(\.words)
            })
        writer.endObject()
    }

    /// Within a page, `</script>` in a text would end the data.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "<")) else { return bytes }
        return bytes.flatMap { $0 == UInt8(ascii: "<") ? Array("\\u003c".utf8) : [$0] }
    }
}

extension JSONWriter {
    fileprivate mutating func seconds(_ name: StaticString, _ nanoseconds: Int64) {
        member(name, Double(nanoseconds) / 1e9)
    }

    /// A number by its name; nothing for one that is unknown or not finite.
    fileprivate mutating func known(_ name: StaticString, _ value: Double?) {
        if let value, value.isFinite { member(name, value) }
    }
}
