internal import Formats
internal import Readings

/// The page of a location: what cgps and gpsmon show, with a plot of the sky, the satellites and the way.
struct LocationPage {
    let resource: TopResource
    let clock: WallClock

    private static let fieldsWidth = 35
    private static let satellitesWidth = 25

    func draw(on canvas: inout Canvas, from top: Int, lines: Int) {
        guard let location = resource.location else {
            canvas.put(" no location yet", 0, top, .faint)
            return
        }
        drawFields(location, on: &canvas, top, lines)
        let column = Self.fieldsWidth
        let satellites = location.satellites ?? []
        if canvas.width >= column + Self.satellitesWidth {
            draw(satellites, on: &canvas, canvas.width - Self.satellitesWidth, top, lines)
        }
        let left = canvas.width - column - Self.satellitesWidth - 1
        guard left >= 11 else { return }
        let skyRows = min(lines, max(6, left / 2), lines >= 22 ? lines / 2 : lines)
        let skyColumns = min(left, skyRows * 2 + 1)
        SkyPlot(satellites: satellites).draw(
            on: &canvas, column + (left - skyColumns) / 2, top, columns: skyColumns, rows: skyRows)
        drawTrack(on: &canvas, column, top + skyRows + 1, left, lines - skyRows - 1)
    }

    /// The fields of a location in the order of cgps.
    private func fields(_ location: Location) -> [(name: String, text: String)] {
        func meters(_ value: Double?) -> String? { value.map { DecimalText.fixed($0, decimals: 1) + " m" } }
        func speed(_ value: Double?) -> String? { value.map { DecimalText.fixed($0, decimals: 2) + " m/s" } }
        func plusMinus(_ text: String?) -> String? { text.map { "± \($0)" } }
        let all: [(String, String?)] = [
            ("Time", location.utcMicroseconds.map { String(CalendarTime.text(microseconds: $0).prefix(19)) + "Z" }),
            ("Latitude", location.latitudeDegrees.map { TopText.angle($0, "N", "S", decimals: 7) }),
            ("Longitude", location.longitudeDegrees.map { TopText.angle($0, "E", "W", decimals: 7) }),
            ("Alt (HAE)", meters(location.ellipsoidHeightMeters)),
            ("Alt (MSL)", meters(location.altitudeMeters)),
            ("Speed", speed(location.speedMetersPerSecond)),
            (
                "Track",
                location.trackDegrees.map {
                    "\(DecimalText.fixed($0, decimals: 1))° \(Gauges.arrow($0)) \(Gauges.compass($0))"
                }
            ),
            ("Climb", speed(location.climbMetersPerSecond)),
            ("Status", Self.status(location)),
            ("Corrections", Self.corrections(location)),
            ("Heading", location.headingDegrees.map { "\(DecimalText.fixed($0, decimals: 1))°" }),
            ("Baseline", Self.baseline(location)),
            ("Horiz. error", plusMinus(meters(location.horizontalErrorMeters))),
            ("Vert. error", plusMinus(meters(location.verticalErrorMeters))),
            ("Speed error", plusMinus(speed(location.speedErrorMetersPerSecond))),
            ("Track error", plusMinus(location.trackErrorDegrees.map { DecimalText.fixed($0, decimals: 1) + "°" })),
            ("Time error", plusMinus(location.timeErrorSeconds.map { TopText.span($0 * 1e9) })),
            ("H/V/P DOP", Self.dilutions(location)),
            ("Geoid sep.", meters(location.geoidSeparationMeters)),
            ("Time offset", offset(location)),
        ]
        // Few receivers have these.
        let rare = ["Corrections", "Heading", "Baseline"]
        return all.filter { $0.1 != nil || !rare.contains($0.0) }.map { ($0.0, $0.1 ?? "-") }
    }

    private static func corrections(_ location: Location) -> String? {
        let age = location.correctionAgeSeconds.map { "\(DecimalText.fixed($0, decimals: 1)) s" }
        let known = [age, location.correctionStation.map { "station \($0)" }].compactMap { $0 }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }

    private static func baseline(_ location: Location) -> String? {
        let length = location.baselineLengthMeters.map { "\(DecimalText.fixed($0, decimals: 2)) m" }
        let heading = location.baselineHeadingDegrees.map { "\(DecimalText.fixed($0, decimals: 1))°" }
        let known = [length, heading].compactMap { $0 }
        return known.isEmpty ? nil : known.joined(separator: " ")
    }

