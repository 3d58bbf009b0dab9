internal import Readings
internal import Varlink

/// A report as JSON, which the page reads: a head, and then the resources one by one.
enum ReportData {
    /// What holds for the whole recording; ends inside of the list of resources.
    static func head(_ report: Report, title: String, program: String) -> [UInt8] {
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

    /// The end of what `head` began.
    static let tail = Array("]}".utf8)

    /// A resource with its samples.
    static func resource(_ resource: ReportedResource) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(resource.name.description)
        writer.key("kind")
        writer.string(resource.kind.wire)
        writer.key("isStepped")
        writer.bool(resource.isStepped)
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
        for (column, statistics) in zip(resource.columns, resource.statistics) {
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
            if statistics.count > 0 {
                writer.member("least", statistics.least)
                writer.member("greatest", statistics.greatest)
                writer.member("mean", statistics.mean)
                writer.member("deviation", statistics.deviation)
            }
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
            if let missing = band.missing {
                writer.key("missing")
                writer.integer(missing)
            }
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
            writer.key("missing")
            writer.integer(gap.missing)
            writer.endObject()
        }
        writer.endArray()
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

    /// A number by its name; nothing for one that is not finite.
    fileprivate mutating func member(_ name: StaticString, _ value: Double) {
        guard value.isFinite else { return }
        key(name)
        number(value)
    }
}
