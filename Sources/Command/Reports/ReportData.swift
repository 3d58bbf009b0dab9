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
        writer.key("title")
        writer.string(title)
        writer.key("program")
        writer.string(program)
        writer.key("end")
        writer.seconds(report.end)
        writer.key("sessionCount")
        writer.integer(report.sessionCount)
        writer.key("sessions")
        writer.beginArray()
        for session in report.sessions {
            writer.beginObject()
            writer.key("start")
            writer.seconds(session.start)
            if let utc = session.utcNanoseconds {
                writer.key("utcMilliseconds")
                writer.number(Double(utc) / 1e6)
            }
            writer.key("isMoved")
            writer.bool(session.isMoved)
            writer.endObject()
        }
        writer.endArray()
        writer.key("resources")
        writer.beginArray()
        return escaped(writer.bytes)
    }

    /// A resource with its samples.
    private static func resource(_ resource: ReportedResource) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(resource.name.description)
        writer.key("kind")
        writer.string(resource.kind.wire)
        writer.key("isStepped")
        writer.bool(resource.isStepped)
        writer.key("isCircular")
        writer.bool(resource.series.isCircular)
        writer.member("spreadRadians", resource.rotations?.spreadRadians)
        if case .orientation = resource.kind.row.form {
            writer.key("labels")
            writer.beginArray()
            for orientation in Orientation.allCases { writer.string(orientation.rawValue) }
            writer.endArray()
        }
        writer.key("samples")
        writer.integer(resource.sampleCount)
        writer.key("backwards")
        writer.integer(resource.backwards)
        if let rate = resource.rate { writer.member("rate", rate) }
        if resource.spacings.count > 0 { spacings(of: resource, &writer) }
        columns(of: resource, &writer)
        bands(of: resource, &writer)
        if let spectrum = resource.spectrum?.result { write(spectrum, &writer) }
        writer.key("series")
        writer.beginObject()
        writer.key("count")
        writer.integer(resource.series.count)
        writer.key("samplesPerEntry")
        writer.integer(resource.series.samplesPerEntry)
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
        writer.key("spacing")
        writer.beginObject()
        writer.member("median", resource.spacings.quantile(0.5) / 1e9)
        writer.member("percentile99", resource.spacings.quantile(0.99) / 1e9)
        writer.member("longest", Double(resource.spacings.longestNanoseconds) / 1e9)
        writer.endObject()
    }

    private static func columns(of resource: ReportedResource, _ writer: inout JSONWriter) {
        writer.key("columns")
        writer.beginArray()
        for (index, (column, statistics)) in zip(resource.columns, resource.statistics).enumerated() {
            writer.beginObject()
            writer.key("name")
            writer.string(column.name)
            writer.key("picture")
            writer.string(column.picture)
            writer.key("unit")
            writer.string(column.unit)
            writer.key("decimals")
            writer.integer(column.decimals)
            writer.key("colour")
            writer.integer(column.colour)
            writer.key("known")
            writer.integer(statistics.count)
            writer.member("least", statistics.extremes?.least)
            writer.member("greatest", statistics.extremes?.greatest)
            writer.member("mean", statistics.mean ?? resource.rotations?.value?[index])
            writer.member("deviation", statistics.deviation)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func bands(of resource: ReportedResource, _ writer: inout JSONWriter) {
        writer.key("bands")
        writer.beginArray()
        for band in resource.bands.all {
            writer.beginObject()
            writer.key("from")
            writer.seconds(band.from)
            writer.key("until")
            writer.seconds(band.until)
            writer.key("name")
            writer.string(band.name)
            writer.key("reason")
            writer.string(band.reason)
            writer.key("number")
            writer.integer(band.number)
            if band.name == "gap" { write(band.missing, &writer) }
            writer.endObject()
        }
        writer.endArray()
        writer.key("gaps")
        writer.beginArray()
        for gap in resource.bands.gaps {
            writer.beginObject()
            writer.key("cause")
            writer.string(gap.cause)
            writer.key("count")
            writer.integer(gap.count)
            write(gap.missing, &writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private static func write(_ missing: Missing, _ writer: inout JSONWriter) {
        writer.key("missing")
        writer.integer(missing.count)
        writer.key("unknownGaps")
        writer.integer(missing.unknownGaps)
    }

    private static func write(
        _ spectrum: (stepHertz: Double, windows: Int, densities: [[Double]]), _ writer: inout JSONWriter
    ) {
        writer.key("spectrum")
        writer.beginObject()
        writer.member("stepHertz", spectrum.stepHertz)
        writer.key("windows")
        writer.integer(spectrum.windows)
        writer.key("densities")
        writer.beginArray()
        // As 32-bit numbers, which are packed.
        for densities in spectrum.densities { writer.packed(densities.map { $0.isFinite ? min($0, 1e38) : 0 }) }
        writer.endArray()
        writer.endObject()
    }

    private static func path(_ path: Path, _ writer: inout JSONWriter) {
        writer.key("path")
        writer.beginObject()
        writer.member("lengthMeters", path.lengthMeters)
        writer.member("toleranceMeters", path.toleranceMeters)
        writer.key("breaks")
        writer.integers(path.points.indices.filter { path.points[$0].isBroken }.map { Int64($0) })
        // Time, latitude and longitude of each point, 64 bits each.
        writer.key("words")
        writer.packed(
            path.points.flatMap { point in
                [Double(point.time) / 1e9, point.latitudeDegrees, point.longitudeDegrees].flatMap { number in
                    [
                        UInt32(truncatingIfNeeded: number.bitPattern),
                        UInt32(truncatingIfNeeded: number.bitPattern >> 32),
                    ]
                }
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
    fileprivate mutating func seconds(_ nanoseconds: Int64) { number(Double(nanoseconds) / 1e9) }

    /// A number by its name; nothing for one that is unknown or not finite.
    fileprivate mutating func member(_ name: StaticString, _ value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        number(value)
    }
}