    private static func status(_ location: Location) -> String {
        let fix =
            switch location.fix {
            case .noPosition: "NO FIX"
            case .twoDimensional: "2D FIX"
            case .threeDimensional: "3D FIX"
            }
        let quality = location.status?.shortText.map { " \($0.uppercased())" } ?? ""
        guard let used = location.satellitesUsed, let visible = location.satellitesVisible else {
            return fix + quality
        }
        return "\(fix)\(quality), \(used) of \(visible)"
    }

    private static func dilutions(_ location: Location) -> String? {
        let values = [location.horizontalDilution, location.verticalDilution, location.positionDilution]
        guard values.contains(where: { $0 != nil }) else { return nil }
        return values.map { $0.map { DecimalText.fixed($0, decimals: 1) } ?? "-" }.joined(separator: " / ")
    }

    /// From the receiver's time to that of this host when the reading was stamped.
    private func offset(_ location: Location) -> String? {
        guard let utc = location.utcMicroseconds, let stamp = resource.newestNanoseconds else { return nil }
        let (own, overflow) = stamp.addingReportingOverflow(clock.bootRealtimeNanoseconds)
        guard !overflow else { return nil }
        return DecimalText.signed(Double(own) / 1e9 - Double(utc) / 1e6, decimals: 3) + " s"
    }

    private func drawFields(_ location: Location, on canvas: inout Canvas, _ top: Int, _ lines: Int) {
        for (line, field) in fields(location).prefix(lines).enumerated() {
            canvas.put(" \(field.name)", 0, top + line, .faint)
            let isBad = field.name == "Status" && location.fix == .noPosition
            let isGood = field.name == "Status" && location.fix == .threeDimensional
            canvas.put(
                field.text, 14, top + line, isBad ? .bad : isGood ? .good : .bold, most: max(0, Self.fieldsWidth - 14))
        }
    }

    private func draw(_ satellites: [Satellite], on canvas: inout Canvas, _ column: Int, _ top: Int, _ lines: Int) {
        canvas.put(
            "SAT  ELEV AZIM  SNR      ".padded(to: Self.satellitesWidth), column, top, Canvas.Look.accent.reversed)
        let sorted = satellites.sorted {
            ($0.isUsed ? 0 : 1, -($0.signalDecibelHertz ?? -1), $0.prn) < (
                $1.isUsed ? 0 : 1, -($1.signalDecibelHertz ?? -1), $1.prn
            )
        }
        for (line, satellite) in sorted.prefix(max(0, lines - 1)).enumerated() {
            let row = top + 1 + line
            let look: Canvas.Look = satellite.isUsed ? .bold : .faint
            canvas.put(SatelliteName.short(satellite), column, row, look)
            func number(_ value: Double?) -> String { value.map { DecimalText.fixed($0, decimals: 0) } ?? "-" }
            canvas.put(number(satellite.elevationDegrees), endingAt: column + 8, row, look)
            canvas.put(number(satellite.azimuthDegrees), endingAt: column + 13, row, look)
            canvas.put(number(satellite.signalDecibelHertz), endingAt: column + 18, row, look)
            let bar = Self.bar(satellite.signalDecibelHertz ?? 0, width: 6)
            canvas.put(bar, column + 19, row, satellite.isUsed ? Gauges.look(satellite) : .faint)
        }
        if sorted.count > lines - 1, lines > 1 {
            canvas.put("▼", column + Self.satellitesWidth - 1, top + lines - 1, .bold)
        }
        if satellites.isEmpty { canvas.put("not reported", column, top + 1, .faint) }
    }

    /// A horizontal bar up to 52 dB-Hz.
    private static func bar(_ signal: Double, width: Int) -> String {
        let eighths = Int(exactly: (min(52, max(0, signal)) / 52 * Double(width * 8)).rounded()) ?? 0
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }

    private func drawTrack(on canvas: inout Canvas, _ column: Int, _ row: Int, _ width: Int, _ lines: Int) {
        guard lines >= 4, let map = TrackMap(resource.track) else { return }
        var dots = DotCanvas(columns: width, rows: lines - 1)
        map.draw(on: &dots, .accent, end: Canvas.Look(colour: .yellow, isBold: true))
        dots.draw(on: &canvas, column, row)
        // Ten cells are 20 dots.
        let meters = map.scale(dots) * 20
        let text =
            meters >= 1_000
            ? DecimalText.fixed(meters / 1_000, decimals: 1) + " km" : DecimalText.fixed(meters, decimals: 0) + " m"
        canvas.put("├────────┤ \(text)", column, row + lines - 1, .faint)
    }
}
