internal import Formats
internal import Readings

/// The pictures of a report as SVG, for papers, slides and other programs; of the whole recording, each as wide as a page.
public enum ReportDrawing {
    /// The names of all pictures, as the page has them.
    public static func names(_ report: Report) -> [String] { pictures(report).map(\.name) }

    /// A drawing of one picture, or of all of them below each other; nil if there is none of that name.
    public static func svg(_ report: Report, title: String, picture name: String? = nil) -> String? {
        let chosen = pictures(report).filter { name == nil || $0.name == name }
        guard !chosen.isEmpty else { return nil }
        let session = report.sessions.first
        let utc = session?.utcNanoseconds.map { $0.subtractingSaturating(session?.start ?? 0) }
        let frame = Frame(
            from: report.start, to: max(Double(report.lengthNanoseconds) / 1e9, report.start + 1e-3),
            utcSeconds: utc.map { Double($0) / 1e9 })
        var canvas = SVGCanvas(width: Frame.width)
        if name == nil {
            let time = utc.map { ", " + CalendarTime.text(microseconds: $0 / 1_000) } ?? ""
            canvas.text(title + time, x: 12, y: 24, size: 16, isBold: true)
            canvas.move(34)
        }
        for picture in chosen {
            canvas.text(picture.name + (picture.unit.isEmpty ? "" : ", \(picture.unit)"), x: 12, y: 14, isBold: true)
            var x = Double(picture.name.count + picture.unit.count) * 7.2 + 36
            for (label, colour) in picture.legend where picture.legend.count > 1 {
                canvas.box(x, 5, 10, 10, fill: SVGCanvas.colour(colour))
                canvas.text(label, x: x + 14, y: 14)
                x += Double(label.count) * 7.2 + 30
            }
            canvas.move(20)
            picture.draw(frame, &canvas)
            canvas.move(picture.height + 6)
        }
        return canvas.document
    }

    private static func pictures(_ report: Report) -> [Picture] {
        report.resources.filter { $0.sampleCount > 0 }.flatMap(Picture.all)
    }
}

extension Report {
    /// The first instant of all resources, in seconds.
    var start: Double {
        resources.reduce(0) { start, resource in
            min(start, Double(min(resource.first ?? 0, resource.bands.all.first?.from ?? 0)) / 1e9)
        }
    }
}

/// The axis of time that pictures share.
struct Frame {
    static let width = 1_000.0
    static let left = 64.0
    static let right = 12.0
    static let bottom = 18.0

    let from: Double
    let to: Double
    let utcSeconds: Double?

    func x(_ time: Double) -> Double {
        Self.left + (time - from) / (to - from) * (Self.width - Self.left - Self.right)
    }
}
